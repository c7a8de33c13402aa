"""Everything that touches Numba: registration, pipeline, patches, the compile cache and what it is keyed by."""
