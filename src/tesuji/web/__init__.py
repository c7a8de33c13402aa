"""The page in the browser: its server, and the process in which its engine runs. docs/web.md and docs/web-protocol.md."""
