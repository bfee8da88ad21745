"""What an engine keeps for its handlers. The engine alone holds it: with the engine it goes."""

from __future__ import annotations

import asyncio
import weakref
from typing import TYPE_CHECKING

from becket._calls import Abandoned

if TYPE_CHECKING:
    from becket._handlers import Handler


class Registry:
    """Handlers by their ids, and where coroutines run."""

    __slots__ = ("__weakref__", "_home", "abandoned", "handlers")

    def __init__(self) -> None:
        self.handlers: dict[str, Handler] = {}
        self.abandoned = Abandoned()
        self._home: weakref.ref[asyncio.AbstractEventLoop] | None = None

    def home_loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop on which the engine was first awaited, as long as it lives."""
        loop = None if self._home is None else self._home()
        return None if loop is None or loop.is_closed() else loop

    def awaited_on(self, loop: asyncio.AbstractEventLoop) -> None:
        """The engine is awaited on this loop."""
        home = None if self._home is None else self._home()
        if home is not loop and (home is None or home.is_closed()):
            self._home = weakref.ref(loop)
