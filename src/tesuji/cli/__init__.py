"""The command line: thin. One module a command; each adds its options and calls the layers below."""
