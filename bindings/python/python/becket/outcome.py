"""What an event came to."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from becket import _becket

__all__ = ["Outcome", "Told"]


class Told(NamedTuple):
    """A text and who said it."""

    source: str
    """Whose hook."""
    label: str
    """Which hook."""
    to: str
    """Who reads it: `user`, `model`, `both` or `log`."""
    text: str
    """What it says."""


class Person(Enum):
    """Who answers where a hook or a rule asks."""

    HERE = "here"
    """The host, later: the session is interactive."""
    NONE = "none"
    """Nobody, unless the host has somebody all the same."""
    NEVER = "never"
    """Nobody may be asked: the mode is `dontAsk`."""


class Outcome:
    """What the hooks of an event did and decided."""

    __slots__ = ("_approved", "_data", "_person", "_raw")

    def __init__(self, raw: _becket.Outcome, person: Person = Person.NONE, approved: bool | None = None) -> None:
        self._raw = raw
        self._person = person
        self._approved = approved
        self._data: dict[str, Any] | None = None

    @property
    def _answer(self) -> bool | None:
        """What becomes of a call that is asked about: the person's answer, or no, where nobody can be asked."""
        if self._approved is not None:
            return self._approved
        if self._raw.permission_decision == "ask" and self._person is not Person.HERE:
            return False
        return None

    @property
    def decision(self) -> Literal["proceed", "block", "wait"]:
        """What the host does next. `wait`: a person answers first, or the session is resumed; else it is a `block`.

        If hooks stop the agent after the event (`stop`), it is `block`, whatever became of the event itself.
        """
        answer = self._answer
        if answer is None:
            return self._raw.decision
        return "proceed" if answer else "block"

    @property
    def result(self) -> Literal["passed", "blocked", "waits"]:
        """What becomes of the event itself. `waits`: a person is asked, or it waits for a resume."""
        answer = self._answer
        if answer is None:
            return self._raw.result
        return "passed" if answer else "blocked"

    @property
    def blocked(self) -> bool:
        """Whether it is held back."""
        return self.result == "blocked"

    @property
    def permission_decision(self) -> Literal["allow", "deny", "ask", "defer"] | None:
        """What hooks, permission rules and the person who was asked come to; None where nobody has decided."""
        answer = self._answer
        if answer is None:
            return self._raw.permission_decision
        return "allow" if answer else "deny"

    @property
    def asks(self) -> bool:
        """Whether a person's yes would let the call run, and nobody has been asked yet."""
        if self._approved is not None or self._person is Person.NEVER:
            return False
        return self._raw.nobody_to_ask or (self._raw.permission_decision, self._raw.decision) == ("ask", "wait")

    def answered(self, approved: bool) -> Outcome:
        """Returns the same outcome with the person's answer: only `True` approves, and only what `asks`."""
        return Outcome(self._raw, self._person, approved is True) if self.asks else self

    @property
    def reason(self) -> str | None:
        """Why."""
        return self._raw.reason

    @property
    def additional_context(self) -> list[str]:
        """For the model, in order."""
        return [told["text"] for told in self._verdict["context"]]

    @property
    def updated_input(self) -> dict[str, Any] | None:
        """What the tool is to run with, where a hook has rewritten it."""
        found: dict[str, Any] | None = self._fields.get("updatedInput")
        return found

    @property
    def system_messages(self) -> list[str]:
        """For the user, in order."""
        return [told["text"] for told in self._verdict["messages"]]

    @property
    def stop(self) -> bool:
        """Whether the agent stops after this event."""
        return self._verdict["stop"] is not None

    @property
    def stop_reason(self) -> str | None:
        """Why it stops, for the user."""
        stop: dict[str, str | None] | None = self._verdict["stop"]
        return None if stop is None else stop["reason"]

    @property
    def failures(self) -> list[Told]:
        """What went wrong in hooks. A failure that begins with `not checked` let something pass unchecked, or blocked it."""
        return [Told(**told) for told in self._verdict["failures"]]

    def to_dict(self) -> dict[str, Any]:
        """All of it, as `becket fire --json` prints it; a person's answer is not in it."""
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
