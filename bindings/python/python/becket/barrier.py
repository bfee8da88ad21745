"""The tool barrier (protocol L2), for hosts that keep their own conversation.

Between an assistant message with tool calls and the last of their results nothing else may enter the conversation. What hooks
say for the model waits here until then.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from becket.errors import BarrierError
from becket.outcome import Outcome

__all__ = ["ToolBarrier"]


class ToolBarrier:
    """Holds context back while tool calls are open.

    `begin` with the calls of an assistant message, `add` context of hooks, `answered` with each result; the last one
    returns all that waits, in order, to follow it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, None] = {}
        self._pending: list[str] = []

    @property
    def is_open(self) -> bool:
        """Returns whether a call has no result yet."""
        return bool(self._open)

    @property
    def unanswered(self) -> list[str]:
        """The calls without a result, in the order of the message."""
        return list(self._open)

    @property
    def pending(self) -> list[str]:
        """The held context, in order."""
        return list(self._pending)

    def begin(self, tool_use_ids: Iterable[str]) -> None:
        """Records an assistant message with these calls."""
        calls = list(tool_use_ids)
        with self._lock:
            if self._open:
                raise BarrierError(f"the call `{next(iter(self._open))}` has no result yet: no other message may enter")
            if len(set(calls)) != len(calls):
                raise BarrierError("two calls of one message have the same id")
            self._open = dict.fromkeys(calls)

    def add(self, said: Outcome | str) -> list[str]:
        """Adds a hook's context for the model. Returns what may enter the conversation now: all of it if no call is open.

        The context of a denied call is dropped in the profile `agent`, since the reason is enough.
        """
        texts = [said] if isinstance(said, str) else said.additional_context
        with self._lock:
            if not self._open:
                return list(texts)
            self._pending.extend(texts)
            return []

    def answered(self, tool_use_id: str) -> list[str]:
        """Records the result of a call. Returns what may enter now: all held context, after the last result."""
        with self._lock:
            if tool_use_id not in self._open:
                raise BarrierError(f"`{tool_use_id}` is not an open call: its result would have no call")
            del self._open[tool_use_id]
            return [] if self._open else self._flush()

    def interrupt(self) -> tuple[list[str], list[str]]:
        """Ends the turn. Returns the calls that have to be answered as cancelled, and the context that follows them."""
        with self._lock:
            calls, self._open = list(self._open), {}
            return calls, self._flush()

    def drop(self) -> None:
        """Drops the held context with the turn."""
        with self._lock:
            self._pending = []

    def _flush(self) -> list[str]:
        pending, self._pending = self._pending, []
        return pending
