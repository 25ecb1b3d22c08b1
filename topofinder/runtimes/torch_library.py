"""PyTorch as far as it is installed: the modules of its executor import it from here.

So they can be imported, looked at and checked where it is not; what they offer then raises one
clear ImportError when it is used.
"""

from typing import Any, TypeAlias

__all__ = [
    "GROUP",
    "IS_THERE",
    "MESSAGE",
    "WORK",
    "Group",
    "Tensor",
    "dist",
    "require_torch",
    "torch",
]

try:
    import torch
    import torch.distributed as dist
except ImportError:
    torch = dist = None

Tensor: TypeAlias = Any
"""A `torch.Tensor`; what it holds is checked when it is given."""
Group: TypeAlias = Any
"""A `torch.distributed.ProcessGroup`."""
IS_THERE = dist is not None and dist.is_available()
WORK: Any = dist.Work if IS_THERE else object
GROUP: Any = dist.ProcessGroup if IS_THERE else object
MESSAGE: Any = dist.P2POp if IS_THERE else object


def require_torch() -> None:
    """Raise ImportError, with what to install, where PyTorch is not there or has no collectives."""
    if torch is None:
        raise ImportError("topofinder.torch: needs PyTorch; pip install torch, for this machine")
    if not IS_THERE:
        raise ImportError("topofinder.torch: this PyTorch is built without torch.distributed")
