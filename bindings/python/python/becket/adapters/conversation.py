"""The hooks of a conversation, without a framework: five calls at five places of a loop. Each adapter is made of it.

What hooks tell the model waits in here until the next request (rule L2), so it never comes between a call and its result.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from becket import HookEngine, Outcome

STOPS_IN_A_ROW = 8


class Refused(Exception):
    """The hooks let a prompt or a tool call not go on; the text says why."""


class Stopped(Exception):
    """A hook ended the turn (`continue: false`); the text says why."""


class Conversation:
    """One session's hooks. An engine is a session, so make one of each per conversation."""

    def __init__(self, engine: HookEngine) -> None:
        self.engine, self.stopped = engine, ""
        self._pending: list[str] = []
        self._started, self._goes_on, self._in_a_row = False, False, 0

    async def prompt(self, text: str) -> None:
        """Before a prompt enters the conversation: SessionStart once, UserPromptSubmit. Raises `Refused`."""
        if not self._started:
            self._started = True
            await self._fire("SessionStart", source="startup")
        self.stopped, self._goes_on, self._in_a_row = "", False, 0
        outcome = await self._fire("UserPromptSubmit", prompt=text)
        if outcome.result != "passed" or outcome.stop:
            self.stopped = self.stopped or outcome.reason or "the prompt was blocked"
            raise Refused(self.stopped)

    async def tool(
        self, name: str, args: dict[str, Any], call_id: str, run: Callable[[dict[str, Any]], Awaitable[Any]]
    ) -> Any:
        """One tool call from the model's wish to its result: `before`, then `after` or `failed`. Raises `Refused`."""
        args = await self.before(name, args, call_id)
        try:
            result = await run(args)
        except Exception as error:
            await self.failed(name, args, call_id, error)
            raise
        return await self.after(name, args, call_id, result)

    async def before(self, name: str, args: dict[str, Any], call_id: str) -> dict[str, Any]:
        """PreToolUse: returns what the tool is to be run with. Raises `Refused` where it must not run."""
        if self.stopped:
            raise Refused(self.stopped)
        outcome = await self._fire("PreToolUse", tool_name=name, tool_input=args, tool_use_id=call_id)
        if outcome.result != "passed" or outcome.stop:
            raise Refused(self.stopped or outcome.reason or "the call was denied")
        self._in_a_row = 0
        return args if outcome.updated_input is None else outcome.updated_input

    async def after(self, name: str, args: dict[str, Any], call_id: str, result: Any) -> Any:
        """PostToolUse: returns the result to use."""
        call = {"tool_name": name, "tool_input": args, "tool_use_id": call_id}
        outcome = self._feedback(await self._fire("PostToolUse", **call, tool_response=_json(result)))
        return outcome.to_dict()["verdict"]["fields"].get("updatedToolOutput", result)

    async def failed(self, name: str, args: dict[str, Any], call_id: str, error: Exception) -> None:
        """PostToolUseFailure."""
        call = {"tool_name": name, "tool_input": args, "tool_use_id": call_id}
        self._feedback(await self._fire("PostToolUseFailure", **call, error=f"{type(error).__name__}: {error}"))

    def told(self) -> list[str]:
        """Before each request to the model: what to tell it, each as a user's message. Raises `Stopped`."""
        if self.stopped:
            raise Stopped(self.stopped)
        told, self._pending = self._pending, []
        return told

    async def stop(self, answer: str) -> str | None:
        """After an answer without a tool call: the message to go on with, or None where the turn ends."""
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
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError):
        return str(value)
