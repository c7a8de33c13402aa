"""What a sceptic must read to believe a certificate. No other file of `proof/` needs to be trusted.

In this folder, in reading order:

    claims.py       what is claimed: bounds of a position's value
    plain_rules.py  the rules of the game as a proof uses them, plain Python functions
    connections.py  the steps that prove a connection, with the argument why they do; for proofs that rely on connections
    walk.py         the walk through all positions of a proof
    format.py       header and choices in a file
    checker.py      reads a file, finds its game and position, and walks

Of the rest of the package:

    games/<game>/rules.py, state.py   the rules, with the files beside them that these import; or the user's own file
    core/rules.py                     what each rule means: the operations that a game implements
    core/dispatch.py                  finds a game's function of an operation
    core/game.py                      a game's range of outcomes and longest game; the position after some moves
    core/records.py                   equal positions have equal bytes, and only they
    core/symmetry.py                  how boards are turned and mirrored
    core/numba/bits.py                counts and finds bits of numbers, for rules that keep sets in them
    games/registry.py                 finds the game that the file names

A mistake in what turns a file into a header and choices (format.py, core/container.py, core/files.py), in the digests, or in
proof/budget.py cannot make a false claim pass: the verdict names the claim that was checked, and choices only choose moves.
"""
