"""An independent check of throughput certificates: it shares no code with the solver."""

from topofinder.throughput_check.check import Proved, check_certificate

__all__ = ["Proved", "check_certificate"]
