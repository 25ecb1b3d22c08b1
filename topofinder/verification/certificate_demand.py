"""What a certificate's pairs ask for, in whole units."""

import numpy as np
from numpy.typing import NDArray

from topofinder.model.certificate import Certificate

Integers = NDArray[np.int64]


def least(certificate: Certificate, source: int) -> Integers:
    """What each node certainly asks from a source; shape (n,)."""
    if certificate.demand is None:
        return _hosts(certificate, source)
    return _alone(certificate.demand.low[source], source)


def most(certificate: Certificate, source: int) -> Integers:
    """What each node may ask from a source; shape (n,)."""
    if certificate.demand is None:
        return _hosts(certificate, source)
    return _alone(certificate.demand.high[source], source)


def _hosts(certificate: Certificate, source: int) -> Integers:
    asked = np.ones(certificate.topology.n, dtype=np.int64)
    asked[list(certificate.topology.switches)] = 0
    if source in certificate.topology.switches:
        asked[:] = 0
    return _alone(asked, source)


def _alone(asked: Integers, source: int) -> Integers:
    """Nobody asks anything from itself."""
    found = asked.copy()
    found[source] = 0
    return found
