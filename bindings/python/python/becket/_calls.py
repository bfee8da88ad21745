"""One call of a handler: started by the engine, answered once, cancelled at its limit.

Both kinds return at once. A plain function runs on a thread of this package, and is abandoned if it is late, since a
thread can't be ended. A coroutine runs on a loop, and is cancelled if it is late.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import threading
import traceback
from typing import TYPE_CHECKING, Any

from becket._results import block_of, readable, wire
from becket._tasks import begin
from becket._workers import submit
from becket.errors import HandlerError, described

if TYPE_CHECKING:
    from becket._around import Around
    from becket._becket import Reply
    from becket._handlers import Handler

_log = logging.getLogger("becket")

# The maximum number of abandoned threads that have not returned; beyond it, none is started.
MOST_ABANDONED = 128


class Abandoned:
    """Counts the threads of an engine that are no longer awaited."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.number = 0


class Call:
    """The base of both kinds of calls."""

    __slots__ = ("context", "handler", "input", "is_over", "reply")

    def __init__(self, handler: Handler, fields: dict[str, Any], around: Around | None, reply: Reply) -> None:
        self.handler = handler
        self.input = handler.input(fields)
        self.context = contextvars.Context() if around is None else around.context.copy()
        self.reply = reply
        self.is_over = False

    def answer(self, answer: object) -> None:
        """Passes an answer on; an invalid one fails the call. A block counts even if other fields are invalid."""
        try:
            self.reply.answer(wire(self.handler.event, answer))
        except Exception as error:
            self._answer_in_part(answer, error)

    def _answer_in_part(self, answer: object, error: Exception) -> None:
        event, place = self.handler.event, self.handler.place
        try:
            said = wire(event, answer)
            self.reply.answer(None if said is None else readable(said))
        except Exception:
            self.reply.fail(f"{place}: {_text(error)}", block_of(event, answer))

    def failed(self, error: BaseException) -> None:
        """Describes an exception and its place."""
        try:
            log_raised(f"the hook {self.handler.place}", error)
        finally:
            # Without an answer, the event would wait for the limit of the hook.
            self.reply.fail(f"{self.handler.place} raised {_said(error)}")


def log_raised(who: str, error: BaseException) -> None:
    """Logs the whole traceback. A log handler that fails is reported to stderr, and changes nothing for the event."""
    try:
        _log.warning("%s raised", who, exc_info=error)
    except Exception:
        with contextlib.suppress(Exception):
            traceback.print_exc()


def _said(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1:]
    where = f" at {last[0].filename}:{last[0].lineno}" if last else ""
    return f"{described(error)}{where}"


def _text(error: Exception) -> str:
    return str(error) if isinstance(error, HandlerError) else described(error)


class SyncCall(Call):
    """A plain function, on a thread of this package."""

    __slots__ = ("abandoned", "is_left")

    def begin(self, abandoned: Abandoned) -> object:
        """Starts it; returns a function that cancels it."""
        if abandoned.number >= MOST_ABANDONED:
            raise HandlerError(f"it was not called: {MOST_ABANDONED} earlier calls of plain functions never came back")
        self.abandoned = abandoned
        self.is_left = False
        submit(self.run)
        return self.withdraw

    def run(self) -> None:
        if self.is_left:
            self._back()
            return
        try:
            self._call()
        finally:
            self._back()

    def _call(self) -> None:
        try:
            answer = self.context.run(self.handler.function, self.input)
        except BaseException as error:
            self.failed(error)
        else:
            self.answer(answer)

    def _back(self) -> None:
        with self.abandoned.lock:
            self.is_over = True
            self.abandoned.number -= self.is_left

    def withdraw(self) -> None:
        with self.abandoned.lock:
            if not self.is_over:
                self.is_left = True
                self.abandoned.number += 1


# A loop holds its tasks weakly.
_under_way: set[AsyncCall] = set()


class AsyncCall(Call):
    """A coroutine, on a loop."""

    __slots__ = ("__weakref__", "around", "is_starting", "loop", "task")

    def begin(self, around: Around, loop: asyncio.AbstractEventLoop, on_this_thread: bool) -> object:
        """Starts it; returns a function that cancels it, or None if it has already answered."""
        self.around = around
        self.loop = loop
        self.is_starting = False
        self.task: asyncio.Task[None] | None = None
        if on_this_thread:
            self.start()
            return None if self.is_over else self.withdraw
        loop.call_soon_threadsafe(self.start)
        return self.withdraw

    def start(self) -> None:
        if self.is_over:
            return
        self.is_starting = True
        try:
            self.task, is_over = begin(self._run(), self.loop, self.context, self.handler.place)
        except BaseException as error:
            self.is_over = True
            self._ends(error)
            self.failed(error)
            return
        finally:
            self.is_starting = False
        if is_over:
            self._over(self.task)
        else:
            _under_way.add(self)
            self.task.add_done_callback(self._done)

    async def _run(self) -> None:
        """Answers from within the task: its callbacks run one iteration of the loop later."""
        try:
            answer = await self.handler.function(self.input)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            self.failed(error)
        except BaseException as error:
            is_heard = self._ends(error)
            self.failed(error)
            if not is_heard:
                raise
        else:
            self.answer(answer)

    def _ends(self, error: BaseException) -> bool:
        """Returns whether the exception ends a program: a loop would raise it out of its run, and so does the awaiter."""
        is_heard = self.is_starting and isinstance(error, (KeyboardInterrupt, SystemExit))
        if is_heard:
            self.around.error = error
        return is_heard

    def _done(self, task: asyncio.Task[None]) -> None:
        _under_way.discard(self)
        self._over(task)

    def _over(self, task: asyncio.Task[None]) -> None:
        self.is_over = True
        if task.cancelled():
            self.reply.fail(f"{self.handler.place} was cancelled")

    def withdraw(self) -> None:
        try:
            self.loop.call_soon_threadsafe(self._cancel)
        except RuntimeError:
            pass  # Its loop is closed, and the task with it.

    def _cancel(self) -> None:
        self.is_over = True
        if self.task is not None:
            self.task.cancel()
