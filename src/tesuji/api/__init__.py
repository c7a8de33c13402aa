"""The functions of the public API, `tesuji.solve` and the others; docs/api.md describes all of it."""
