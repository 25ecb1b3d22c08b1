"""What a certificate's pairs ask for, in whole units."""

import numpy as np

from generators.topology import Int64Array
from topofinder.model.certificate import Certificate


def least(certificate: Certificate, source: int) -> Int64Array:
    """What each node certainly asks from a source; shape (n,)."""
    if certificate.demand is None:
        return _hosts(certificate, source)
    return _alone(certificate.demand.low[source], source)


def most(certificate: Certificate, source: int) -> Int64Array:
    """What each node may ask from a source; shape (n,)."""
    if certificate.demand is None:
        return _hosts(certificate, source)
    return _alone(certificate.demand.high[source], source)


def _hosts(certificate: Certificate, source: int) -> Int64Array:
    asked = np.ones(certificate.topology.n, dtype=np.int64)
    asked[list(certificate.topology.switches)] = 0
    if source in certificate.topology.switches:
        asked[:] = 0
    return _alone(asked, source)


def _alone(asked: Int64Array, source: int) -> Int64Array:
    """Nobody asks anything from itself."""
    found = asked.copy()
    found[source] = 0
    return found
