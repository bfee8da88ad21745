"""The questions of hooks to the host's user (protocol Q1)."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

from becket._around import Around
from becket._becket import Reply
from becket._calls import log_raised
from becket._handlers import is_async
from becket._workers import submit

if TYPE_CHECKING:
    from becket._registry import Registry

__all__ = ["AskUser", "Choice", "Question", "asking"]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the answers that a question offers."""

    key: str
    """The key that is returned."""
    label: str
    """The label for the user."""
    description: str | None
    """A further description."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a hook to the user."""

    id: str
    """The hook's own name for the question."""
    message: str
    """The text of the question."""
    options: tuple[Choice, ...]
    """The possible answers."""
    asked_by: str
    """The hook that asks."""


AskUser = Callable[[Question], Union[str, None, Awaitable[Union[str, None]]]]


def asking(ask: AskUser, registry: weakref.ref[Registry]) -> Callable[[dict[str, Any], Around | None, Reply], object]:
    """Returns the function that the engine calls with a question. An answer that is not a key selects nothing."""

    def begin(fields: dict[str, Any], around: Around | None, reply: Reply) -> object:
        options = tuple(Choice(**option) for option in fields.pop("options"))
        question = Question(options=options, **fields)
        if not is_async(ask):
            submit(lambda: _answer_sync(ask, question, reply))
            return None
        held = registry()
        home = None if held is None else held.home_loop()
        loop = (around or Around(None, None)).loop_for_handler(home)
        task: list[asyncio.Task[None]] = []
        loop.call_soon_threadsafe(lambda: task.append(loop.create_task(_answer(ask, question, reply))))
        return lambda: loop.call_soon_threadsafe(lambda: [one.cancel() for one in task])

    return begin


def _answer_sync(ask: AskUser, question: Question, reply: Reply) -> None:
    try:
        reply.answer({"selected": ask(question)})
    except BaseException as error:
        log_raised("`ask_user`", error)
        reply.answer(None)


async def _answer(ask: AskUser, question: Question, reply: Reply) -> None:
    try:
        answer: Any = ask(question)
        reply.answer({"selected": await answer})
    except Exception as error:
        log_raised("`ask_user`", error)
        reply.answer(None)
