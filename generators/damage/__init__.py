"""A fabric after failures: links and nodes gone, links slower than they were."""

from generators.damage.apply import Damage, damaged

__all__ = ["Damage", "damaged"]
