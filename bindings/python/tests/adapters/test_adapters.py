"""The same conversations with every framework's agent: hooks must have the same effects in all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agents_under_test import AGENTS, Script, Talk

from becket import HookEngine, ToolApproval, ToolApprovalCallback

Run = Callable[..., Talk]
LS: Script = [{"c1": {"command": "ls"}}, "done"]


@pytest.fixture
def engine(project: Path) -> Iterator[HookEngine]:
    with HookEngine(project) as engine:
        yield engine


@pytest.fixture(params=AGENTS)
def run(request: pytest.FixtureRequest, engine: HookEngine) -> Run:
    def run(script: Script, prompt: str = "look around") -> Talk:
        async def bounded() -> Talk:
            return await asyncio.wait_for(AGENTS[request.param](engine, script, prompt, None), 60)

        return asyncio.run(bounded())

    return run


def hook(engine: HookEngine, event: str, **fields: Any) -> None:
    """Returns a hook that always answers with these fields of the event's own."""
    engine.add_hook(event, lambda _: {"hookSpecificOutput": {"hookEventName": event, **fields}})


def test_without_hooks_nothing_changes(run: Run) -> None:
    talk = run(LS)
    assert (talk.answer, talk.ran) == ("done", ["ls"])
    assert talk.requests[1][-1] == "ran ls"


def test_a_denied_call_does_not_run_and_the_model_is_told_why(run: Run, engine: HookEngine) -> None:
    hook(engine, "PreToolUse", permissionDecision="deny", permissionDecisionReason="not on a Sunday")
    talk = run(LS)
    assert (talk.answer, talk.ran) == ("done", [])
    assert "not on a Sunday" in talk.requests[1][-1]


def callbacks(answer: Any) -> dict[str, Callable[[ToolApproval], Any]]:
    """Returns callbacks that give this answer, or raise it."""

    def plain(_: ToolApproval) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def coroutine(call: ToolApproval) -> Any:
        return plain(call)

    return {"plain": plain, "async": coroutine}


# rule: D3
@pytest.mark.parametrize(("answer", "ran"), [(True, ["ls"]), (False, []), (None, []), ("yes", []), (KeyError("x"), [])])
@pytest.mark.parametrize("kind", ["plain", "async"])
@pytest.mark.parametrize("by", ["engine", "adapter"])
@pytest.mark.parametrize("agent", AGENTS)
def test_an_ask_reaches_the_approval_callback(
    project: Path, agent: str, by: str, kind: str, answer: Any, ran: list[str]
) -> None:
    asked: list[str] = []
    inner = callbacks(answer)[kind]

    def approve(call: ToolApproval) -> Any:
        asked.append(f"{call.tool_name} {call.tool_input} {call.tool_use_id}")
        return inner(call)

    with HookEngine(project, tool_approval_callback=approve if by == "engine" else None) as engine:
        hook(engine, "PreToolUse", permissionDecision="ask", permissionDecisionReason="sure?")
        talk = one_talk(agent, engine, approve if by == "adapter" else None)
    assert (talk.answer, talk.ran, asked) == ("done", ran, ["shell {'command': 'ls'} c1"])
    assert talk.ran or "sure?" in talk.requests[1][-1]


# rule: D3
@pytest.mark.parametrize("by", ["engine", "adapter"])
@pytest.mark.parametrize("agent", AGENTS)
def test_a_late_approval_is_none(project: Path, agent: str, by: str) -> None:
    async def late(_: ToolApproval) -> bool:
        await asyncio.sleep(60)
        return True

    callback = late if by == "engine" else None
    with HookEngine(project, tool_approval_callback=callback, tool_approval_timeout=0.1) as engine:
        hook(engine, "PreToolUse", permissionDecision="ask")
        assert one_talk(agent, engine, late if by == "adapter" else None).ran == []


# rule: D3
@pytest.mark.parametrize("by", ["engine", "adapter"])
@pytest.mark.parametrize("agent", AGENTS)
def test_a_cancelled_approval_is_none(project: Path, agent: str, by: str) -> None:
    """The callback's own cancellation is not a yes, and an agent that is cancelled while the user is asked runs nothing."""

    async def gives_up(_: ToolApproval) -> bool:
        raise asyncio.CancelledError

    asked = asyncio.Event()

    async def thinks(_: ToolApproval) -> bool:
        asked.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass
        return True

    def engine_with(callback: ToolApprovalCallback) -> HookEngine:
        engine = HookEngine(project, tool_approval_callback=callback if by == "engine" else None)
        hook(engine, "PreToolUse", permissionDecision="ask")
        return engine

    with engine_with(gives_up) as engine:
        assert one_talk(agent, engine, gives_up if by == "adapter" else None).ran == []

    async def cancelled() -> list[str]:
        ran: list[str] = []
        with engine_with(thinks) as engine:
            engine.add_hook("PostToolUse", lambda _: ran.append("ran"))
            engine.add_hook("PostToolUseFailure", lambda _: ran.append("failed"))
            talk = asyncio.ensure_future(AGENTS[agent](engine, LS, "look around", thinks if by == "adapter" else None))
            await asyncio.wait_for(asked.wait(), 60)
            talk.cancel()
            with pytest.raises(asyncio.CancelledError):
                await talk
        return ran

    assert asyncio.run(cancelled()) == []


# rule: D3
@pytest.mark.parametrize("agent", AGENTS)
def test_an_approval_after_the_end_of_the_session_is_none(project: Path, agent: str) -> None:
    ran: list[str] = []
    with HookEngine(project) as engine:

        def approve(_: ToolApproval) -> bool:
            engine.close()
            return True

        hook(engine, "PreToolUse", permissionDecision="ask")
        # The session is over, so nothing of it can go on: the error comes out of the agent, or the run of it fails.
        with pytest.raises(Exception, match="closed|SessionClosed"):
            ran += one_talk(agent, engine, approve).ran
    assert ran == []


# rules: D3, D6
def test_after_a_stop_an_approved_call_does_not_run(project: Path) -> None:
    """Two calls side by side: the user is asked about one while the hooks of the other end the turn."""
    from becket.adapters.conversation import Conversation, Refused

    async def talks() -> None:
        stopped = asyncio.Event()

        async def approve(_: ToolApproval) -> bool:
            await asyncio.wait_for(stopped.wait(), 60)
            return True

        with HookEngine(project) as engine:
            engine.add_hook(
                "PreToolUse",
                lambda event: {"continue": False, "stopReason": "enough"}
                if event.tool_input["command"] == "stop"
                else {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}},
            )
            hooks = Conversation(engine, approve)
            asked = asyncio.ensure_future(hooks.before("shell", {"command": "ls"}, "c1"))
            with pytest.raises(Refused, match="enough"):
                await hooks.before("shell", {"command": "stop"}, "c2")
            stopped.set()
            with pytest.raises(Refused, match="enough"):
                await asked

    asyncio.run(talks())


# rules: D3, P14
@pytest.mark.parametrize("agent", AGENTS)
def test_in_dont_ask_no_adapter_asks(project: Path, agent: str) -> None:
    def approve(_: ToolApproval) -> bool:
        raise AssertionError("nobody is to be asked")

    with HookEngine(project, permission_mode="dontAsk") as engine:
        hook(engine, "PreToolUse", permissionDecision="ask")
        assert one_talk(agent, engine, approve).ran == []


# rule: D3
@pytest.mark.parametrize("agent", AGENTS)
def test_the_callback_of_the_engine_is_the_only_one_that_is_asked(project: Path, agent: str) -> None:
    def never(_: ToolApproval) -> bool:
        raise AssertionError("the engine has asked")

    for answer, ran in ((True, ["ls"]), (False, [])):
        with HookEngine(project, tool_approval_callback=lambda _, answer=answer: answer) as engine:
            hook(engine, "PreToolUse", permissionDecision="ask")
            assert one_talk(agent, engine, never).ran == ran


# rules: D1, D3
@pytest.mark.parametrize("agent", AGENTS)
def test_a_callback_does_not_approve_a_denial(project: Path, agent: str) -> None:
    def approve(_: ToolApproval) -> bool:
        raise AssertionError("nobody is to be asked")

    with HookEngine(project, tool_approval_callback=approve) as engine:
        hook(engine, "PreToolUse", permissionDecision="deny", permissionDecisionReason="no")
        assert one_talk(agent, engine, approve).ran == []


# rules: D3, D4
@pytest.mark.parametrize("agent", AGENTS)
def test_an_approved_call_runs_on_the_rewrite_that_was_shown(project: Path, agent: str) -> None:
    shown: list[Any] = []

    def approve(call: ToolApproval) -> bool:
        shown.append(call.tool_input)
        return True

    with HookEngine(project) as engine:
        hook(engine, "PreToolUse", permissionDecision="ask", updatedInput={"command": "ls -l"})
        assert one_talk(agent, engine, approve).ran == ["ls -l"]
    assert shown == [{"command": "ls -l"}]


# rules: D3, P11
@pytest.mark.parametrize(("approve", "ran"), [(None, []), (lambda _: True, ["ls"])])
@pytest.mark.parametrize("agent", AGENTS)
def test_an_ask_rule_is_asked_about(project: Path, agent: str, approve: Any, ran: list[str]) -> None:
    with HookEngine(project, settings={"permissions": {"ask": ["shell"]}}) as engine:
        assert one_talk(agent, engine, approve).ran == ran


def one_talk(agent: str, engine: HookEngine, approve: ToolApprovalCallback | None) -> Talk:
    """A conversation with one call of `ls`."""

    async def talks() -> Talk:
        return await asyncio.wait_for(AGENTS[agent](engine, LS, "look around", approve), 60)

    return asyncio.run(talks())


def test_an_ask_that_nobody_answers_is_refused(run: Run, engine: HookEngine) -> None:
    hook(engine, "PreToolUse", permissionDecision="ask", permissionDecisionReason="sure?")
    talk = run(LS)
    assert talk.ran == [] and "sure?" in talk.requests[1][-1]


def test_a_failing_hook_denies(run: Run, engine: HookEngine) -> None:
    def broken(_: Any) -> None:
        raise KeyError("x")

    engine.add_hook("PreToolUse", broken)
    assert run(LS).ran == []


def test_a_rewritten_input_is_what_the_tool_gets(run: Run, engine: HookEngine) -> None:
    hook(engine, "PreToolUse", updatedInput={"command": "ls -l"})
    assert run(LS).ran == ["ls -l"]


def test_a_rewritten_result_is_what_the_model_gets(run: Run, engine: HookEngine) -> None:
    hook(engine, "PostToolUse", updatedToolOutput="***")
    talk = run(LS)
    assert talk.ran == ["ls"]
    assert talk.requests[1][-1] == "***"


# rule: L2
def test_context_comes_after_the_last_result(run: Run, engine: HookEngine) -> None:
    def each(hook_input: Any) -> dict[str, Any]:
        command = hook_input.to_dict()["tool_input"]["command"]
        return {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": f"seen {command}"}}

    engine.add_hook("PreToolUse", each)
    talk = run([{"c1": {"command": "ls"}, "c2": {"command": "pwd"}}, {"c3": {"command": "id"}}, "done"])
    second, third = talk.requests[1], talk.requests[2]
    assert sorted(second[-4:-2]) == ["ran ls", "ran pwd"]
    assert sorted(second[-2:]) == ["seen ls", "seen pwd"]
    assert second[-2:] == third[len(second) - 2 : len(second)], "what the model was told stays where it was"
    assert third[-2:] == ["ran id", "seen id"]


def test_context_of_the_start_and_the_prompt_comes_with_the_first_request(run: Run, engine: HookEngine) -> None:
    hook(engine, "SessionStart", additionalContext="be brief")
    hook(engine, "UserPromptSubmit", additionalContext="it is late")
    assert run(["done"]).requests[0] == ["look around", "be brief", "it is late"]


def test_a_blocked_prompt_reaches_no_model(run: Run, engine: HookEngine) -> None:
    engine.add_hook("UserPromptSubmit", lambda _: {"decision": "block", "reason": "a password"})
    talk = run(["done"])
    assert (talk.refused, talk.requests) == ("a password", [])


# rule: L4
def test_a_stop_hook_keeps_it_going(run: Run, engine: HookEngine) -> None:
    seen: list[bool] = []

    def tests_first(hook_input: Any) -> dict[str, Any] | None:
        seen.append(hook_input.to_dict()["stop_hook_active"])
        return None if seen[-1] else {"decision": "block", "reason": "run the tests"}

    engine.add_hook("Stop", tests_first)
    talk = run(["done", {"c1": {"command": "test"}}, "all green"])
    assert (talk.answer, talk.ran) == ("all green", ["test"])
    assert talk.requests[1][-1] == "Stop hook feedback:\nrun the tests"


# rule: L4
def test_the_ninth_continuation_is_overridden(run: Run, engine: HookEngine) -> None:
    engine.add_hook("Stop", lambda _: {"decision": "block", "reason": "again"})
    talk = run([f"answer {number}" for number in range(12)])
    assert (talk.answer, len(talk.requests)) == ("answer 8", 9)


# rule: D6
def test_a_hook_that_stops_ends_the_turn(run: Run, engine: HookEngine) -> None:
    engine.add_hook("PreToolUse", lambda _: {"continue": False, "stopReason": "out of budget"})
    talk = run(LS)
    assert (talk.ran, len(talk.requests), talk.answer) == ([], 1, "out of budget")


def test_feedback_on_a_result(run: Run, engine: HookEngine) -> None:
    engine.add_hook("PostToolUse", lambda _: {"decision": "block", "reason": "format it"})
    assert run(LS).requests[1][-2:] == ["ran ls", "format it"]


def test_every_event_comes_in_its_order(run: Run, engine: HookEngine) -> None:
    fired: list[str] = []
    for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"):
        engine.add_hook(event, lambda i: fired.append(i.to_dict()["hook_event_name"]))
    run(LS)
    assert fired == ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"]


def test_what_the_tool_was_run_with_is_what_post_hooks_see(run: Run, engine: HookEngine) -> None:
    seen: list[Any] = []
    hook(engine, "PreToolUse", updatedInput={"command": "pwd"})
    engine.add_hook("PostToolUse", lambda i: seen.append((i.to_dict()["tool_input"], i.to_dict()["tool_response"])))
    run(LS)
    assert seen == [({"command": "pwd"}, "ran pwd")]


def test_a_tool_that_fails(run: Run, engine: HookEngine) -> None:
    seen: list[str] = []
    for event in ("PostToolUse", "PostToolUseFailure"):
        engine.add_hook(event, lambda i: seen.append(i.to_dict()["hook_event_name"]))
    run([{"c1": {"command": "fail"}}, "done"])
    assert len(seen) == 1
