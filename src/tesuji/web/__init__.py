"""The page in the browser: its server, and the process in which its engine runs. docs/web-server.md and docs/web-protocol.md."""
