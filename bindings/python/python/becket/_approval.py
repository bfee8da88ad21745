"""Approval of the tool calls that hooks and rules ask about, by the host's user (protocol D3).

INVARIANT: only `True` approves. A callback that raises, is late or answers anything else denies the call.
"""

from __future__ import annotations

import asyncio
import contextvars
import copy
import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Union, cast

from becket._around import Around, private_loop
from becket._calls import log_raised
from becket._handlers import is_async
from becket._workers import submit
from becket.errors import ConfigError

__all__ = [
    "APPROVAL_TIMEOUT",
    "ToolApproval",
    "ToolApprovalCallback",
    "approval_timeout",
    "approved",
    "approved_sync",
    "checked",
]

_log = logging.getLogger("becket")

APPROVAL_TIMEOUT = 600.0
"""The default time limit of an approval, in seconds."""


@dataclass(frozen=True, slots=True)
class ToolApproval:
    """A tool call that waits for the user's approval."""

    tool_name: str
    """The tool."""
    tool_input: dict[str, Any]
    """A copy of the input that the tool would run with: a hook's rewrite if there is one."""
    tool_use_id: str
    """The id of the call."""
    reason: str | None
    """The hook or rule that asks, and its reason."""

    @staticmethod
    def of(name: str, given: dict[str, Any], call_id: str, rewrite: dict[str, Any] | None, reason: str | None) -> ToolApproval:
        """Describes a call. The callback gets a copy of the input, so that it can't change the one that was checked."""
        return ToolApproval(name, copy.deepcopy(given if rewrite is None else rewrite), call_id, reason)


ToolApprovalCallback = Callable[[ToolApproval], Union[bool, Awaitable[bool]]]


def checked(ask: ToolApprovalCallback | None) -> ToolApprovalCallback | None:
    """Returns the callback. Raises `ConfigError` if it can't be called."""
    if ask is not None and not callable(cast(Any, ask)):
        raise ConfigError(f"`tool_approval_callback` is of type `{type(ask).__name__}`, which can't be called")
    return ask


def approval_timeout(seconds: float | None) -> float | None:
    """Returns the limit of a callback in seconds. Raises `ConfigError` if it is not above 0."""
    given: Any = seconds
    is_number = isinstance(given, (int, float)) and not isinstance(given, bool)
    if given is None or (is_number and given > 0):
        return seconds
    raise ConfigError("`tool_approval_timeout` must be a number of seconds above 0, or None to wait without a limit")


async def approved(ask: ToolApprovalCallback, call: ToolApproval, timeout: float | None) -> bool:
    """Returns whether the user approves the call.

    Raises the `KeyboardInterrupt` or `SystemExit` of the callback: there is no answer, and the program ends.
    """
    return _raised(await _answered(ask, call, timeout))


def approved_sync(
    ask: ToolApprovalCallback, call: ToolApproval, timeout: float | None, around: Around, home: asyncio.AbstractEventLoop | None
) -> bool:
    """Does the same on a thread that waits. Raises `LoopError` if a coroutine would need the loop of this thread."""
    loop = around.loop_for_handler(home) if is_async(ask) else private_loop()
    context = contextvars.copy_context()

    async def begin() -> _Answer:
        # A task of the caller's context, as for handlers.
        return await context.run(asyncio.ensure_future, _answered(ask, call, timeout))

    waiting = asyncio.run_coroutine_threadsafe(begin(), loop)
    try:
        return _raised(waiting.result())
    finally:
        waiting.cancel()


class _Answer(NamedTuple):
    """Returns the answer or the exception of a callback. No exception leaves its task: some would end the loop."""

    value: Any
    error: BaseException | None = None


def _raised(answer: _Answer) -> bool:
    if isinstance(answer.error, (KeyboardInterrupt, SystemExit)):
        raise answer.error
    return answer.error is None and answer.value is True


async def _answered(ask: ToolApprovalCallback, call: ToolApproval, timeout: float | None) -> _Answer:
    """Returns the answer within the limit. A late callback is cancelled if it is a coroutine, otherwise abandoned."""
    task = asyncio.get_running_loop().create_task(_called(ask, call))
    try:
        # Unlike `wait_for`, it does not wait for a callback that ignores its cancellation.
        await asyncio.wait({task}, timeout=timeout)
        if not task.done():
            _log.warning("`tool_approval_callback` gave no answer within %s s: the call is denied", timeout)
            return _Answer(False)
    finally:
        task.cancel()
    answer = _Answer(None, asyncio.CancelledError("it was cancelled")) if task.cancelled() else task.result()
    if answer.error is not None:
        log_raised("`tool_approval_callback`", answer.error)
    return answer


async def _called(ask: ToolApprovalCallback, call: ToolApproval) -> _Answer:
    try:
        answer = _Answer(ask(call)) if is_async(ask) else await _on_a_thread(ask, call)
        return _Answer(await answer.value) if inspect.isawaitable(answer.value) else answer
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        return _Answer(None, error)


async def _on_a_thread(ask: ToolApprovalCallback, call: ToolApproval) -> _Answer:
    """Returns the answer of a plain function, run on a separate thread. One that never returns blocks nothing else."""
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[_Answer] = loop.create_future()
    context = contextvars.copy_context()

    def settle(answer: _Answer) -> None:
        if not answered.done():
            answered.set_result(answer)

    def run() -> None:
        try:
            answer = _Answer(context.run(ask, call))
        except BaseException as error:
            answer = _Answer(None, error)
        try:
            loop.call_soon_threadsafe(settle, answer)
        except RuntimeError:
            pass  # The loop is closed, and nothing waits.

    submit(run)
    return await answered
