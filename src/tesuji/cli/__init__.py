"""The command line, one module per command: each parses its options, calls the layers below and prints the result."""
