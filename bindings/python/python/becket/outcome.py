"""The outcome of an event."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from becket import _becket

__all__ = ["Outcome", "Told"]


class Told(NamedTuple):
    """A text and its author."""

    source: str
    """The source of the hook."""
    label: str
    """The hook."""
    to: str
    """The reader: `user`, `model`, `both` or `log`."""
    text: str
    """The text."""


class Person(Enum):
    """The user who answers if a hook or a rule asks."""

    HERE = "here"
    """The host answers later: the session is interactive."""
    NONE = "none"
    """There is no user, unless the host finds one."""
    NEVER = "never"
    """No user may be asked: the mode is `dontAsk`."""


class Outcome:
    """The runs and decisions of an event's hooks."""

    __slots__ = ("_approved", "_data", "_person", "_raw")

    def __init__(self, raw: _becket.Outcome, person: Person = Person.NONE, approved: bool | None = None) -> None:
        self._raw = raw
        self._person = person
        self._approved = approved
        self._data: dict[str, Any] | None = None

    @property
    def _answer(self) -> bool | None:
        """The answer to an ask: the user's, or no if there is no user."""
        if self._approved is not None:
            return self._approved
        if self._raw.permission_decision == "ask" and self._person is not Person.HERE:
            return False
        return None

    @property
    def decision(self) -> Literal["proceed", "block", "wait"]:
        """The host's next step. `wait`: the user answers first, or the session is resumed; otherwise it is a `block`.

        If hooks stop the agent after the event (`stop`), it is `block`, regardless of the event's own result.
        """
        answer = self._answer
        if answer is None:
            return self._raw.decision
        return "proceed" if answer else "block"

    @property
    def result(self) -> Literal["passed", "blocked", "waits"]:
        """The result of the event itself. `waits`: the user is asked, or it waits for a resume."""
        answer = self._answer
        if answer is None:
            return self._raw.result
        return "passed" if answer else "blocked"

    @property
    def blocked(self) -> bool:
        """True if the event is blocked."""
        return self.result == "blocked"

    @property
    def permission_decision(self) -> Literal["allow", "deny", "ask", "defer"] | None:
        """The decision of hooks, permission rules and the user; None if it is undecided."""
        answer = self._answer
        if answer is None:
            return self._raw.permission_decision
        return "allow" if answer else "deny"

    @property
    def asks(self) -> bool:
        """True if an approval would let the call run, and no user has been asked yet."""
        if self._approved is not None or self._person is Person.NEVER:
            return False
        return self._raw.nobody_to_ask or (self._raw.permission_decision, self._raw.decision) == ("ask", "wait")

    def answered(self, approved: bool) -> Outcome:
        """Returns the same outcome with the user's answer: only `True` approves, and only if `asks`."""
        return Outcome(self._raw, self._person, approved is True) if self.asks else self

    @property
    def reason(self) -> str | None:
        """The reason."""
        return self._raw.reason

    @property
    def additional_context(self) -> list[str]:
        """For the model, in order."""
        return [told["text"] for told in self._verdict["context"]]

    @property
    def updated_input(self) -> dict[str, Any] | None:
        """The input for the tool, if a hook has rewritten it."""
        found: dict[str, Any] | None = self._fields.get("updatedInput")
        return found

    @property
    def system_messages(self) -> list[str]:
        """For the user, in order."""
        return [told["text"] for told in self._verdict["messages"]]

    @property
    def stop(self) -> bool:
        """True if the agent stops after this event."""
        return self._verdict["stop"] is not None

    @property
    def stop_reason(self) -> str | None:
        """The reason of the stop, for the user."""
        stop: dict[str, str | None] | None = self._verdict["stop"]
        return None if stop is None else stop["reason"]

    @property
    def failures(self) -> list[Told]:
        """The failures of hooks. One that begins with `not checked` let the action pass unchecked, or blocked it."""
        return [Told(**told) for told in self._verdict["failures"]]

    def to_dict(self) -> dict[str, Any]:
        """The whole outcome, as `becket fire --json` prints it; without the user's answer."""
        return self._raw.to_dict()

    @property
    def _verdict(self) -> dict[str, Any]:
        if self._data is None:
            self._data = self._raw.to_dict()
        verdict: dict[str, Any] = self._data["verdict"]
        return verdict

    @property
    def _fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = self._verdict["fields"]
        return fields

    def __repr__(self) -> str:
        return f"Outcome(result={self.result!r}, reason={self.reason!r})"
