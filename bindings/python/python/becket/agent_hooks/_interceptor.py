"""The hooks of an engine as one interceptor in a host that implements AGENT-HOOKS-0.1.

It translates and decides nothing: the point becomes an event, the outcome a verdict. Where the contract has no word for
what a hook says, the stricter one is taken. An engine that fails denies, with a separate reason.

The contract lets an interceptor add nothing to the conversation but by a transform. What hooks give as context
therefore waits for the next `pre_model_call`, where every tool call has its result already.
"""

from __future__ import annotations

from typing import Any

from agent_hooks import AgentContext, Decision, Transform, Verdict, Warning

from becket import HookEngine, Outcome
from becket.agent_hooks._wire import text_of

#: Reasons of verdicts. The words of hooks are in `message`, since a reason is for machines.
DENIED, ASKS, STOPPED = "becket:denied", "becket:asks", "becket:stopped"
FAILED, OTHER_SESSION = "becket:failed", "becket:other_session"
NOT_CHECKED, MESSAGE = "becket:not_checked", "becket:message"


class BecketInterceptor:
    """Guards one session of a host with the hooks of one engine.

    An engine is a session, so contexts of a second session are denied until the first has shut down: what a hook says
    to one conversation must not come up in another.
    """

    def __init__(self, engine: HookEngine) -> None:
        self._engine = engine
        self._session: str | None = None
        self._pending: list[str] = []
        self._stopped: str | None = None
        self._going_on = False

    def intercept(self, context: AgentContext, /) -> Any:
        """The verdict of the hooks at this point, to be awaited: the SDK's protocol has no type for that."""
        return self._judge(context)

    async def _judge(self, context: AgentContext) -> Verdict:
        point, session = context["interception_point"], context["session"]["id"]
        if self._session not in (None, session):
            return Verdict.deny(reason=OTHER_SESSION, message="the engine is in use by another session")
        self._session = session
        try:
            return await getattr(self, f"_at_{point}")(context)  # type: ignore[no-any-return]
        except Exception as error:
            return Verdict.deny(reason=FAILED, message=type(error).__name__)

    async def _at_agent_startup(self, _: AgentContext) -> Verdict:
        outcome = await self._engine.run_event("SessionStart", source="startup")
        return self._passed(outcome)

    async def _at_input(self, context: AgentContext) -> Verdict:
        self._stopped, self._going_on = None, False
        outcome = await self._engine.run_event("UserPromptSubmit", prompt=text_of(context["input"]["content"]))
        return self._refused(outcome) or self._passed(outcome)

    async def _at_pre_model_call(self, context: AgentContext) -> Verdict:
        if self._stopped is not None:
            return Verdict.deny(reason=STOPPED, message=self._stopped)
        if not self._pending:
            return Verdict.allow()
        told = [{"role": "user", "content": text} for text in self._pending]
        self._pending = []
        return _rewritten("$target", [*context["messages"], *told])

    async def _at_post_model_call(self, _: AgentContext) -> Verdict:
        return Verdict.allow()

    async def _at_pre_tool_call(self, context: AgentContext) -> Verdict:
        if self._stopped is not None:
            return Verdict.deny(reason=STOPPED, message=self._stopped)
        outcome = await self._engine.run_event("PreToolUse", **_call(context))
        refused = None if outcome.asks else self._refused(outcome)
        if refused is not None:
            return refused
        # An approval would allow the model's original call: an ask can't carry a rewrite.
        if outcome.asks or outcome.result == "waits":
            if outcome.updated_input is not None:
                return Verdict.deny(reason=DENIED, message=f"asked and rewritten at once: {outcome.reason or ''}")
            return Verdict.escalate(reason=ASKS, message=outcome.reason)
        return self._passed(outcome, "$target", outcome.updated_input)

    async def _at_post_tool_call(self, context: AgentContext) -> Verdict:
        result = context["tool_result"]
        took = {"duration_ms": round(result["duration_ms"])} if "duration_ms" in result else {}
        if result["is_error"]:
            fields = {"error": text_of(result["value"]), **took}
            outcome = await self._engine.run_event("PostToolUseFailure", **_call(context), **fields)
        else:
            fields = {"tool_response": result["value"], **took}
            outcome = await self._engine.run_event("PostToolUse", **_call(context), **fields)
        if outcome.stop:
            self._stopped = outcome.stop_reason or "stopped by a hook"
        if outcome.blocked and outcome.reason:
            self._pending.append(outcome.reason)
        said = outcome.to_dict()["verdict"]["fields"]
        return self._passed(outcome, "$target", said.get("updatedToolOutput"))

    async def _at_output(self, context: AgentContext) -> Verdict:
        content = context["output"]["content"]
        words = text_of(content)
        outcome = await self._engine.run_event(
            "Stop", stop_hook_active=self._going_on, last_assistant_message=words
        )
        if outcome.blocked and not outcome.stop:
            self._going_on = True
            return Verdict.deny(reason=DENIED, message=outcome.reason)
        verdict = self._passed(outcome)
        return await self._shown(words, verdict) if isinstance(content, str) else verdict

    async def _shown(self, words: str, verdict: Verdict) -> Verdict:
        """Returns the answer as `MessageDisplay` hooks want it shown."""
        facts = {"turn_id": "output", "message_id": "output", "index": 0, "final": True, "delta": words}
        outcome = await self._engine.run_event("MessageDisplay", **facts)
        shown = outcome.to_dict()["verdict"]["fields"].get("displayContent")
        if shown is None:
            return verdict
        return _rewritten("$target.content", shown, verdict.warnings)

    async def _at_agent_shutdown(self, _: AgentContext) -> Verdict:
        outcome = await self._engine.run_event("SessionEnd", reason="other")
        self._session, self._pending, self._stopped, self._going_on = None, [], None, False
        return self._passed(outcome)

    def _refused(self, outcome: Outcome) -> Verdict | None:
        """Returns the denial of the event's action, if it is denied."""
        if outcome.stop:
            self._stopped = outcome.stop_reason or "stopped by a hook"
            return Verdict.deny(reason=STOPPED, message=self._stopped)
        if outcome.blocked:
            self._pending.extend(outcome.additional_context)
            return Verdict.deny(reason=DENIED, message=outcome.reason)
        return None

    def _passed(self, outcome: Outcome, path: str = "$target", value: Any = None) -> Verdict:
        """Returns the verdict of an action that may proceed, with its rewrite if any."""
        self._pending.extend(outcome.additional_context)
        warnings = tuple(_warnings(outcome))
        if value is not None:
            return _rewritten(path, value, warnings)
        return Verdict(decision=Decision.ALLOW, warnings=warnings)


def _call(context: AgentContext) -> dict[str, Any]:
    call = context["tool_call"]
    return {"tool_name": call["name"], "tool_input": call["args"], "tool_use_id": call["id"]}


def _rewritten(path: str, value: Any, warnings: tuple[Warning, ...] = ()) -> Verdict:
    transform = Transform(path=path, value=value)
    return Verdict(decision=Decision.TRANSFORM, transform=transform, warnings=warnings)


def _warnings(outcome: Outcome) -> list[Warning]:
    unchecked = [Warning(reason=NOT_CHECKED, message=failure.text) for failure in outcome.failures]
    return unchecked + [Warning(reason=MESSAGE, message=text) for text in outcome.system_messages]
