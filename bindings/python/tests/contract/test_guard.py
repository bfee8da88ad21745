"""Interceptors of the contract as hooks of an engine, for a host that only fires Becket's events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_hooks import (
    AgentContext,
    ApprovalOutcome,
    ApprovalRequest,
    ApprovalResolution,
    InterceptionEmitter,
    Transform,
    Verdict,
)
from agent_hooks import Decision as D

from becket import HookEngine, Outcome
from becket.agent_hooks import guard

CALL: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "rm x"}, "tool_use_id": "t1"}


class At:
    """An interceptor that gives a verdict at one point, and allows elsewhere."""

    def __init__(self, point: str, verdict: Verdict | Callable[[dict[str, Any]], Verdict]) -> None:
        self.point, self.verdict, self.seen = point, verdict, list[str]()

    def intercept(self, context: dict[str, Any]) -> Verdict:
        self.seen.append(context["interception_point"])
        if context["interception_point"] != self.point:
            return Verdict.allow()
        return self.verdict(context) if callable(self.verdict) else self.verdict


@pytest.fixture
def engine(project: Path) -> Iterator[HookEngine]:
    with HookEngine(project) as engine:
        yield engine


def fire(engine: HookEngine, event: str, **fields: Any) -> Outcome:
    return asyncio.run(engine.run_event(event, **fields))


def rewrites(value: Any, path: str = "$target") -> Verdict:
    return Verdict(decision=D.TRANSFORM, transform=Transform(path=path, value=value))


def test_a_denial_denies_and_says_why(engine: HookEngine) -> None:
    guard(engine, InterceptionEmitter().register(At("pre_tool_call", Verdict.deny(reason="r", message="no rm"))))
    outcome = fire(engine, "PreToolUse", **CALL)
    assert (outcome.result, outcome.reason) == ("blocked", "no rm")


def test_no_allow_of_a_hook_outvotes_it(engine: HookEngine) -> None:
    guard(engine, InterceptionEmitter().register(At("pre_tool_call", Verdict.deny(reason="no"))))
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}
    engine.add_hook("PreToolUse", lambda _: answer)
    assert fire(engine, "PreToolUse", **CALL).blocked


def test_an_allow_decides_nothing(engine: HookEngine) -> None:
    guard(engine, InterceptionEmitter().register(At("input", Verdict.allow())))
    outcome = fire(engine, "PreToolUse", **CALL)
    assert (outcome.result, outcome.permission_decision) == ("passed", None)


@pytest.mark.parametrize(("interactive", "result"), [(True, "waits"), (False, "blocked")])
def test_an_escalation_asks_the_person(project: Path, interactive: bool, result: str) -> None:
    with HookEngine(project, interactive=interactive) as engine:
        guard(engine, InterceptionEmitter().register(At("pre_tool_call", Verdict.escalate(reason="sure?"))))
        assert fire(engine, "PreToolUse", **CALL).result == result


def test_what_a_resolver_has_refused_is_not_asked_again(project: Path) -> None:
    class No:
        def resolve(self, request: ApprovalRequest) -> ApprovalResolution:
            verdict = Verdict.deny(reason="refused")
            return ApprovalResolution(ApprovalOutcome.REJECT, request.context_identity, verdict)

    with HookEngine(project, interactive=True) as engine:
        emitter = InterceptionEmitter(resolver=No())
        guard(engine, emitter.register(At("pre_tool_call", Verdict.escalate(reason="sure?"))))
        assert fire(engine, "PreToolUse", **CALL).result == "blocked"


def test_a_transform_is_the_new_input(engine: HookEngine) -> None:
    guard(engine, InterceptionEmitter().register(At("pre_tool_call", rewrites("ls", "$target.command"))))
    assert fire(engine, "PreToolUse", **CALL).updated_input == {"command": "ls"}


def test_a_true_for_a_one_is_a_rewrite(engine: HookEngine) -> None:
    guard(engine, InterceptionEmitter().register(At("pre_tool_call", rewrites(True, "$target.n"))))
    outcome = fire(engine, "PreToolUse", **{**CALL, "tool_input": {"n": 1}})
    assert outcome.updated_input is not None and outcome.updated_input["n"] is True


def test_a_warning_is_context(engine: HookEngine) -> None:
    guard(engine, InterceptionEmitter().register(At("pre_tool_call", Verdict.warn(reason="w", message="odd"))))
    outcome = fire(engine, "PreToolUse", **CALL)
    assert (outcome.result, outcome.additional_context) == ("passed", ["odd"])


def test_a_refused_result_is_withheld(engine: HookEngine) -> None:
    guard(engine, InterceptionEmitter().register(At("post_tool_call", Verdict.deny(reason="leak"))))
    outcome = fire(engine, "PostToolUse", **CALL, tool_response="the secret")
    assert outcome.blocked
    assert outcome.to_dict()["verdict"]["fields"]["updatedToolOutput"] == "withheld: leak"


def test_a_prompt_that_would_be_rewritten_is_refused(engine: HookEngine) -> None:
    guard(engine, InterceptionEmitter().register(At("input", rewrites("other", "$target.content"))))
    assert fire(engine, "UserPromptSubmit", prompt="hi").blocked


def test_an_answer_that_is_refused_is_not_the_last(engine: HookEngine) -> None:
    guard(engine, InterceptionEmitter().register(At("output", Verdict.deny(reason="tone"))))
    outcome = fire(engine, "Stop", stop_hook_active=False, last_assistant_message="bad")
    assert (outcome.result, outcome.reason) == ("blocked", "tone")


def test_a_session_that_may_not_start_does_nothing(engine: HookEngine) -> None:
    guard(engine, InterceptionEmitter().register(At("agent_startup", Verdict.deny(reason="closed"))))
    fire(engine, "SessionStart", source="startup")
    assert fire(engine, "UserPromptSubmit", prompt="hi").blocked
    assert fire(engine, "PreToolUse", **CALL).reason == "closed"


def test_no_interceptor_at_all_denies(engine: HookEngine) -> None:
    guard(engine, InterceptionEmitter())
    outcome = fire(engine, "PreToolUse", **CALL)
    assert (outcome.result, outcome.reason) == ("blocked", "host_error:no_interceptor")


def test_what_another_hook_rewrote_is_judged_again(engine: HookEngine) -> None:
    def no_sudo(context: dict[str, Any]) -> Verdict:
        sudo = context["tool_call"]["args"]["command"].startswith("sudo")
        return Verdict.deny(reason="no sudo") if sudo else Verdict.allow()

    interceptor = At("pre_tool_call", no_sudo)
    guard(engine, InterceptionEmitter().register(interceptor))
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "sudo rm x"}}}
    engine.add_hook("PreToolUse", lambda _: answer)
    outcome = fire(engine, "PreToolUse", **CALL)
    assert (outcome.result, interceptor.seen) == ("blocked", ["pre_tool_call", "pre_tool_call"])


def test_a_rewrite_that_would_be_lost_is_a_denial(engine: HookEngine) -> None:
    guard(engine, InterceptionEmitter().register(At("pre_tool_call", rewrites("ls", "$target.command"))))
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "rm y"}}}
    engine.add_hook("PreToolUse", lambda _: answer, order=1)
    assert fire(engine, "PreToolUse", **CALL).blocked


def test_what_is_removed_says_nothing(engine: HookEngine) -> None:
    made = guard(engine, InterceptionEmitter().register(At("pre_tool_call", Verdict.deny(reason="no"))))
    made.remove()
    assert fire(engine, "PreToolUse", **CALL).result == "passed"


@pytest.mark.parametrize(("event", "fields"), [("PreToolUse", CALL), ("UserPromptSubmit", {"prompt": "hi"})])
def test_an_emitter_that_fails_blocks(engine: HookEngine, event: str, fields: dict[str, Any]) -> None:
    class Broken(InterceptionEmitter):
        async def emit_unchecked(self, ctx: dict[str, Any]) -> Any:
            raise OSError("the disk is full")

    guard(engine, Broken())
    outcome = fire(engine, event, **fields)
    assert (outcome.result, outcome.reason) == ("blocked", "the interceptors could not be asked: OSError")


def test_an_interceptor_that_is_late_holds_back_what_can_be_held_back(engine: HookEngine) -> None:
    class Late:
        def intercept(self, context: dict[str, Any]) -> Any:
            return asyncio.sleep(60, Verdict.allow())

    guard(engine, InterceptionEmitter().register(Late()), timeout=0.1)
    assert fire(engine, "PreToolUse", **CALL).blocked
    assert fire(engine, "UserPromptSubmit", prompt="hi").blocked
    assert fire(engine, "Stop", stop_hook_active=False, last_assistant_message="bye").blocked
    assert fire(engine, "PostToolUse", **CALL, tool_response="secret").blocked


def test_a_session_whose_start_nobody_could_judge_does_nothing(engine: HookEngine) -> None:
    class Slow:
        def intercept(self, context: AgentContext, /) -> Any:
            return self.judged(context)

        async def judged(self, context: AgentContext) -> Verdict:
            await asyncio.sleep(60 if context["interception_point"] == "agent_startup" else 0)
            return Verdict.allow()

    guard(engine, InterceptionEmitter().register(Slow()), timeout=0.1)
    fire(engine, "SessionStart", source="startup")
    assert fire(engine, "PreToolUse", **CALL).blocked
    assert fire(engine, "UserPromptSubmit", prompt="hi").blocked


def test_each_of_two_calls_with_one_id_is_judged(engine: HookEngine) -> None:
    class Judge:
        def intercept(self, context: AgentContext, /) -> Any:
            return self.judged(context)

        async def judged(self, context: AgentContext) -> Verdict:
            await asyncio.sleep(0.1)
            return Verdict.deny(reason="no") if context["target"]["command"] == "rm x" else Verdict.allow()

    guard(engine, InterceptionEmitter().register(Judge()))

    async def both() -> list[Outcome]:
        harmless = {**CALL, "tool_input": {"command": "ls"}}
        calls = [engine.run_event("PreToolUse", **harmless), engine.run_event("PreToolUse", **CALL)]
        return list(await asyncio.gather(*calls))

    assert [outcome.blocked for outcome in asyncio.run(both())] == [False, True]
