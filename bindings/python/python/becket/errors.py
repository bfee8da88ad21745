"""Exceptions. Every error of this package is a `BecketError`.

None of them is a verdict: code that catches one has no decision, and must not proceed as if there were one.
"""

from __future__ import annotations

from typing import Any, Literal

__all__ = [
    "BarrierError",
    "BecketError",
    "ConfigError",
    "EventError",
    "ExecError",
    "ForkedError",
    "HandlerError",
    "LoopError",
    "RegistrationError",
    "SessionClosed",
]


class BecketError(Exception):
    """An error of this package."""


class ConfigError(BecketError):
    """The configuration can't be loaded, or forbids the start."""

    findings: list[dict[str, Any]]
    """Its problems, as in `becket check --json`."""

    def __init__(self, message: str, findings: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.findings = findings or []


class EventError(BecketError):
    """An unknown event, or invalid fields."""


class ExecError(BecketError):
    """A program without an exit code."""

    kind: Literal["not_run", "timed_out", "lost"]
    """`not_run`: nothing was run. `timed_out`, `lost`: it was ended at its time limit or with its supervisor."""

    def __init__(self, message: str, kind: Literal["not_run", "timed_out", "lost"] = "not_run") -> None:
        super().__init__(message)
        self.kind = kind


class RegistrationError(BecketError):
    """A hook that can't be registered, or an unknown id."""


class HandlerError(BecketError):
    """An invalid answer of a handler. Hosts see it as the text of a failure."""


class LoopError(BecketError):
    """An `async` handler needs an event loop that waits for it."""


class SessionClosed(BecketError):
    """The engine is closed, or was closed during the event."""


class ForkedError(SessionClosed):
    """The engine belongs to the process that this one was forked from."""


class BarrierError(BecketError):
    """A message that would separate a tool call from its result."""


def described(error: BaseException) -> str:
    """Returns the type and the text of an exception. Never raises: some exceptions fail to make their text."""
    try:
        return f"{type(error).__name__}: {error}"
    except BaseException as second:
        return f"{type(error).__name__} (its text can't be read: `__str__` raised {type(second).__name__})"
