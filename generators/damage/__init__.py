"""A fabric after failures: links and nodes gone, links slower than they were."""

from generators.damage.apply import Damage, apply_damage

__all__ = ["Damage", "apply_damage"]
