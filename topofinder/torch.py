"""Collectives of PyTorch by schedule files: callables, a hook for DDP, and a backend.

    import topofinder.torch
    allreduce = topofinder.torch.Allreduce("allreduce.npz")
    allreduce(tensor)
    ddp.register_comm_hook(None, allreduce.hook)

or, with no other change in a program that trains,

    topofinder.torch.use(allreduce="allreduce.npz")
    dist.init_process_group("topofinder")

Every step of a schedule is one group of point-to-point messages of torch.distributed, over gloo or
NCCL. Importing this registers the backend. Without PyTorch everything here raises an ImportError
that says what to install. See docs/torch.md.
"""

from topofinder.runtimes import torch_collectives as _collectives
from topofinder.runtimes.torch_backend import register_backend
from topofinder.runtimes.torch_files import use
from topofinder.runtimes.torch_works import ScheduledWork

Allreduce = _collectives.TensorAllreduce
Allgather = _collectives.TensorAllgather
ReduceScatter = _collectives.TensorReduceScatter
Broadcast = _collectives.TensorBroadcast
Reduce = _collectives.TensorReduce
AllToAll = _collectives.TensorAllToAll

__all__ = [
    "AllToAll",
    "Allgather",
    "Allreduce",
    "Broadcast",
    "Reduce",
    "ReduceScatter",
    "ScheduledWork",
    "use",
]

register_backend()
