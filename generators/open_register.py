"""A register of specs by name, to which others may add: families, expansions, methods and more.

Each spec is entered in the file that implements it. What comes with topofinder and what plugins
enter is imported when the register is first asked, for it may ask the register in turn.
"""

from collections.abc import Callable, ItemsView, Iterator, MutableMapping, ValuesView
from importlib import import_module
from threading import RLock
from typing import Generic, TypeVar

from generators.errors import InvalidInput
from generators.plugins import PLUGINS

Spec = TypeVar("Spec")


class Register(MutableMapping[str, Spec], Generic[Spec]):
    """Specs by name, in the order of their places and, where these are equal, of their names.

    The order in which modules were imported leaves no trace. `modules` are those that enter what
    comes with topofinder; `place` tells the place of a spec, the same for all unless it is given.

    >>> colours: Register[int] = Register("colour")
    >>> colours.enter("red", 0xFF0000), colours.enter("blue", 0xFF), list(colours)
    (16711680, 255, ['blue', 'red'])
    """

    def __init__(
        self,
        kind: str,
        modules: tuple[str, ...] = (),
        place: Callable[[Spec], int] = lambda spec: 0,
    ) -> None:
        self.kind = kind
        self._modules = modules
        self._place = place
        self._specs: dict[str, Spec] = {}
        self._is_importing = self._is_filled = False
        self._lock = RLock()

    def enter(self, name: str, spec: Spec) -> Spec:
        """Enter a spec, and give it back. Raises InvalidInput for a name that is taken."""
        if self.is_taken(name):
            raise InvalidInput(f"{self.kind} {name!r} is registered already")
        self._insert(name, spec)
        return spec

    def is_taken(self, name: str) -> bool:
        """Whether a name is entered so far, and nothing imported for it, but for plugins.

        What comes with topofinder is imported before a plugin enters a name, so that the plugin is
        told of a name that is taken, not its owner.
        """
        if PLUGINS.is_loading:
            self._import_own()
        return name in self._specs

    def specs_entered(self) -> tuple[Spec, ...]:
        """What is entered so far, and nothing imported for it: for checks of what is entered."""
        return tuple(self._specs.values())

    def __getitem__(self, name: str) -> Spec:
        self._fill()
        return self._specs[name]

    def __iter__(self) -> Iterator[str]:
        self._fill()
        return iter(self._specs)

    def __len__(self) -> int:
        self._fill()
        return len(self._specs)

    def items(self) -> ItemsView[str, Spec]:
        """Names and specs, as they are now: a mapping's own way looks up every name."""
        self._fill()
        return self._specs.items()

    def values(self) -> ValuesView[Spec]:
        """The specs, as they are now."""
        self._fill()
        return self._specs.values()

    def __setitem__(self, name: str, spec: Spec) -> None:
        self._fill()
        self._insert(name, spec)

    def _insert(self, name: str, spec: Spec) -> None:
        """Put a spec in its place, in a new mapping: what iterates over the old one goes on."""
        specs = {**self._specs, name: spec}
        self._specs = dict(sorted(specs.items(), key=lambda one: (self._place(one[1]), one[0])))

    def __delitem__(self, name: str) -> None:
        self._fill()
        del self._specs[name]

    def _fill(self) -> None:
        if not self._is_filled:
            self._import_own()
            PLUGINS.load()
            self._is_filled = not PLUGINS.is_loading

    def _import_own(self) -> None:
        with self._lock:
            if self._is_importing:  # what is imported sees what is entered so far
                return
            self._is_importing = True
            try:
                for module in self._modules:
                    import_module(module)
            except BaseException:
                self._is_importing = False
                raise
