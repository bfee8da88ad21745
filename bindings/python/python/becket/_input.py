"""The base of all inputs of hooks."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeVar

Input = TypeVar("Input", bound="HookInput")


@dataclass(kw_only=True, slots=True)
class HookInput:
    """The input of a hook. Fields that the session knows may be left out of an event: it fills them in."""

    hook_event_name: ClassVar[str] = ""
    """The event."""

    session_id: str | None = None
    """The id of the session."""
    transcript_path: str | None = None
    """The file of the conversation, as JSON lines."""
    cwd: str | None = None
    """The session's working directory."""
    prompt_id: str | None = None
    """The id of the current prompt; absent before the first."""
    agent_id: str | None = None
    """The id of the subagent, inside one."""
    agent_type: str | None = None
    """The agent's name, inside a subagent or a named main agent."""
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
    """Further fields of the host (protocol N5)."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the fields as a hook reads them, without absent ones."""
        given = {name: getattr(self, name) for name in _names(type(self))}
        known = {name: value for name, value in given.items() if value is not None}
        return {**known, "hook_event_name": self.hook_event_name, **self.extra}

    @classmethod
    def from_dict(cls: type[Input], given: dict[str, Any]) -> Input:
        """Reads the fields of a hook's input. Unknown fields go to `extra`."""
        return of_fields(cls, dict(given))


def of_fields(kind: type[Input], fields: dict[str, Any]) -> Input:
    """Returns the input, and takes ownership of the fields."""
    fields.pop("hook_event_name", None)
    if "extra" not in fields:
        fields["extra"] = {}
        try:
            return kind(**fields)
        except TypeError:
            del fields["extra"]
    others = fields.keys() - _names(kind)
    return kind(extra={name: fields.pop(name) for name in others}, **fields)


_known: dict[type[object], frozenset[str]] = {}


def _names(kind: type[HookInput]) -> frozenset[str]:
    names = _known.get(kind)
    if names is None:
        names = _known[kind] = frozenset(own.name for own in fields(kind)) - {"extra"}
    return names
