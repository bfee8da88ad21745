"""The state of an engine's handlers. Only the engine holds it, so it is dropped with the engine."""

from __future__ import annotations

import asyncio
import weakref
from typing import TYPE_CHECKING

from becket._calls import Abandoned
from becket._tasks import LEAVES_TASKS

if TYPE_CHECKING:
    from becket._handlers import Handler

# The number of finished tasks that may wait for the loop iteration in which they end.
_MOST_AT_ONCE = 64


class Registry:
    """Handlers by id, and the loop of coroutines."""

    __slots__ = ("__weakref__", "_at_once", "_home", "abandoned", "handlers")

    def __init__(self) -> None:
        self.handlers: dict[str, Handler] = {}
        self.abandoned = Abandoned()
        self._at_once = 0
        self._home: weakref.ref[asyncio.AbstractEventLoop] | None = None

    def home_loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop on which the engine was first awaited, as long as it lives."""
        loop = None if self._home is None else self._home()
        return None if loop is None or loop.is_closed() else loop

    def awaited_on(self, loop: asyncio.AbstractEventLoop) -> None:
        """Records that the engine is awaited on this loop."""
        home = None if self._home is None else self._home()
        if home is not loop and (home is None or home.is_closed()):
            self._home = weakref.ref(loop)

    def wants_turn(self) -> bool:
        """Returns whether a loop should run one iteration after an event that finished at once."""
        if not LEAVES_TASKS:
            return False
        self._at_once = (self._at_once + 1) % _MOST_AT_ONCE
        return self._at_once == 0
