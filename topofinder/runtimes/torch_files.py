"""Which files the backend of torch.distributed goes by: named by `use`, or by the environment."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from expansions.collective import Collective
from generators.errors import InvalidInput
from topofinder.runtimes.executable import Executable
from topofinder.runtimes.rank_map import read_map
from topofinder.runtimes.torch_collectives import PathName, read_scheduled
from topofinder.runtimes.torch_programs import has_equal_blocks

VARIABLES = {
    Collective.ALLREDUCE: "TOPOFINDER_ALLREDUCE",
    Collective.ALLGATHER: "TOPOFINDER_ALLGATHER",
    Collective.REDUCE_SCATTER: "TOPOFINDER_REDUCE_SCATTER",
    Collective.ALLTOALL: "TOPOFINDER_ALL_TO_ALL",
}
"""The collectives that the backend runs, and the variables that name files for them."""
MAP_VARIABLE, NAME_VARIABLE = "TOPOFINDER_RANK_MAP", "TOPOFINDER_BY_NAME"
PathNames = PathName | Sequence[PathName]
Executables = dict[tuple[Collective, int], Executable]
"""What runs a collective in groups of so many ranks."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScheduleFiles:
    """Files by collective, for several numbers of ranks; each is read when it is first asked for.

    >>> ScheduleFiles(names={}, verified=True).read(rank=0)
    {}
    """

    names: Mapping[Collective, tuple[Path, ...]]
    verified: bool
    rank_map: Path | None = None
    by_name: bool = False
    _found: dict[tuple[Path, bool], Executable] = field(default_factory=dict)

    def read(self, rank: int) -> Executables:
        """All that they hold; rank 0 of a group alone verifies.

        Raises InvalidInput for a file that cannot be read, is for another collective, is not
        valid, has blocks of several lengths, or is for as many hosts as another.
        """
        found: Executables = {}
        for collective, file in self._entries():
            executable = self._read(collective, file, self.verified or rank > 0)
            key = collective, executable.transfers.ranks
            if key in found:
                raise InvalidInput(f"{file}: is a second file of {key[1]} hosts for {collective}")
            found[key] = executable
        return found

    def map_lines(self) -> list[str]:
        """The lines of the map; none without one. Raises InvalidInput as `read` does."""
        if self.rank_map is None:
            return []
        if self.by_name:
            raise InvalidInput("rank_map and by_name exclude each other")
        return read_map(self.rank_map)

    def _entries(self) -> Iterator[tuple[Collective, Path]]:
        for collective, files in self.names.items():
            for file in files:
                yield collective, file

    def _read(self, collective: Collective, file: Path, verified: bool) -> Executable:
        if (file, verified) not in self._found:
            executable = read_scheduled(file, collective, verified=verified)
            whole = collective is Collective.ALLREDUCE
            if not whole and not has_equal_blocks(executable.transfers):
                raise InvalidInput(f"{file}: the backend needs blocks of one length")
            self._found[file, verified] = executable
        return self._found[file, verified]


_current: ScheduleFiles | None = None


def use(
    *,
    allreduce: PathNames = (),
    allgather: PathNames = (),
    reduce_scatter: PathNames = (),
    all_to_all: PathNames = (),
    rank_map: PathName | None = None,
    by_name: bool = False,
    verified: bool = False,
) -> None:
    """Name the files for process groups of the backend that are made from now on.

    Each is a path, or a list of them for groups of several sizes. Where none is named here, the
    environment is asked: TOPOFINDER_ALLREDUCE, TOPOFINDER_ALLGATHER, TOPOFINDER_REDUCE_SCATTER and
    TOPOFINDER_ALL_TO_ALL, several files separated as the folders in PATH are. `verified` says that
    the files need not be verified again.

    Rank r of a group is host r of a file, unless the lines of `rank_map` name the node of each rank
    (TOPOFINDER_RANK_MAP), for groups of as many ranks as it has lines, or hosts are told `by_name`
    (TOPOFINDER_BY_NAME=1).
    """
    global _current
    given = dict(zip(VARIABLES, (allreduce, allgather, reduce_scatter, all_to_all), strict=True))
    names = {collective: _paths(files) for collective, files in given.items()}
    told = rank_map if rank_map is not None else os.environ.get(MAP_VARIABLE) or None
    _current = ScheduleFiles(
        names=names if any(names.values()) else _environment(),
        verified=verified,
        rank_map=None if told is None else Path(told),
        by_name=by_name or os.environ.get(NAME_VARIABLE, "") not in ("", "0"),
    )


def current_files() -> ScheduleFiles:
    """What was last said by `use`, or else by the environment."""
    if _current is None:
        use()
    return _current or ScheduleFiles(names={}, verified=False)


def _paths(files: PathNames) -> tuple[Path, ...]:
    if isinstance(files, str | os.PathLike):
        return (Path(files),)
    return tuple(Path(file) for file in files)


def _environment() -> dict[Collective, tuple[Path, ...]]:
    texts = {collective: os.environ.get(name, "") for collective, name in VARIABLES.items()}
    return {
        collective: _paths([part for part in text.split(os.pathsep) if part])
        for collective, text in texts.items()
    }
