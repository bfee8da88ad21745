"""The caller of an event: the loop on which `async` handlers run, and the context variables that handlers see."""

from __future__ import annotations

import asyncio
import contextvars
import os
import threading

from becket.errors import LoopError

# Loops that can't run anything now, since their thread is waiting for an event.
_held: set[int] = set()


class Around:
    """The context that a firing passes to its handlers."""

    __slots__ = ("context", "error", "loop", "thread_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop | None, thread_loop: asyncio.AbstractEventLoop | None) -> None:
        self.loop = loop
        """The loop that awaits the event."""
        self.thread_loop = thread_loop
        """The loop of the thread that waits for it without awaiting."""
        self.context = contextvars.copy_context()
        self.error: BaseException | None = None
        """The reason why there is no outcome; takes precedence over the engine's result."""

    def loop_for_handler(self, home: asyncio.AbstractEventLoop | None) -> asyncio.AbstractEventLoop:
        """Returns the loop of an `async` handler: the awaiting one, else the engine's own, else one of this package."""
        if self.loop is not None:
            return self.loop
        if self.thread_loop is not None:
            self.error = LoopError(
                "an `async` handler would need the loop of this thread, which waits for it: use `await run_event(...)`"
            )
            raise self.error
        if home is None or home.is_closed() or not home.is_running():
            return private_loop()
        if id(home) in _held:
            self.error = LoopError(
                "an `async` handler would need a loop that waits in `run_event_sync`: use `await run_event(...)` there"
            )
            raise self.error
        return home


class Held:
    """Marks a loop's thread as waiting."""

    __slots__ = ("loop",)

    def __init__(self, loop: asyncio.AbstractEventLoop | None) -> None:
        self.loop = loop

    def __enter__(self) -> None:
        if self.loop is not None:
            _held.add(id(self.loop))

    def __exit__(self, *_: object) -> None:
        if self.loop is not None:
            _held.discard(id(self.loop))


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Returns the loop of this thread."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


_private: asyncio.AbstractEventLoop | None = None
_making = threading.Lock()


def private_loop() -> asyncio.AbstractEventLoop:
    """Returns a loop on a thread of this package, for hosts without one."""
    global _private
    with _making:
        if _private is None:
            _private = asyncio.new_event_loop()
            threading.Thread(target=_run, args=(_private,), name="becket-loop", daemon=True).start()
        return _private


def _run(loop: asyncio.AbstractEventLoop) -> None:
    """Runs a loop that outlives its tasks: those that end a program end here only their own call."""
    while not loop.is_closed():
        try:
            loop.run_forever()
        except (KeyboardInterrupt, SystemExit):
            continue


def _forked() -> None:
    global _private, _making
    _private, _making = None, threading.Lock()
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
