"""What an event came to."""

from __future__ import annotations

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


class Outcome:
    """What the hooks of an event did and decided."""

    __slots__ = ("_data", "_raw")

    def __init__(self, raw: _becket.Outcome) -> None:
        self._raw = raw
        self._data: dict[str, Any] | None = None

    @property
    def result(self) -> Literal["passed", "blocked", "waits"]:
        """What becomes of what the event is about. `waits`: a person is asked, or it waits for a resume."""
        return self._raw.result

    @property
    def blocked(self) -> bool:
        """Whether it is held back."""
        return self._raw.result == "blocked"

    @property
    def permission_decision(self) -> Literal["allow", "deny", "ask", "defer"] | None:
        """What hooks and permission rules come to, on tool calls; None where neither has decided."""
        return self._raw.permission_decision

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
        """All of it, as `becket fire --json` prints it."""
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
