"""How the kernels are compiled: cached on disk, without the GIL, and as little as possible.

`inner` is for functions that only other kernels call. They need no way in from Python, which
takes a good part of the time of a first run to compile.
"""

from typing import Any

import numba

kernel: Any = numba.njit(cache=True, nogil=True)
_options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inner: Any = numba.njit(cache=True, nogil=True, **_options)
