"""Hosts in files of all kinds, told apart by suffix and first mark."""

import re
from os import PathLike
from pathlib import Path

from generators.errors import InvalidInput
from generators.files import read_bounded
from generators.formats.document import document_in
from generators.hosts.documents import host_of
from generators.hosts.infragraph_reader import host_of_infragraph
from generators.hosts.lstopo import host_of_lstopo
from generators.hosts.nccl_topology import host_of_dump
from generators.hosts.nvidia_smi import read_nvidia_smi
from generators.hosts.partial_host import PartialHost
from generators.hosts.template import HostTemplate

MOST_BYTES = 16 << 20
HOST_SUFFIXES = (".json", ".xml", ".txt")
_LSTOPO = re.compile(rb"<\s*topology\b")


def is_host_file(name: str) -> bool:
    """Whether a name is that of a file, not of a template.

    >>> is_host_file("dump.XML"), is_host_file("HostH100")
    (True, False)
    """
    return Path(name).suffix.lower() in HOST_SUFFIXES


def read_host_file(
    path: str | PathLike[str], inner: str | None = None, port: str | None = None
) -> HostTemplate:
    """The host of a file; `inner` and `port` are the rates that the file does not tell.

    A .json file is a document of hosts or an InfraGraph, an .xml file is what `lstopo` or NCCL
    writes, a .txt file what `nvidia-smi topo -m` prints. Raises InvalidInput naming the file, and
    what is wrong in it.
    """
    found = _read(path)
    if isinstance(found, PartialHost):
        return found.complete(inner, port)
    for option, value in (("--inner", inner), ("--bandwidth", port)):
        if value is not None:
            raise InvalidInput(f"{option}: {path} says what hosts are like")
    return found


def _read(path: str | PathLike[str]) -> HostTemplate | PartialHost:
    suffix = Path(path).suffix.lower()
    if suffix == ".txt":
        return read_nvidia_smi(path)
    content = read_bounded(Path(path), MOST_BYTES)
    try:
        if suffix == ".json":
            document = document_in(str(path), content)
            return host_of_infragraph(document) if "devices" in document else host_of(document)
        read = host_of_lstopo if _LSTOPO.search(content) else host_of_dump
        return read(content)
    except InvalidInput as error:
        told = str(error)
        raise InvalidInput(told if told.startswith(f"{path}: ") else f"{path}: {told}") from None
