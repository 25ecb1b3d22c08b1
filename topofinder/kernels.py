"""How the kernels are compiled: cached on disk, without the GIL, and as little as possible.

`inner` is for functions that only other kernels call. They need no way in from Python, which
takes a good part of the time of a first run to compile.
"""

from typing import Any

import numba
from numba.core import event

from topofinder.compilation import announcer


class _Listener(event.Listener):
    """Passes on that numba compiles, which it tells of nothing that it finds on disk."""

    def on_start(self, event: Any) -> None:
        announcer.notify(event)

    def on_end(self, event: Any) -> None:
        announcer.notify(event)


_register: Any = event.register
_register("numba:compile", _Listener())

kernel: Any = numba.njit(cache=True, nogil=True)
_options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
inner: Any = numba.njit(cache=True, nogil=True, **_options)


@inner
def copy_into(target, source):  # type: ignore[no-untyped-def]
    """`target[:] = source`, of as many entries, which numba compiles in a tenth of the time.

    It compiles words on shapes that do not fit along with every such line: three seconds.
    """
    for i in range(len(source)):
        target[i] = source[i]
