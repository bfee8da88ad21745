"""Results of the engine, as futures of a loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from becket._around import running_loop
from becket._ends import ends_of

if TYPE_CHECKING:
    from becket import _becket


def future_of(started: _becket.PendingOutcome, loop: asyncio.AbstractEventLoop) -> asyncio.Future[Any]:
    """Returns the result of a firing or a program, for this thread's loop."""
    future: asyncio.Future[Any] = loop.create_future()

    def done(result: object, error: BaseException | None) -> None:
        if running_loop() is loop:
            _settle(future, result, error)
            return
        try:
            loop.call_soon_threadsafe(_settle, future, result, error)
        except RuntimeError:
            pass  # The loop is closed, and nothing waits.

    started.go_on(done, ends_of(loop))
    return future


def _settle(future: asyncio.Future[Any], result: object, error: BaseException | None) -> None:
    if future.done():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)
