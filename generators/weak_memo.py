"""What a function gives for an object, kept as long as the object lives."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

Subject = TypeVar("Subject")
Result = TypeVar("Result")


def remember_weakly(function: Callable[[Subject], Result]) -> Callable[[Subject], Result]:
    """Call the function once for each object, which must not change and be alike no other.

    >>> class Sample: pass
    >>> @remember_weakly
    ... def first_seen(sample): return print("computed") or 1
    >>> sample = Sample()
    >>> first_seen(sample) + first_seen(sample)
    computed
    2
    """
    known: WeakKeyDictionary[Subject, Result] = WeakKeyDictionary()

    @wraps(function)
    def looked_up(subject: Subject) -> Result:
        if subject not in known:
            known[subject] = function(subject)
        return known[subject]

    return looked_up
