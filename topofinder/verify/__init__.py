"""An independent replay of schedules: it shares no code with whatever made them."""

from topofinder.verify.check import verify
from topofinder.verify.translated import verify_translated
from topofinder.verify.verdict import Verdict

__all__ = ["Verdict", "verify", "verify_translated"]
