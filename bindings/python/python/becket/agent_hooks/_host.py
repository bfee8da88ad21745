"""A Becket host that conforms to AGENT-HOOKS-0.1: its eight points, each decided by hooks and interceptors together.

Six points are events: verdicts of the interceptors go through the engine's fold, and this host obeys the outcome. The
two around a model call have no event; there only the interceptors are called, and context of hooks is added.

INVARIANT: a point returns only if it was emitted and nothing forbids it. An event whose hooks did not
run (switched off by a policy, a folder that is not trusted, an engine that fails) is refused, with a record.
"""

from __future__ import annotations

import copy
import uuid
from typing import Any

from agent_hooks import (
    AgentContext,
    AgentContextBuilder,
    InterceptionEmitter,
    InterceptionPoint,
    InterceptionRecord,
)

from becket import HookEngine, Outcome
from becket.agent_hooks._guard import Firing, guard
from becket.agent_hooks._wire import text_of, words_of


class Blocked(RuntimeError):
    """The guarded action must not proceed. `reason` is for the model if a tool call is blocked."""

    def __init__(self, point: InterceptionPoint, reason: str, record: InterceptionRecord | None = None) -> None:
        super().__init__(f"{point.value} blocked: {reason}")
        self.point, self.reason, self.record = point, reason, record


class Host:
    """The points of one session, over an engine and an emitter.

    Every point raises `Blocked` if the action must not proceed, and otherwise returns the value to continue with.
    """

    def __init__(
        self,
        engine: HookEngine,
        emitter: InterceptionEmitter,
        *,
        agent_id: str,
        session_id: str | None = None,
        timeout: float = 600,
    ) -> None:
        self._engine, self._emitter = engine, emitter
        session = session_id or str(uuid.uuid4())
        self._builder = AgentContextBuilder(agent_id=agent_id, framework="becket", session_id=session)
        self._guard = guard(engine, emitter, agent_id=agent_id, builder=self._builder, timeout=timeout)
        self._pending: list[str] = []
        self._turns_refused = 0
        self._stopped: str | None = None

    def close(self) -> None:
        """Removes the interceptors from the engine, which stays open."""
        self._guard.remove()

    async def agent_startup(self, tools: list[str]) -> None:
        """Before the first input. If it is blocked, only `agent_shutdown` may follow."""
        context = self._builder.agent_startup(tools_registered=tools)
        await self._fire("SessionStart", context, source="startup")

    async def input(self, content: Any, role: str = "user") -> Any:
        """A request from outside; returns its content."""
        self._turns_refused, self._stopped = 0, None
        context = self._builder.input(content=content, role=role)
        await self._fire("UserPromptSubmit", context, prompt=text_of(content))
        return context["input"]["content"]

    async def pre_model_call(self, model_id: str, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Before a request to the model; returns its messages, with the context of hooks. Keep them."""
        self._not_after_a_stop(InterceptionPoint.PRE_MODEL_CALL)
        told = [{"role": "user", "content": text} for text in self._pending]
        context = self._builder.pre_model_call(model_id=model_id, messages=[*messages, *told])
        await self._emit(context)
        self._pending = self._pending[len(told) :]
        return context["messages"]  # type: ignore[no-any-return]

    async def post_model_call(self, model_id: str, response: dict[str, Any]) -> dict[str, Any]:
        """After an answer of the model (`content`, `tool_calls`, `finish_reason`); returns it."""
        context = self._builder.post_model_call(model_id=model_id, **response)
        await self._emit(context)
        return context["response"]  # type: ignore[no-any-return]

    async def pre_tool_call(self, call_id: str, name: str, args: dict[str, Any]) -> dict[str, Any]:
        """Before a tool runs; returns its input."""
        self._not_after_a_stop(InterceptionPoint.PRE_TOOL_CALL)
        context = self._builder.pre_tool_call(call_id=call_id, name=name, args=copy.deepcopy(args))
        call = {"tool_name": name, "tool_input": args, "tool_use_id": call_id}
        outcome = await self._fire("PreToolUse", context, **call)
        return args if outcome.updated_input is None else outcome.updated_input

    async def post_tool_call(
        self, call_id: str, name: str, args: dict[str, Any], value: Any, *, is_error: bool = False
    ) -> Any:
        """After a tool ran with `args`; returns the result to use. If it is blocked, use none."""
        context = self._builder.post_tool_call(
            call_id=call_id, name=name, args=copy.deepcopy(args), value=copy.deepcopy(value), is_error=is_error
        )
        call = {"tool_name": name, "tool_input": args, "tool_use_id": call_id}
        if is_error:
            await self._fire("PostToolUseFailure", context, **call, error=text_of(value))
            return context["tool_result"]["value"]
        outcome = await self._fire("PostToolUse", context, **call, tool_response=value)
        fields = outcome.to_dict()["verdict"]["fields"]
        return fields.get("updatedToolOutput", value)

    async def output(self, content: Any) -> Any:
        """Before the answer goes out; returns it. If it is blocked, the turn may continue with the reason."""
        context = self._builder.output(content=content)
        active, words = self._turns_refused > 0, text_of(content)
        self._turns_refused += 1
        await self._fire("Stop", context, stop_hook_active=active, last_assistant_message=words)
        return context["output"]["content"]

    async def agent_shutdown(self, reason: str = "completed") -> None:
        """The end of the session: nothing is left to block."""
        context = self._builder.agent_shutdown(reason=reason)
        try:
            await self._fire("SessionEnd", context, reason="other")
        except Blocked:
            pass
        finally:
            self.close()

    def _not_after_a_stop(self, point: InterceptionPoint) -> None:
        if self._stopped is not None:
            raise Blocked(point, self._stopped)

    async def _emit(self, context: AgentContext) -> None:
        record = await self._emitter.emit_unchecked(context)
        if not record.proceeds:
            raise Blocked(record.interception_point, words_of(record), record)

    async def _fire(self, event: str, context: AgentContext, **fields: Any) -> Outcome:
        """Fires an event in which the interceptors take part, and obeys its outcome."""
        point, call = InterceptionPoint(context["interception_point"]), str(fields.get("tool_use_id", ""))
        with self._guard.firing(event, call, context, fields.get("tool_input")) as firing:
            try:
                outcome = await self._engine.run_event(event, **fields)
            except Exception as error:
                raise Blocked(point, type(error).__name__, self._unasked(point, firing, error)) from error
        if firing.record is None:
            record = self._unasked(point, firing, None)
            raise Blocked(point, "the hooks of this event did not run", record)
        if outcome.stop:
            self._stopped = outcome.stop_reason or "stopped by a hook"
        self._obey(point, outcome, firing.record)
        self._pending.extend(outcome.additional_context)
        return outcome

    def _obey(self, point: InterceptionPoint, outcome: Outcome, record: InterceptionRecord) -> None:
        """Raises if the outcome forbids the action. A block after a tool is feedback, unless the interceptors made it."""
        if point is InterceptionPoint.POST_TOOL_CALL and record.proceeds:
            if outcome.blocked and outcome.reason:
                self._pending.append(outcome.reason)
            return
        if point is InterceptionPoint.OUTPUT and record.proceeds and outcome.stop:
            return  # The turn ends, and this is its answer.
        starts_or_ends = point in (InterceptionPoint.AGENT_STARTUP, InterceptionPoint.AGENT_SHUTDOWN)
        if outcome.stop or outcome.result != "passed" or (starts_or_ends and not record.proceeds):
            raise Blocked(point, outcome.stop_reason or outcome.reason or words_of(record), record)

    def _unasked(self, point: InterceptionPoint, firing: Firing, error: Exception | None) -> InterceptionRecord:
        """Returns the record of a point that could not be decided: that of the emission, if there was one."""
        if firing.record is not None:
            return firing.record
        session, sequence = firing.context["session"]["id"], firing.context["sequence"]
        detail = "NotEmitted" if error is None else type(error).__name__
        return self._emitter.record_host_failure(point, detail, session_id=session, sequence=sequence)
