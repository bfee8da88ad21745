"""Becket's hooks in a host that does not know Becket: the SDK's own reference host."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_hooks import AgentContextBuilder, CompositionConfig, EnforcementMode, InterceptionEmitter, Verdict
from agent_hooks.ctk import Scenario
from agent_hooks.ctk.reference import ReferenceHarness

from becket import HookEngine
from becket.agent_hooks import BecketInterceptor

CALL = {"id": "t1", "name": "Bash", "args": {"command": "rm -rf build"}}
SCENARIO = Scenario.from_wire(
    {
        "input": {"content": "clean up", "role": "user"},
        "tools": [{"name": "Bash", "behavior": [{"return": "ran"}]}],
        "model_script": [
            {"respond": {"content": None, "tool_calls": [CALL], "finish_reason": "tool_calls"}},
            {"respond": {"content": "done", "tool_calls": [], "finish_reason": "stop"}},
        ],
    }
)


@pytest.fixture
def engine(project: Path) -> Iterator[HookEngine]:
    with HookEngine(project) as engine:
        yield engine


class Seen:
    """An interceptor that allows, and keeps what it sees."""

    def __init__(self) -> None:
        self.contexts: list[dict[str, Any]] = []

    def intercept(self, context: dict[str, Any]) -> Verdict:
        self.contexts.append(context)
        return Verdict.allow()

    def at(self, point: str) -> list[dict[str, Any]]:
        return [context for context in self.contexts if context["interception_point"] == point]


def run(engine: HookEngine) -> tuple[Any, Seen]:
    """A session of the reference host; what a second interceptor sees comes after Becket's rewrites."""
    host, seen = ReferenceHarness(), Seen()
    host.setup(SCENARIO, [BecketInterceptor(engine), seen], None, EnforcementMode.ENFORCE, CompositionConfig.default())
    return asyncio.run(host.run()), seen


def verdict_at(record: Any, point: str) -> dict[str, Any]:
    found: dict[str, Any] = next(r["verdict"] for r in record.records if r["interception_point"] == point)
    return found


def test_a_denied_call_does_not_run(engine: HookEngine) -> None:
    engine.add_hook("PreToolUse", lambda _: {"decision": "block", "reason": "not here"}, matcher="Bash")
    record, _ = run(engine)
    assert record.tool_invocations == []
    assert verdict_at(record, "pre_tool_call") == {
        "decision": "deny",
        "reason": "becket:denied",
        "message": "not here",
    }


def test_a_command_of_the_settings_denies_too(project: Path) -> None:
    hook = {"type": "command", "command": "echo 'never' >&2; exit 2"}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}
    with HookEngine(project, settings=settings) as engine:
        record, _ = run(engine)
    assert record.tool_invocations == []
    assert "never" in verdict_at(record, "pre_tool_call")["message"]


def test_a_rewritten_input_is_what_the_tool_gets(engine: HookEngine) -> None:
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "ls"}}}
    engine.add_hook("PreToolUse", lambda _: answer)
    record, _ = run(engine)
    assert record.tool_invocations == [{"name": "Bash", "args": {"command": "ls"}}]


def test_an_ask_is_a_denial_that_an_approval_can_lift(project: Path) -> None:
    with HookEngine(project, interactive=True) as engine:
        answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}}
        engine.add_hook("PreToolUse", lambda _: answer)
        record, _ = run(engine)
    assert record.tool_invocations == []
    assert verdict_at(record, "pre_tool_call")["approval"] == {}


def test_an_ask_beside_a_rewrite_is_final(project: Path) -> None:
    with HookEngine(project, interactive=True) as engine:
        fields = {"permissionDecision": "ask", "updatedInput": {"command": "ls"}}
        answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", **fields}}
        engine.add_hook("PreToolUse", lambda _: answer)
        record, _ = run(engine)
    assert record.tool_invocations == []
    assert "approval" not in verdict_at(record, "pre_tool_call")


def test_context_waits_for_the_next_request_to_the_model(engine: HookEngine) -> None:
    def told(event: str, text: str) -> None:
        answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
        engine.add_hook(event, lambda _: answer)

    for event, text in (("SessionStart", "one"), ("UserPromptSubmit", "two"), ("PreToolUse", "three")):
        told(event, text)
    _, seen = run(engine)
    first, second = (context["messages"] for context in seen.at("pre_model_call"))
    assert [message["content"] for message in first] == ["clean up", "one", "two"]
    assert second[-1] == {"role": "user", "content": "three"}


def test_a_tool_result_is_rewritten_and_a_block_is_feedback(engine: HookEngine) -> None:
    answer = {
        "decision": "block",
        "reason": "look again",
        "hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "redacted"},
    }
    engine.add_hook("PostToolUse", lambda _: answer)
    record, seen = run(engine)
    assert seen.at("post_tool_call")[0]["tool_result"]["value"] == "redacted"
    assert seen.at("pre_model_call")[1]["messages"][-1]["content"] == "look again"
    assert record.outcome.value == "completed"


def test_a_refused_prompt_starts_no_turn(engine: HookEngine) -> None:
    engine.add_hook("UserPromptSubmit", lambda _: {"decision": "block", "reason": "secret"})
    record, seen = run(engine)
    assert record.outcome.value == "blocked"
    assert not seen.at("pre_model_call")


def test_an_unfinished_answer_is_not_returned(engine: HookEngine) -> None:
    engine.add_hook("Stop", lambda _: {"decision": "block", "reason": "tests fail"})
    record, _ = run(engine)
    assert record.final_output is None
    assert verdict_at(record, "output")["message"] == "tests fail"


def test_the_answer_as_it_is_to_be_shown(engine: HookEngine) -> None:
    answer = {"hookSpecificOutput": {"hookEventName": "MessageDisplay", "displayContent": "DONE"}}
    engine.add_hook("MessageDisplay", lambda _: answer)
    record, _ = run(engine)
    assert record.final_output == "DONE"


def test_after_a_stop_nothing_goes_on(engine: HookEngine) -> None:
    engine.add_hook("PostToolUse", lambda _: {"continue": False, "stopReason": "budget"})
    record, seen = run(engine)
    assert len(seen.at("pre_model_call")) == 1
    assert record.outcome.value == "blocked"


def test_a_failing_hook_and_a_failing_engine_deny(engine: HookEngine) -> None:
    def broken(_: Any) -> None:
        raise KeyError("nobody")

    engine.add_hook("PreToolUse", broken)
    record, _ = run(engine)
    assert record.tool_invocations == []

    class Fails:
        async def run_event(self, *_: Any, **__: Any) -> Any:
            raise OSError("gone")

    emitter = InterceptionEmitter().register(BecketInterceptor(Fails()))  # type: ignore[arg-type]
    context = AgentContextBuilder(agent_id="a", framework="f", session_id="s").agent_startup(tools_registered=[])
    verdict = asyncio.run(emitter.emit_unchecked(context)).verdict
    assert (verdict.decision.value, verdict.reason, verdict.message) == ("deny", "becket:failed", "OSError")


def test_a_failed_check_is_a_warning(project: Path) -> None:
    hook = {"type": "command", "command": "exit 126"}
    settings = {"hooks": {"PreToolUse": [{"hooks": [hook]}]}}
    with HookEngine(project, settings=settings) as engine:
        record, _ = run(engine)
    warnings = verdict_at(record, "pre_tool_call")["warnings"]
    assert [warning["reason"] for warning in warnings] == ["becket:not_checked"], json.dumps(warnings)


def test_one_engine_is_one_session(engine: HookEngine) -> None:
    interceptor = BecketInterceptor(engine)
    first, second = (AgentContextBuilder(agent_id="a", framework="f", session_id=name) for name in "ab")

    async def both() -> list[Verdict]:
        points = [first.input(content="hi"), second.input(content="hi"), first.agent_shutdown(reason="completed")]
        return [await interceptor.intercept(context) for context in [*points, second.input(content="hi")]]

    reasons = [verdict.reason for verdict in asyncio.run(both())]
    assert reasons == [None, "becket:other_session", None, None]
