"""The page in the browser: its server, and the process of its engine. docs/web-server.md and docs/web-protocol.md say more."""
