"""Functions as hooks: their inputs, their answers, and their order."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import json
import threading
from typing import Any

import pytest
from conftest import BASH, Make, command, group

from becket import (
    HookEngine,
    HookInput,
    HookResult,
    PermissionRequestInput,
    PreToolUseInput,
    RegistrationError,
    StopInput,
    UserPromptSubmitInput,
)

# rules: H9, N1
@pytest.mark.parametrize("way", ["plain", "async"])
def test_a_handler_gets_the_typed_input_with_what_the_session_knows(engine: HookEngine, way: str) -> None:
    seen: list[PreToolUseInput] = []

    def plain(input: PreToolUseInput) -> None:
        seen.append(input)

    async def coroutine(input: PreToolUseInput) -> None:
        seen.append(input)

    engine.add_hook("PreToolUse", plain if way == "plain" else coroutine)
    engine.run_event_sync("PreToolUse", **BASH, host_field={"a": [1, None, True, 1.5]})
    (input,) = seen
    assert isinstance(input, PreToolUseInput)
    assert (input.tool_name, input.tool_input, input.tool_use_id) == ("Bash", {"command": "ls"}, "t1")
    assert (input.session_id, input.hook_event_name) == (engine.session_id, "PreToolUse")
    assert input.extra == {"host_field": {"a": [1, None, True, 1.5]}}
    assert input.to_dict()["hook_event_name"] == "PreToolUse"


# rule: H9
ANSWERS: list[tuple[Any, str, str | None]] = [
    (None, "passed", None),
    ({}, "passed", None),
    (HookResult(), "passed", None),
    (HookResult(permission_decision="deny", reason="r"), "blocked", "r"),
    ({"permission_decision": "deny", "reason": "r"}, "blocked", "r"),
    ({"decision": "block", "reason": "r"}, "blocked", "r"),
    (HookResult(decision="block", reason="r"), "blocked", "r"),
    (HookResult(permission_decision="allow", reason="r"), "passed", "r"),
    (HookResult(stop=True, stop_reason="r"), "blocked", "r"),
    (
        {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny"}},
        "blocked",
        "Blocked by hook",
    ),
]


@pytest.mark.parametrize(("answer", "result", "reason"), ANSWERS)
def test_answers_of_all_shapes_count(engine: HookEngine, answer: Any, result: str, reason: str | None) -> None:
    engine.add_hook("PreToolUse", lambda _: answer)
    outcome = engine.run_event_sync("PreToolUse", **BASH)
    assert (outcome.result, outcome.reason) == (result, reason), outcome.to_dict()
    assert outcome.failures == []


# rules: H9, C6
def test_context_comes_in_the_order_of_order_whoever_ends_first(engine: HookEngine) -> None:
    late = threading.Event()

    def slow(_: HookInput) -> HookResult:
        late.wait(10)
        return HookResult(additional_context="first")

    async def quick(_: HookInput) -> HookResult:
        late.set()
        return HookResult(additional_context="last")

    engine.add_hook("UserPromptSubmit", quick, order=5)
    engine.add_hook("UserPromptSubmit", slow, order=-5)
    engine.add_hook("UserPromptSubmit", lambda _: {"additional_context": "middle"})
    outcome = engine.run_event_sync("UserPromptSubmit", prompt="p")
    assert outcome.additional_context == ["first", "middle", "last"]


# rules: C4, C6
def test_in_profile_agent_order_mixes_commands_and_functions(make: Make) -> None:
    hooks = {"UserPromptSubmit": group(command("echo one", order=1), command("echo three", order=3))}
    engine = make(hooks, profile="agent")
    engine.add_hook("UserPromptSubmit", lambda _: {"additional_context": "two"}, order=2)
    assert engine.run_event_sync("UserPromptSubmit", prompt="p").additional_context == ["one", "two", "three"]


# rule: D5
@pytest.mark.parametrize(("profile", "context"), [("agent", []), ("claude", ["why not"])])
def test_context_beside_a_deny_is_dropped_in_profile_agent(make: Make, profile: str, context: list[str]) -> None:
    engine = make(profile=profile)
    denial = HookResult(permission_decision="deny", reason="no", additional_context="why not")
    engine.add_hook("PreToolUse", lambda _: denial)
    outcome = engine.run_event_sync("PreToolUse", **BASH)
    assert (outcome.permission_decision, outcome.additional_context) == ("deny", context)


# rules: D4, D9
def test_a_rewrite_comes_back_and_handlers_cannot_touch_each_others_input(engine: HookEngine) -> None:
    seen: list[str] = []

    def rewrites(input: PreToolUseInput) -> HookResult:
        input.tool_input["command"] = "spoilt"
        return HookResult(permission_decision="allow", updated_input={"command": "ls -l"})

    def looks(input: PreToolUseInput) -> None:
        seen.append(input.tool_input["command"])

    engine.add_hook("PreToolUse", rewrites, order=1)
    engine.add_hook("PreToolUse", looks, order=2)
    outcome = engine.run_event_sync("PreToolUse", **BASH)
    assert outcome.updated_input == {"command": "ls -l"}
    assert seen == ["ls", "ls -l"]


def test_matchers_conditions_and_names(engine: HookEngine) -> None:
    calls: list[str] = []

    @engine.hook("PreToolUse", matcher="Write|Edit")
    def writes(_: PreToolUseInput) -> None:
        calls.append("writes")

    @engine.hook("PreToolUse", condition="Bash(git *)", name="git")
    async def git(_: PreToolUseInput) -> None:
        calls.append("git")

    engine.run_event_sync("PreToolUse", **BASH)
    engine.run_event_sync("PreToolUse", **{**BASH, "tool_input": {"command": "sudo git push"}})
    assert calls == ["git"]
    engine.remove_hook("git")
    engine.run_event_sync("PreToolUse", **{**BASH, "tool_input": {"command": "git push"}})
    assert calls == ["git"]
    with pytest.raises(RegistrationError, match="there is no hook `git`"):
        engine.remove_hook("git")


# rule: D8
def test_permission_requests_are_answered(engine: HookEngine) -> None:
    def answers(input: PermissionRequestInput) -> HookResult:
        if "rm" in input.tool_input["command"]:
            return HookResult(permission_decision="deny", reason="not here")
        return HookResult(permission_decision="allow", updated_input={"command": "ls -l"})

    engine.add_hook("PermissionRequest", answers)
    outcome = engine.run_event_sync("PermissionRequest", tool_name="Bash", tool_input={"command": "ls"})
    assert (outcome.permission_decision, outcome.updated_input) == ("allow", {"command": "ls -l"})
    outcome = engine.run_event_sync("PermissionRequest", tool_name="Bash", tool_input={"command": "rm x"})
    assert (outcome.permission_decision, outcome.reason) == ("deny", "not here")


def test_context_variables_reach_both_kinds_and_stay_their_own(engine: HookEngine) -> None:
    request = contextvars.ContextVar("request", default="none")
    seen: list[str] = []

    def plain(_: HookInput) -> None:
        seen.append(request.get())
        request.set("spoilt")

    async def coroutine(_: HookInput) -> None:
        await asyncio.sleep(0)
        seen.append(request.get())
        request.set("spoilt")

    engine.add_hook("Stop", plain)
    engine.add_hook("Stop", coroutine)

    async def fires() -> None:
        request.set("r1")
        await engine.run_event("Stop", stop_hook_active=False)
        assert request.get() == "r1"

    asyncio.run(fires())
    assert seen == ["r1", "r1"]


class Guard:
    async def __call__(self, input: StopInput) -> dict[str, Any]:
        return {"decision": "block", "reason": "an object"}

    def method(self, extra: str, input: StopInput) -> dict[str, Any]:
        return {"decision": "block", "reason": extra}


@pytest.mark.parametrize(
    ("handler", "reason"),
    [(Guard(), "an object"), (functools.partial(Guard().method, "a partial"), "a partial")],
)
def test_objects_and_partials_are_handlers(engine: HookEngine, handler: Any, reason: str) -> None:
    engine.add_hook("Stop", handler)
    outcome = engine.run_event_sync("Stop", stop_hook_active=False)
    assert (outcome.blocked, outcome.reason) == (True, reason)


# rule: N5
@pytest.mark.parametrize("way", ["inline", "from a thread"])
def test_what_a_host_gives_is_what_a_handler_gets(engine: HookEngine, way: str) -> None:
    given: dict[str, Any] = {
        "text": "\u00e9\U0001f600\0",
        "numbers": [0, -(2**63), 2**64 - 1, 0.5, -0.0, 1e300],
        "flags": (True, False, None),
        "nested": {"": {}, "tool_name": [[], {"cwd": [None]}]},
        "long": "x" * 100_000,
    }
    got: list[HookInput] = []

    async def takes(given: HookInput) -> None:
        got.append(given)

    if way == "inline":
        engine.add_hook("PreToolUse", takes)
    else:
        engine.add_hook("PreToolUse", got.append)
    fields = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": given, "host": given, "extra": given}
    outcome = asyncio.run(engine.run_event("PreToolUse", **fields))
    expected = json.loads(json.dumps(given))
    assert isinstance(got[0], PreToolUseInput)
    assert got[0].tool_input == expected
    assert got[0].extra == {"host": expected, "extra": expected}
    assert [type(number) for number in got[0].tool_input["numbers"]] == [int] * 3 + [float] * 3
    assert outcome.to_dict() == json.loads(json.dumps(outcome.to_dict()))


def test_an_event_as_an_object_is_the_same(engine: HookEngine) -> None:
    engine.add_hook("UserPromptSubmit", lambda input: HookResult(decision="block", reason=input.prompt))
    outcome = engine.run_event_sync(UserPromptSubmitInput(prompt="p"))
    assert (outcome.blocked, outcome.reason) == (True, "p")


# rule: O9
@pytest.mark.parametrize(
    ("event", "fields", "answer"),
    [
        ("PreToolUse", BASH, HookResult(permission_decision="allow", decision="block", reason="no")),
        ("PreToolUse", BASH, HookResult(permission_decision="ask", decision="block", reason="no")),
        ("PreToolUse", BASH, HookResult(permission_decision="allow", specific={"permissionDecision": "deny"})),
        ("PermissionRequest", BASH, HookResult(permission_decision="allow", decision="block")),
        (
            "PermissionRequest",
            BASH,
            HookResult(permission_decision="allow", specific={"decision": {"behavior": "deny"}}),
        ),
    ],
)
def test_of_two_decisions_in_one_answer_the_stricter_counts(
    make: Make, event: str, fields: dict[str, Any], answer: HookResult
) -> None:
    engine = make(interactive=True)
    engine.add_hook(event, lambda _: answer)
    assert engine.run_event_sync(event, **fields).blocked


# rule: O11
@pytest.mark.parametrize(
    ("event", "fields", "answer"),
    [
        ("Stop", {"stop_hook_active": False}, HookResult(decision="block", reason="no \udcff \U0001f600")),
        ("Stop", {"stop_hook_active": False}, {"decision": "block", "reason": "no \udcff \U0001f600"}),
        ("PreToolUse", BASH, HookResult(permission_decision="deny", reason="no \udcff \U0001f600")),
        ("PermissionRequest", BASH, HookResult(permission_decision="deny", reason="no \udcff \U0001f600")),
    ],
)
def test_a_path_with_broken_bytes_in_a_reason_costs_no_denial(
    make: Make, event: str, fields: dict[str, Any], answer: HookResult | dict[str, Any]
) -> None:
    engine = make(interactive=True)
    engine.add_hook(event, lambda _: answer)
    outcome = engine.run_event_sync(event, **fields)
    assert (outcome.blocked, outcome.reason, outcome.failures) == (True, "no \ufffd \U0001f600", [])
