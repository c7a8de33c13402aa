"""Jobs on a Ray cluster: sent, sent again when a machine is lost or slow, and each taken once (docs/cluster.md).

connection.py  the cluster itself, and nearly all that is said to Ray
identity.py    what a machine must have in common with this one to be used
tasks.py       what runs on the machines
dispatcher.py  hands jobs to machines
pool.py        games of a match, or of tuning, as jobs
self_play.py   games to learn from as jobs
proving.py     positions to be proven as jobs: proof_tree.py chooses them, proof_jobs.py does them, proof_store.py keeps results
status.py      which machines there are
"""
