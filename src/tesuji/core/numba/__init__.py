"""Everything that touches Numba.

registration.py   the way in: `compiled(function)`, and every kernel and operation made known to Numba
pipeline.py       how kernels are compiled, context.py what Numba asks meanwhile, patches.py where Numba itself is patched
versions.py       the versions of Numba for which these three and kernel_files.py were tested; others compile, and keep nothing
worker.py         the thread in which all this happens
cache.py          the compile cache; kernel_files.py its files, stamps.py the sources that they depend on
errors.py         the compiler's errors in one line
atomics.py, bits.py, local_copies.py    what kernels can do beyond plain Python

Private parts of Numba, which may change with every version, are used in pipeline.py, context.py, patches.py, kernel_files.py
and `registration._entry`.
"""
