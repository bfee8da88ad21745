"""Tasks that start at once, without an iteration of the loop."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from contextvars import Context
from typing import Any

#: Whether a task whose coroutine is over ends with the loop's next turn only.
LEAVES_TASKS = (3, 11) <= sys.version_info < (3, 12)


def begin(
    coroutine: Coroutine[Any, Any, None], loop: asyncio.AbstractEventLoop, context: Context, name: str
) -> tuple[asyncio.Task[None], bool]:
    """Starts a task of this thread's loop; also returns whether its coroutine has finished already.

    From within a task it starts at once (from Python 3.11 on), otherwise in the loop's next iteration.
    """
    around = asyncio.current_task(loop)
    if around is not None:
        if sys.version_info >= (3, 12):
            task = asyncio.Task(coroutine, loop=loop, context=context, name=name, eager_start=True)
            return task, task.done()
        if sys.version_info >= (3, 11):
            begun = _Begun(coroutine)
            task = asyncio.Task(begun, loop=loop, context=context, name=name)
            begun.begin(loop, context, around, task)
            return task, begun.is_over
    return context.run(loop.create_task, coroutine, name=name), False


class _Begun(Coroutine[Any, Any, None]):
    """A coroutine that has taken its first step as its task, which no task can do in Python 3.11.

    Its task takes its own first step a turn later, and meets what the coroutine came to then.
    """

    __slots__ = ("_coroutine", "_is_future", "_is_new", "_raised", "_waits_for", "is_over")

    def __init__(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self._coroutine: Any = coroutine
        self._is_new = True
        self._raised: BaseException | None = None
        self._waits_for: Any = None
        self._is_future = False
        self.is_over = False

    def begin(
        self,
        loop: asyncio.AbstractEventLoop,
        context: Context,
        around: asyncio.Task[Any],
        task: asyncio.Task[None],
    ) -> None:
        """Takes the first step, as `task`, within another one."""
        asyncio.tasks._leave_task(loop, around)
        asyncio.tasks._enter_task(loop, task)
        try:
            waits_for: Any = context.run(self._coroutine.send, None)
            # If it were marked as awaited from here on, nothing else could await it until the task's own step.
            if getattr(waits_for, "_asyncio_future_blocking", None):
                waits_for._asyncio_future_blocking = False
                self._is_future = True
            self._waits_for = waits_for
        except StopIteration:
            self.is_over = True
        except BaseException as raised:
            self._raised = raised
        finally:
            asyncio.tasks._leave_task(loop, task)
            asyncio.tasks._enter_task(loop, around)

    def send(self, value: Any, /) -> Any:
        if not self._is_new:
            return self._coroutine.send(value)
        self._is_new = False
        self._end()
        return self._awaited()

    def throw(self, *error: Any) -> Any:
        """Cancels what the coroutine waits for if the task is cancelled before its own first step, as at any later one."""
        is_new, self._is_new = self._is_new, False
        self._end()
        if is_new and self._is_future and self._waits_for.cancel():
            return self._awaited()
        return self._coroutine.throw(*error)

    def _awaited(self) -> Any:
        """Returns the awaitable of the first step, as its task expects it."""
        waits_for, self._waits_for = self._waits_for, None
        if self._is_future:
            waits_for._asyncio_future_blocking = True
        return waits_for

    def _end(self) -> None:
        """Raises the result of the first step, if that was the last one."""
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised
        if self.is_over:
            raise StopIteration

    def close(self) -> None:
        self._coroutine.close()

    def __await__(self) -> Any:
        raise NotImplementedError

    # For introspection of the task.

    @property
    def cr_code(self) -> Any:
        return self._coroutine.cr_code

    @property
    def cr_frame(self) -> Any:
        return self._coroutine.cr_frame

    @property
    def cr_running(self) -> Any:
        return self._coroutine.cr_running

    @property
    def cr_await(self) -> Any:
        return self._coroutine.cr_await
