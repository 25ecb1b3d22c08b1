"""What ranks run in the tests of the PyTorch executor; each case gives what the test looks at."""

import os
import socket
from collections.abc import Callable
from contextlib import chdir, redirect_stderr
from io import StringIO
from itertools import product
from typing import Any

import topofinder.torch as tt
from topofinder.runtimes.sample_data import SampleData
from topofinder.runtimes.torch_library import dist, torch

CALLABLES = {
    "allreduce": tt.Allreduce,
    "allgather": tt.Allgather,
    "reduce-scatter": tt.ReduceScatter,
    "broadcast": tt.Broadcast,
    "reduce": tt.Reduce,
    "all-to-all": tt.AllToAll,
}


def run_all(
    files: dict[str, str],
    counts: list[int],
    kinds: list[str],
    ops: list[str],
    rank_map: str | None = None,
) -> list:
    """What is wrong of all collectives, counts, types and operations: nothing."""
    rank, wrong = dist.get_rank(), []
    for name, file in files.items():
        run = CALLABLES[name](file, rank_map=rank_map)
        reduces = name in ("allreduce", "reduce-scatter", "reduce")
        for count, kind, op in product(counts, kinds, ops if reduces else [None]):
            data = SampleData(
                transfers=run.program.transfers, count=count, dtype=kind, op=op or "sum"
            )
            tensor = torch.from_numpy(data.vector(rank).copy())
            given = [op] if op else []
            assert run(tensor, *given) is tensor
            if data.count_wrong(tensor.numpy(), rank):
                wrong.append((name, count, kind, op))
    return wrong


def hash_bits(file: str, count: int) -> bytes:
    """Real numbers, whose sum depends on the order: the bytes of the result, and that it is one."""
    rank, n = dist.get_rank(), dist.get_world_size()
    data = [torch.randn(count, generator=torch.Generator().manual_seed(r)) for r in range(n)]
    own = data[rank].clone()
    tt.Allreduce(file)(own)
    exact = torch.stack(data).double().sum(0)
    assert torch.allclose(own.double(), exact, rtol=0, atol=1e-5)
    return own.numpy().tobytes()


def run_other_types(file: str) -> dict[str, Any]:
    """Types that numpy has not, averages, shapes, and what is refused."""
    run, n = tt.Allreduce(file), dist.get_world_size()
    rank = dist.get_rank()
    found: dict[str, Any] = {}
    for kind in (torch.bfloat16, torch.float16, torch.complex64, torch.float64, torch.int32):
        tensor = torch.full((3, 5), rank + 1).to(kind)
        run(tensor)
        found[str(kind)] = bool((tensor == torch.full((3, 5), n * (n + 1) / 2).to(kind)).all())
    truth = torch.tensor([rank == 1, False, True])
    found["any"] = run(truth, "max").tolist()
    found["mean"] = run(torch.full((7,), float(rank)), "avg").tolist()[0]
    found["integer mean"] = run(torch.full((7,), -rank), "avg").tolist()[0]
    weight = torch.nn.Parameter(torch.ones(9))
    run(weight)
    found["parameter"] = weight.tolist()[0]
    with torch.inference_mode():
        guess = torch.ones(9)
    run(guess, async_op=True).wait()
    found["inference"] = guess.tolist()
    for name, call in {
        "op": lambda: run(torch.ones(3), "mean"),
        "complex max": lambda: run(torch.ones(3, dtype=torch.complex64), "max"),
        "bool avg": lambda: run(torch.ones(3, dtype=torch.bool), "avg"),
        "strided": lambda: run(torch.ones(3, 4).T),
        "sparse": lambda: run(torch.ones(3).to_sparse()),
        "list": lambda: run([1.0]),
    }.items():
        found[name] = text_of(call)
    dist.barrier()
    return found


def text_of(call: Callable[[], Any]) -> str:
    """What a call raises, in one line."""
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "nothing raised"


def exchange(file: str, uneven: str) -> dict[str, Any]:
    """All-to-alls into other tensors, and of blocks of several lengths."""
    found: dict[str, Any] = {}
    rank, n = dist.get_rank(), dist.get_world_size()
    run = tt.AllToAll(file)
    given = torch.arange(n * 3) + 100 * rank
    output = torch.zeros_like(given)
    stock = torch.zeros_like(given)
    dist.all_to_all_single(stock, given)
    found["output"] = torch.equal(run(given, output), stock)
    work = run(given, output.zero_(), async_op=True)
    work.wait()
    found["async"] = torch.equal(output, stock)
    found["length"] = text_of(lambda: run(torch.ones(n + 1)))
    found["type"] = text_of(lambda: run(given, output.float()))
    run = tt.AllToAll(uneven)
    data = SampleData(transfers=run.program.transfers, count=30, dtype="int64")
    given = torch.from_numpy(data.vector(rank).copy())
    output = torch.zeros(len(data.expected_result(rank)), dtype=torch.int64)
    run(given, output, count=30)
    found["uneven"] = data.count_wrong(output.numpy(), rank)
    found["no count"] = text_of(lambda: run(given, output))
    return found


def begin_many(file: str) -> dict[str, Any]:
    """Asynchronous works, in order, with others of the same group between them."""
    run, n, rank = tt.Allreduce(file), dist.get_world_size(), dist.get_rank()
    tensors = [torch.full((1000 * k + 1,), float(rank + k)) for k in range(20)]
    works = [run(tensor, async_op=True) for tensor in tensors]
    last = run(torch.ones(5))
    own = torch.ones(3)
    dist.all_reduce(own)
    waited = [work.wait() for work in reversed(works)]
    future = run(torch.ones(4), async_op=True).get_future().then(lambda ended: ended.value()[0] + 1)
    base = n * (n - 1) / 2
    return {
        "right": all(bool((t == base + n * k).all()) for k, t in enumerate(tensors)),
        "over": all(work.is_completed() and work.is_success() for work in works),
        "waited": all(waited),
        "last": last.tolist(),
        "own": own.tolist(),
        "future": future.wait().tolist(),
        "result": works[3].result()[0] is not None and works[3].exception() is None,
    }


def read_wrong(files: list[str]) -> list[str]:
    """What is said of each file, which is another on some rank where it holds a {rank}."""
    rank = dist.get_rank()
    return [text_of(lambda file=file: tt.Allreduce(file.format(rank=rank))) for file in files]


def train_by_hook(file: str) -> dict[str, Any]:
    """Ten steps by the hook beside ten of stock DDP."""
    allreduce = tt.Allreduce(file)
    stock = train(
        lambda model: torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=0.02)
    )

    def hooked(model: Any) -> Any:
        ddp = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=0.02)
        ddp.register_comm_hook(None, allreduce.hook)
        return ddp

    return compare(stock, train(hooked))


def train_by_backend() -> dict[str, Any]:
    """Ten steps of unchanged DDP on the backend, beside ten in a group of gloo."""
    gloo = dist.new_group(backend="gloo")
    parallel = torch.nn.parallel.DistributedDataParallel
    stock = train(lambda model: parallel(model, process_group=gloo))
    return {**compare(stock, train(parallel)), "backend": dist.get_backend()}


def train(wrap: Callable[[Any], Any], steps: int = 10) -> torch.Tensor:
    """All weights after some steps on data that differ from rank to rank."""
    torch.manual_seed(0)
    layers = [torch.nn.Linear(32, 64), torch.nn.Tanh(), torch.nn.Linear(64, 64), torch.nn.Tanh()]
    model = wrap(torch.nn.Sequential(*layers, torch.nn.Linear(64, 3)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    data = torch.Generator().manual_seed(1 + dist.get_rank())
    for _ in range(steps):
        given = torch.randn(16, 32, generator=data)
        optimizer.zero_grad()
        (model(given) - given[:, :3].sin()).square().mean().backward()
        optimizer.step()
    return all_weights(model)


def all_weights(model: Any) -> torch.Tensor:
    """The weights of a model in one row, also where each rank has a part of them."""
    if hasattr(model, "summon_full_params"):
        with model.summon_full_params(model):
            return torch.cat([each.detach().flatten() for each in model.parameters()])
    whole = (getattr(each, "full_tensor", lambda each=each: each)() for each in model.parameters())
    return torch.cat([each.detach().flatten() for each in whole])


def compare(stock: torch.Tensor, ours: torch.Tensor) -> dict[str, Any]:
    """How far apart weights are, and the bytes of ours."""
    return {"apart": float((stock - ours).abs().max()), "bits": ours.numpy().tobytes()}


def shard_fully() -> dict[str, Any]:
    """Both kinds of FSDP, beside DDP in a group of gloo."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard

    gloo = dist.new_group(backend="gloo")
    parallel = torch.nn.parallel.DistributedDataParallel
    stock = train(lambda model: parallel(model, process_group=gloo))
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    sharded = train(lambda model: fully_shard(model, mesh=mesh))
    former = train(lambda model: FullyShardedDataParallel(model, device_id=torch.device("cpu")))
    return {"sharded": compare(stock, sharded), "former": compare(stock, former)}


def call_backend() -> dict[str, Any]:
    """The four collectives of the backend, in all their forms, beside those of gloo."""
    rank, n = dist.get_rank(), dist.get_world_size()
    gloo, found = dist.new_group(backend="gloo"), {}
    operations = dist.ReduceOp
    for name, op in {"sum": operations.SUM, "prod": operations.PRODUCT, "max": operations.MAX,
                     "min": operations.MIN}.items():  # fmt: skip
        ours = torch.arange(101) % 7 + rank - 2
        stock = ours.clone()
        dist.all_reduce(ours, op)
        dist.all_reduce(stock, op, group=gloo)
        given = torch.arange(n * 5) + rank
        kept = torch.zeros(5, dtype=torch.int64)
        dist.reduce_scatter_single(kept, given, op)
        whole = torch.arange(n * 5) + rank
        dist.all_reduce(whole, op, group=gloo)
        found[name] = torch.equal(ours, stock) and torch.equal(kept, whole[rank * 5 :][:5])
        found[name] &= torch.equal(given, torch.arange(n * 5) + rank)
    mean = torch.full((3,), float(rank))
    dist.all_reduce(mean, operations.AVG)
    found["mean"] = mean.tolist()[0]
    output, stock = torch.zeros(n * 4), torch.zeros(n * 4)
    dist.all_gather_single(output, torch.full((4,), float(rank)))
    dist.all_gather_single(stock, torch.full((4,), float(rank)), group=gloo)
    found["gather"] = torch.equal(output, stock)
    exchanged, other = torch.zeros(n * 2), torch.zeros(n * 2)
    dist.all_to_all_single(exchanged, torch.arange(n * 2.0) + 10 * rank)
    dist.all_to_all_single(other, torch.arange(n * 2.0) + 10 * rank, group=gloo)
    found["exchange"] = torch.equal(exchanged, other)
    return {**found, **call_others()}


def call_others() -> dict[str, Any]:
    """What the backend hands on, and what it does asynchronously."""
    rank, n = dist.get_rank(), dist.get_world_size()
    found: dict[str, Any] = {}
    bits = torch.tensor([1 << rank])
    dist.all_reduce(bits, dist.ReduceOp.BOR)
    found["or"] = bits.item() == 2**n - 1
    sent = torch.full((2,), float(rank == 1))
    dist.broadcast(sent, 1)
    found["broadcast"] = sent.tolist()
    parts = [torch.zeros(1) for _ in range(n)]
    dist.all_gather(parts, torch.tensor([float(rank)]))
    found["list"] = torch.cat(parts).tolist() == list(range(n))
    if rank < 2:
        mail = torch.tensor([float(rank)])
        came = torch.zeros(1)
        for work in dist.batch_isend_irecv(
            [dist.P2POp(dist.isend, mail, 1 - rank), dist.P2POp(dist.irecv, came, 1 - rank)]
        ):
            work.wait()
        found["mail"] = came.item() == 1 - rank
    tensors = [torch.full((100 + k,), 1.0) for k in range(5)]
    works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
    found["async"] = all(work.wait() for work in works) and all(
        bool((tensor == n).all()) for tensor in tensors
    )
    objects = [None] * n
    dist.all_gather_object(objects, {"rank": rank})
    found["objects"] = objects == [{"rank": r} for r in range(n)]
    return found


def split_groups(file: str) -> dict[str, Any]:
    """Groups of two have a file, those of three have none."""
    rank = dist.get_rank()
    with redirect_stderr(StringIO()) as said:
        pairs = [dist.new_group([0, 1]), dist.new_group([2, 3])]
        three = [dist.new_group([0, 1, 2]), dist.new_group([0, 2, 3])]
    pair, tensor = pairs[rank // 2], torch.full((9,), float(rank))
    dist.all_reduce(tensor, group=pair)
    run = tt.Allreduce(file, group=pair)
    other = run(torch.full((3,), float(rank)))
    found: dict[str, Any] = {
        "said": said.getvalue(),
        "pair": tensor.tolist()[0],
        "callable": other.tolist()[0],
    }
    if rank != 3:
        triple = torch.full((9,), float(rank))
        dist.all_reduce(triple, group=three[0])
        found["three"] = triple.tolist()[0]
    found["foreign"] = text_of(lambda: tt.Allreduce(file, group=pairs[1 - rank // 2]))
    return found


def bring_other_tensors(files: dict[str, str]) -> list[str]:
    """What is said where one rank brings another tensor, and that all goes on afterwards."""
    rank = dist.get_rank()
    odd, run = rank == 2, tt.Allreduce(files["allreduce"])
    exchange, scatter = tt.AllToAll(files["all-to-all"]), tt.ReduceScatter(files["reduce-scatter"])
    mine = torch.ones(7 if odd else 5)
    said = [
        text_of(lambda: run(mine)),
        text_of(lambda: run(mine, async_op=True).wait()),
        text_of(lambda: run(torch.ones(5, dtype=torch.int32 if odd else torch.float32))),
        text_of(lambda: run(torch.ones(5), "max" if odd else "sum")),
        text_of(lambda: run(torch.ones(4, 4).T if odd else torch.ones(4, 4))),
        text_of(lambda: run([1.0] if odd else torch.ones(1))),
        text_of(lambda: run(torch.ones(8)) if odd else scatter(torch.ones(8))),
        text_of(lambda: exchange(torch.ones(9 if odd else 8))),
    ]
    assert mine.tolist() == [1.0] * len(mine)
    right = run(torch.ones(6))
    assert right.tolist() == [dist.get_world_size()] * 6
    return said


def bring_other_lengths() -> list[str]:
    """The same for the backend, whose exchanges may have blocks of any lengths."""
    rank, n = dist.get_rank(), dist.get_world_size()
    odd, gloo = rank == 2, dist.new_group(backend="gloo")
    whole = torch.zeros((3 if odd else 2) * n)
    said = [
        text_of(lambda: dist.all_reduce(torch.ones(7 if odd else 5))),
        text_of(lambda: dist.all_reduce(torch.ones(7 if odd else 5), async_op=True).wait()),
        text_of(lambda: dist.all_gather_into_tensor(whole, whole[: len(whole) // n].clone())),
        text_of(lambda: dist.reduce_scatter_tensor(whole[: len(whole) // n].clone(), whole)),
        text_of(lambda: dist.all_to_all_single(torch.zeros(len(whole)), whole)),
    ]
    for sent in ([2] * n, [rank + 1] * n, [2, 2, 5 if odd else 2, 2], [0] * n):
        kept = torch.zeros(n, dtype=torch.int64)
        dist.all_to_all_single(kept, torch.tensor(sent), group=gloo)
        given = torch.arange(sum(sent) * 3.0).view(-1, 3) + 100 * rank
        results = [torch.zeros(int(kept.sum()), 3) for _ in range(2)]
        for group, result in zip((None, gloo), results, strict=True):
            dist.all_to_all_single(result, given, kept.tolist(), sent, group=group)
        assert torch.equal(*results), (sent, results)
    return said


def map_ranks(files: dict[str, str], named: str, folder: str) -> list[Any]:
    """All collectives with ranks in other places: results lie by rank all the same."""
    rank, n, true_name = dist.get_rank(), dist.get_world_size(), socket.gethostname
    found: list[Any] = [run_all(files, [0, 1, 7, 40], ["int64"], ["sum"], f"{folder}/map.txt")]
    socket.gethostname = lambda: f"leaf{(rank + 1) % n}.site"
    run = tt.Broadcast(named, by_name=True)
    tensor = torch.full((5,), rank)
    run(tensor)
    found += [run.root, tensor.tolist()]
    both = {"rank_map": f"{folder}/map.txt", "by_name": True}
    found.append(text_of(lambda: tt.Broadcast(named, **both)))
    found.append(text_of(lambda: tt.Allreduce(files["allreduce"], by_name=True)))
    for name in ("short", "{rank}"):
        file = f"{folder}/{name.format(rank=rank)}.txt"
        found.append(text_of(lambda file=file: tt.Allreduce(files["allreduce"], rank_map=file)))
    socket.gethostname = lambda: "leaf0"
    found.append(text_of(lambda: tt.Broadcast(named, by_name=True)))
    socket.gethostname = true_name
    return found


def call_functional() -> list[Any]:
    """Functional collectives, which torch calls from C++."""
    import torch.distributed._functional_collectives as functional

    rank, n = dist.get_rank(), dist.get_world_size()
    group, own = dist.group.WORLD, torch.full((4,), float(rank))
    calls = [
        functional.all_reduce(own, "sum", group),
        functional.all_gather_tensor(own, 0, group),
        functional.reduce_scatter_tensor(torch.ones(n * 2), "sum", 0, group),
        functional.broadcast(own, 1, group),
        functional.all_to_all_single(own, [1] * n, [1] * n, group),
    ]
    return [functional.wait_tensor(each).tolist() for each in calls]


def methods_left_to_torch() -> list[str]:
    """Methods of a process group that torch would call in C++, under Python's lock."""
    harmless = {"BackendType", "abort", "boxed", "bound_device_id", "get_group_store", "group_desc",
                "group_name", "merge_remote_group", "name", "rank", "set_timeout", "shutdown",
                "size", "split_group", "unbox", "use_pg_for_symm_mem_rendezvous"}  # fmt: skip
    base = {each for each in vars(dist.ProcessGroup) if not each.startswith("_") and each.islower()}
    return sorted(base - harmless - set(vars(type(dist.group.WORLD))))


def lose_rank(file: str) -> list[str]:
    """One rank ends in the middle: what the others are told, then and later."""
    run = tt.Allreduce(file)
    run(torch.ones(7))
    if dist.get_rank() == 1:
        os._exit(0)
    return [text_of(lambda: run(torch.ones(7))), text_of(lambda: run(torch.ones(7)))]


def name_backend() -> str:
    """The backend of the group that was made before."""
    return str(dist.get_backend())


def run_example(program: str, folder: str) -> str:
    """A program of the documentation, in a folder with its files."""
    with chdir(folder):
        exec(program, {"__name__": "__main__"})
    return "done"
