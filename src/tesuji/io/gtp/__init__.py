"""The Go Text Protocol, version 2: our engine as others see it, and other engines as we see them."""
