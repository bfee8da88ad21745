"""The hooks of a conversation, without a framework: five calls at five points of a loop. Each adapter is built on it.

Context of hooks is held here until the next request, so it never comes between a call and its result.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from becket import HookEngine, Outcome, ToolApproval, ToolApprovalCallback
from becket._approval import approved, checked
from becket.errors import described

STOPS_IN_A_ROW = 8


class Refused(Exception):
    """The hooks have blocked a prompt or a tool call; the text is the reason."""


class Stopped(Exception):
    """A hook ended the turn (`continue: false`); the text is the reason."""


class Conversation:
    """One session's hooks. An engine is a session, so create one of each per conversation.

    `tool_approval_callback` answers for the user if a hook or a rule asks about a call and the engine itself has no callback;
    its limit is the engine's `tool_approval_timeout`. Without either such a call is refused.
    """

    def __init__(self, engine: HookEngine, tool_approval_callback: ToolApprovalCallback | None = None) -> None:
        self.engine, self.stopped = engine, ""
        self._approve = checked(tool_approval_callback)
        self._pending: list[str] = []
        self._told: list[tuple[int, Any]] = []
        self._started, self._goes_on, self._in_a_row = False, False, 0

    async def prompt(self, text: str) -> None:
        """Before a prompt enters the conversation: SessionStart once, UserPromptSubmit. Raises `Refused`."""
        if not self._started:
            self._started = True
            await self._fire("SessionStart", source="startup")
        self.stopped, self._goes_on, self._in_a_row, self._told = "", False, 0, []
        outcome = await self._fire("UserPromptSubmit", prompt=text)
        if outcome.decision != "proceed":
            self.stopped = self.stopped or outcome.reason or "the prompt was blocked"
            raise Refused(self.stopped)

    async def tool(
        self, name: str, args: dict[str, Any], call_id: str, run: Callable[[dict[str, Any]], Awaitable[Any]]
    ) -> Any:
        """One tool call from the model's request to its result: `before`, then `ran`. Raises `Refused`."""
        args = await self.before(name, args, call_id)
        return await self.ran(name, args, call_id, run(args))

    async def before(self, name: str, args: dict[str, Any], call_id: str) -> dict[str, Any]:
        """PreToolUse: returns the input for the tool. Raises `Refused` if it must not run."""
        if self.stopped:
            raise Refused(self.stopped)
        outcome = await self._fire("PreToolUse", tool_name=name, tool_input=args, tool_use_id=call_id)
        if outcome.asks and self._approve is not None:
            call = ToolApproval.of(name, args, call_id, outcome.updated_input, outcome.reason)
            outcome = outcome.answered(await approved(self._approve, call, self.engine.tool_approval_timeout))
            # Raises `SessionClosed` if the engine was closed while the user was asked.
            _ = self.engine.session_id
        if self.stopped or outcome.decision != "proceed":
            raise Refused(self.stopped or outcome.reason or "the call was denied")
        self._in_a_row = 0
        return args if outcome.updated_input is None else outcome.updated_input

    async def ran(self, name: str, args: dict[str, Any], call_id: str, running: Awaitable[Any]) -> Any:
        """The call itself, then PostToolUse or PostToolUseFailure: returns the result to use."""
        call: dict[str, Any] = {"tool_name": name, "tool_input": args, "tool_use_id": call_id}
        try:
            result = await running
        except Exception as error:
            self._feedback(await self._fire("PostToolUseFailure", **call, error=described(error)))
            raise
        outcome = self._feedback(await self._fire("PostToolUse", **call, tool_response=_json(result)))
        return outcome.to_dict()["verdict"]["fields"].get("updatedToolOutput", result)

    def told(self) -> list[str]:
        """Before each request to the model: the context for it, each text as a user's message. Raises `Stopped`."""
        if self.stopped:
            raise Stopped(self.stopped)
        told, self._pending = self._pending, []
        return told

    def told_in(self, items: list[Any], message: Callable[[str], Any]) -> list[Any]:
        """The same if the history can't be changed: a request's items, with each context at its position."""
        self._told += [(len(items), message(text)) for text in self.told()]
        placed = list(items)
        for before, (at, told) in enumerate(self._told):
            placed.insert(at + before, told)
        return placed

    async def stop(self, answer: str) -> str | None:
        """After an answer without a tool call: the message to continue with, or None if the turn ends."""
        if self.stopped:
            return None
        outcome = await self._fire("Stop", stop_hook_active=self._goes_on, last_assistant_message=answer)
        context, self._pending = self._pending, []
        feedback = [f"Stop hook feedback:\n{outcome.reason}"] if outcome.blocked else []
        if self.stopped or not feedback + context or self._in_a_row >= STOPS_IN_A_ROW:
            return None
        self._goes_on, self._in_a_row = True, self._in_a_row + 1
        return "\n\n".join(feedback + context)

    async def end(self) -> None:
        """At the end of the session."""
        await self._fire("SessionEnd", reason="other")

    async def _fire(self, event: str, **fields: Any) -> Outcome:
        outcome = await self.engine.run_event(event, **fields)
        self._pending.extend(outcome.additional_context)
        if outcome.stop:
            self.stopped = outcome.stop_reason or "stopped by a hook"
        return outcome

    def _feedback(self, outcome: Outcome) -> Outcome:
        self._pending.extend([outcome.reason] if outcome.blocked and outcome.reason else [])
        return outcome


def _json(value: Any) -> Any:
    """Returns a result as hooks read it: a value that is not JSON becomes its text."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return str(value)


def words(value: Any) -> str:
    """Returns a value as a model reads it: text unchanged, anything else as compact JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
