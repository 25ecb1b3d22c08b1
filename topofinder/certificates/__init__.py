"""Certificates of throughputs in files: what proves both ends of an interval."""

from topofinder.certificates.by_suffix import (
    is_certificate,
    read_certificate,
    write_certificate,
)
from topofinder.certificates.certificate import Certificate, Demanded, Lifted

__all__ = [
    "Certificate",
    "Demanded",
    "Lifted",
    "is_certificate",
    "read_certificate",
    "write_certificate",
]
