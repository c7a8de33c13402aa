"""Learning from game records: what experts play."""
