"""Handlers that do not answer: the action is blocked where required, and the failure has its place (rules H9, O10)."""

from __future__ import annotations

import asyncio
import gc
import logging
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from conftest import BASH, Make

from becket import (
    BecketError,
    EventError,
    HookEngine,
    HookInput,
    HookResult,
    LoopError,
    PreToolUseInput,
    RegistrationError,
    SessionClosed,
)

GENEROUS = 20.0


def raises(_: HookInput) -> None:
    raise ValueError("no such list")


async def raises_async(_: HookInput) -> None:
    await asyncio.sleep(0)
    raise ValueError("no such list")


async def coroutine() -> HookResult:
    return HookResult()


def never(_: HookInput) -> None:
    threading.Event().wait(GENEROUS)


async def never_async(_: HookInput) -> None:
    await asyncio.sleep(GENEROUS)


async def stubborn(_: HookInput) -> None:
    until = time.monotonic() + GENEROUS / 4
    while time.monotonic() < until:
        try:
            await asyncio.sleep(GENEROUS)
        except asyncio.CancelledError:
            continue


async def blocks_its_loop(_: HookInput) -> HookResult:
    time.sleep(0.5)
    return HookResult(permission_decision="allow")


def exits(_: HookInput) -> None:
    raise SystemExit(3)


def cycle() -> dict[str, Any]:
    inner: dict[str, Any] = {"hookEventName": "PreToolUse"}
    inner["additionalContext"] = inner
    return {"hookSpecificOutput": inner}


# rule: H9
BAD: list[tuple[Callable[[Any], Any], str]] = [
    (raises, "`raises` (FILE:LINE) raised ValueError: no such list at FILE:LINE"),
    (raises_async, "`raises_async` (FILE:LINE) raised ValueError: no such list at FILE:LINE"),
    (exits, "raised SystemExit: 3"),
    (lambda _: "deny", "it returned a value of type `str`: return a `HookResult`, a dict or None"),
    (lambda _: True, "it returned a value of type `bool`"),
    (lambda _: [HookResult()], "it returned a value of type `list`"),
    (lambda _: coroutine(), "it returned a coroutine that nobody awaits: make the handler `async def`"),
    (lambda _: {"permision_decision": "deny"}, "the key `permision_decision`, which no answer has"),
    (lambda _: {"additional_context": "c", "systemMessage": "m"}, "mixes `additional_context`"),
    (lambda _: HookResult(permission_decision="denied"), "permissionDecision"),  # type: ignore[arg-type]
    (lambda _: HookResult(decision="deny"), "it returned the decision `deny`"),  # type: ignore[arg-type]
    (lambda _: HookResult(specific={"retry": True}), "it returned `retry`, which PreToolUse has no use for"),
    (lambda _: HookResult(reason=7), "permissionDecisionReason"),  # type: ignore[arg-type]
    (lambda _: HookResult(updated_input={"a": object()}), "updatedInput.a` is of type `object`, which JSON can't represent"),
    (lambda _: HookResult(updated_input={"a": float("nan")}), "which JSON has no number for"),
    (lambda _: HookResult(updated_input={"a": 2**70}), "is a number of more than 64 bits"),
    (lambda _: HookResult(updated_input={"a": "\ud800"}), "contains a lone surrogate"),
    (lambda _: {"hookSpecificOutput": {1: 2}}, "has the key 1, which is not text"),
    (lambda _: cycle(), "it is nested deeper than 127 levels"),
    (lambda _: {"hookSpecificOutput": {"hookEventName": "Stop"}}, "answered for `Stop`"),
]


@pytest.mark.parametrize(("handler", "why"), BAD, ids=[why[:40] for _, why in BAD])
def test_what_is_no_answer_denies_the_call_and_says_why(
    engine: HookEngine, handler: Callable[[Any], Any], why: str
) -> None:
    engine.add_hook("PreToolUse", handler)
    engine.add_hook("PreToolUse", lambda _: HookResult(permission_decision="allow", reason="fine"))
    outcome = engine.run_event_sync("PreToolUse", **BASH)
    assert (outcome.blocked, outcome.permission_decision) == (True, "deny")
    (failure,) = outcome.failures
    parts = why.replace("FILE:LINE", "\0").split("\0")
    assert all(part in failure.text for part in parts), failure.text
    if len(parts) > 1:
        assert failure.text.count("test_failures.py:") == len(parts) - 1
    assert "test_failures.py" in failure.text or "answered for" in failure.text or "wrong" in failure.text


REQUEST = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
TASK = {"task_id": "1", "task_subject": "s", "task_description": "d"}
FORM = {"mcp_server_name": "s", "message": "m", "requested_schema": {}}
STOP = {"stop_hook_active": False}

BLOCKS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("PreToolUse", BASH, {"permission_decision": "deny", "reason": "not on a Friday"}),
    ("PreToolUse", BASH, {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "not on a Friday"}}),
    ("PreToolUse", BASH, {"continue": False, "stopReason": "not on a Friday"}),
    ("PermissionRequest", REQUEST, {"permission_decision": "deny", "reason": "not on a Friday"}),
    (
        "PermissionRequest",
        REQUEST,
        {"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "not on a Friday"}}},
    ),
    ("Stop", STOP, {"decision": "block", "reason": "not on a Friday"}),
    ("Stop", STOP, {"permission_decision": "deny", "reason": "not on a Friday"}),
    ("TaskCreated", TASK, {"permission_decision": "deny", "reason": "not on a Friday"}),
    ("PostToolBatch", {"tool_calls": []}, {"decision": "block", "reason": "not on a Friday"}),
    ("ConfigChange", {"source": "project_settings"}, {"decision": "block", "reason": "not on a Friday"}),
]


# rules: H9, O9
@pytest.mark.parametrize(("event", "fields", "answer"), BLOCKS)
@pytest.mark.parametrize(
    "beside",
    [
        {"misspelt": 1},
        {"misspelt": float("nan")},
        {"hookSpecificOutput": cycle()["hookSpecificOutput"]},
        {"updated_input": {"a": "\ud800"}},
        {7: 8},
    ],
)
def test_a_block_holds_whatever_stands_beside_it(
    engine: HookEngine, event: str, fields: dict[str, Any], answer: dict[str, Any], beside: dict[Any, Any]
) -> None:
    if "hookSpecificOutput" in answer and "hookSpecificOutput" in beside:
        beside = {"additionalContext": beside}
    engine.add_hook(event, lambda _: {**answer, **beside})
    outcome = engine.run_event_sync(event, **fields)
    assert outcome.blocked or outcome.stop, outcome.to_dict()
    assert "not on a Friday" in str(outcome.to_dict()["verdict"]), outcome.to_dict()
    assert len(outcome.failures) == 1, outcome.failures


# rules: H9, O9
@pytest.mark.parametrize(
    ("event", "fields", "answer", "kept"),
    [
        (
            "PermissionRequest",
            REQUEST,
            {"hookSpecificOutput": {"decision": {"behavior": "deny", "interrupt": True}}, "misspelt": 1},
            "interrupt",
        ),
        (
            "UserPromptSubmit",
            {"prompt": "p"},
            {"decision": "block", "hookSpecificOutput": {"suppressOriginalPrompt": True}, 7: 8},
            "suppressOriginalPrompt",
        ),
    ],
)
def test_so_does_what_a_block_says_of_itself(
    engine: HookEngine, event: str, fields: dict[str, Any], answer: dict[Any, Any], kept: str
) -> None:
    engine.add_hook(event, lambda _: answer)
    outcome = engine.run_event_sync(event, **fields)
    assert outcome.blocked and len(outcome.failures) == 1, outcome.to_dict()
    assert outcome.to_dict()["verdict"]["fields"][kept] is True, outcome.to_dict()


class Secretive(dict[str, Any]):
    """An answer of which only a part can be read."""

    def get(self, key: str, default: Any = None) -> Any:
        if key in ("interrupt", "suppressOriginalPrompt"):
            raise RuntimeError("ask somebody else")
        return super().get(key, default)


# rules: H9, O9
@pytest.mark.parametrize(
    ("event", "fields", "answer"),
    [
        ("PermissionRequest", REQUEST, {"hookSpecificOutput": {"decision": Secretive(behavior="deny")}, "misspelt": 1}),
        ("UserPromptSubmit", {"prompt": "p"}, {"decision": "block", "hookSpecificOutput": Secretive(), 7: 8}),
    ],
)
def test_a_block_stands_where_the_rest_can_not_be_looked_at(
    engine: HookEngine, event: str, fields: dict[str, Any], answer: dict[Any, Any]
) -> None:
    engine.add_hook(event, lambda _: answer)
    outcome = engine.run_event_sync(event, **fields)
    assert outcome.blocked and len(outcome.failures) == 1, outcome.to_dict()


# rule: H9
@pytest.mark.parametrize("specific", [None, 0, False, 7])
@pytest.mark.parametrize("answers", [lambda given: HookResult(specific=given), lambda given: {"specific": given}])
def test_further_fields_that_are_none_fail_the_hook(
    engine: HookEngine, specific: Any, answers: Callable[[Any], Any]
) -> None:
    engine.add_hook("PreToolUse", lambda _: answers(specific))
    outcome = engine.run_event_sync("PreToolUse", **BASH)
    assert outcome.blocked and len(outcome.failures) == 1, outcome.to_dict()


class Odd(HookResult):
    """An answer that can't be read."""

    @property
    def reason(self) -> str:
        raise ValueError("no reason")

    @reason.setter
    def reason(self, _: object) -> None: ...  # pyright: ignore[reportIncompatibleVariableOverride]


class Unlike:
    def __eq__(self, _: object) -> bool:
        raise ValueError("can't be compared")


# rules: H9, O10
@pytest.mark.parametrize(
    ("event", "fields", "on_failure", "answer", "blocked", "stops"),
    [
        # A stop that the event does not know is not a block, and what is wrong beside it is a failure anyway.
        ("ConfigChange", {"source": "project_settings"}, "block", {"continue": False, "misspelt": 1}, True, False),
        ("UserPromptSubmit", {"prompt": "p"}, None, {"continue": False, "misspelt": 1}, True, True),
        ("UserPromptSubmit", {"prompt": "p"}, "continue", {"continue": False, "misspelt": 1}, False, True),
        ("Stop", STOP, "continue", {"decision": "block", "hookSpecificOutput": {"action": "cancel", 1: 2}}, True, False),
        ("PostToolBatch", {"tool_calls": []}, "continue", {"stop": True, "misspelt": 1}, False, True),
        ("Stop", STOP, "continue", {"additional_context": "c", "misspelt": 1}, False, False),
        ("Notification", {"message": "m", "notification_type": "t"}, "continue", {"decision": "block", "z": 1}, False, False),
        ("PreToolUse", BASH, "continue", Odd(permission_decision="deny"), True, False),
        ("PreToolUse", BASH, None, {"permission_decision": Unlike()}, True, False),
        ("PreToolUse", BASH, "continue", {"permission_decision": Unlike()}, False, False),
        ("Stop", STOP, "continue", {"permission_decision": Unlike(), "decision": "block"}, True, False),
        ("Stop", STOP, "continue", HookResult(decision="block", updated_input={"a": float("nan")}), True, False),
        ("Elicitation", FORM, "continue", {"hookSpecificOutput": {"action": "decline"}, "misspelt": 1}, True, False),
    ],
)
@pytest.mark.parametrize("way", ["plain", "async"])
def test_what_can_not_be_read_is_a_failure_and_at_once(
    engine: HookEngine,
    event: str,
    fields: dict[str, Any],
    on_failure: Any,
    answer: Any,
    blocked: bool,
    stops: bool,
    way: str,
) -> None:
    async def later(_: HookInput) -> Any:
        return answer

    engine.add_hook(event, later if way == "async" else lambda _: answer, on_failure=on_failure, timeout=GENEROUS)
    started = time.monotonic()
    outcome = engine.run_event_sync(event, **fields)
    assert time.monotonic() - started < GENEROUS / 2
    assert (outcome.blocked, outcome.stop, len(outcome.failures)) == (blocked, stops, 1), outcome.to_dict()


EXPANSION: dict[str, Any] = {
    "prompt": "p",
    "expansion_type": "slash_command",
    "command_name": "c",
    "command_args": "",
}


# rules: H9, O10
@pytest.mark.parametrize(
    ("event", "fields", "on_failure", "blocked"),
    [
        ("PreToolUse", BASH, None, True),
        ("PreToolUse", BASH, "block", True),
        ("PreToolUse", BASH, "continue", False),
        ("UserPromptSubmit", {"prompt": "p"}, None, True),
        ("UserPromptSubmit", {"prompt": "p"}, "continue", False),
        ("UserPromptExpansion", EXPANSION, None, True),
        ("UserPromptExpansion", EXPANSION, "continue", False),
        ("PermissionRequest", REQUEST, None, False),
        ("PermissionRequest", REQUEST, "block", True),
        ("Stop", STOP, None, False),
        ("Stop", STOP, "continue", False),
        ("TaskCreated", {"task_id": "1", "task_subject": "s", "task_description": "d"}, None, False),
        ("TaskCreated", {"task_id": "1", "task_subject": "s", "task_description": "d"}, "continue", False),
        ("TaskCreated", {"task_id": "1", "task_subject": "s", "task_description": "d"}, "block", True),
        ("Notification", {"message": "m", "notification_type": "t"}, "continue", False),
    ],
)
def test_a_failure_means_what_its_event_says(
    engine: HookEngine, event: str, fields: dict[str, Any], on_failure: Any, blocked: bool
) -> None:
    engine.add_hook(event, raises, on_failure=on_failure)
    outcome = engine.run_event_sync(event, **fields)
    assert (outcome.blocked, len(outcome.failures)) == (blocked, 1), outcome.to_dict()


# rules: H9, H11
@pytest.mark.parametrize("handler", [never, never_async, stubborn])
@pytest.mark.parametrize("way", ["sync", "await"])
def test_both_kinds_keep_their_timeout(engine: HookEngine, handler: Any, way: str) -> None:
    engine.add_hook("PreToolUse", handler, timeout=0.2)
    engine.add_hook("PreToolUse", lambda _: HookResult(permission_decision="allow"))
    started = time.monotonic()
    if way == "sync":
        outcome = engine.run_event_sync("PreToolUse", **BASH)
        elapsed = time.monotonic() - started
    else:

        async def fires() -> tuple[Any, float]:
            outcome = await engine.run_event("PreToolUse", **BASH)
            return outcome, time.monotonic() - started

        loop = asyncio.new_event_loop()
        outcome, elapsed = loop.run_until_complete(fires())
    assert outcome.permission_decision == "deny"
    assert "ran out of time after 0.2 s" in outcome.failures[0].text
    assert elapsed < GENEROUS / 4


# rule: H11
def test_the_default_timeout_of_profile_agent_is_ten_seconds(make: Make) -> None:
    for profile, seconds in [("agent", 10.0), ("claude", 600.0)]:
        engine = make(profile=profile)
        engine.add_hook("PreToolUse", raises)
        (run,) = engine.plan("PreToolUse", **BASH)["runs"]
        assert run["timeout_s"] == seconds


# rule: H9
def test_an_async_handler_that_is_late_is_cancelled(engine: HookEngine) -> None:
    cancelled = threading.Event()

    async def late(_: HookInput) -> None:
        try:
            await asyncio.sleep(GENEROUS)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    engine.add_hook("Stop", late, timeout=0.1)

    async def fires() -> None:
        outcome = await engine.run_event("Stop", stop_hook_active=False)
        assert len(outcome.failures) == 1
        await asyncio.to_thread(cancelled.wait, GENEROUS)

    asyncio.run(fires())
    assert cancelled.is_set()


# rule: H9
def test_a_handler_that_blocks_the_loop_has_failed(engine: HookEngine) -> None:
    engine.add_hook("PreToolUse", blocks_its_loop, timeout=0.1)
    outcome = asyncio.run(engine.run_event("PreToolUse", **BASH))
    assert outcome.permission_decision == "deny"
    assert "ran out of time" in outcome.failures[0].text


# rule: H9
def test_a_loop_that_turns_is_not_held_up_by_plain_functions(engine: HookEngine) -> None:
    release = threading.Event()

    def waits(_: HookInput) -> None:
        release.wait(GENEROUS)

    engine.add_hook("Stop", waits)

    async def fires() -> None:
        firing = asyncio.ensure_future(engine.run_event("Stop", stop_hook_active=False))
        await asyncio.sleep(0.05)
        assert not firing.done()
        release.set()
        assert (await firing).failures == []

    asyncio.run(fires())


# rules: H4, H9
def test_a_cancelled_event_ends_its_handlers(engine: HookEngine) -> None:
    begun, cancelled = threading.Event(), threading.Event()

    async def waits(_: HookInput) -> None:
        begun.set()
        try:
            await asyncio.sleep(GENEROUS * 3)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    engine.add_hook("Stop", waits, timeout=GENEROUS * 3)

    async def fires() -> None:
        firing = asyncio.ensure_future(engine.run_event("Stop", stop_hook_active=False))
        await asyncio.to_thread(begun.wait, GENEROUS)
        firing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await firing
        assert await asyncio.to_thread(cancelled.wait, GENEROUS)

    asyncio.run(fires())


def test_a_handler_may_fire_an_event_of_the_same_engine(engine: HookEngine) -> None:
    def outer(_: PreToolUseInput) -> HookResult:
        inner = engine.run_event_sync("UserPromptSubmit", prompt="from within")
        return HookResult(additional_context=",".join(inner.additional_context))

    async def inner(_: HookInput) -> HookResult:
        await asyncio.sleep(0)
        return HookResult(additional_context="inner")

    async def outer_async(_: PreToolUseInput) -> HookResult:
        inner = await engine.run_event("UserPromptSubmit", prompt="from within")
        return HookResult(additional_context=",".join(inner.additional_context) + "2")

    engine.add_hook("PreToolUse", outer, order=1)
    engine.add_hook("PreToolUse", outer_async, order=2)
    engine.add_hook("UserPromptSubmit", inner)
    assert engine.run_event_sync("PreToolUse", **BASH).additional_context == ["inner", "inner2"]
    outcome = asyncio.run(engine.run_event("PreToolUse", **BASH))
    assert outcome.additional_context == ["inner", "inner2"]


def test_waiting_on_a_loops_thread_is_refused_where_a_handler_needs_the_loop(engine: HookEngine) -> None:
    async def needs_loop(_: HookInput) -> None: ...

    def nested(_: HookInput) -> None:
        engine.run_event_sync("Stop", stop_hook_active=False)

    engine.add_hook("Stop", needs_loop)
    engine.add_hook("UserPromptSubmit", nested)

    async def fires() -> None:
        for _ in range(2):
            with pytest.raises(LoopError, match="need the loop of this thread"):
                engine.run_event_sync("Stop", stop_hook_active=False)
            await engine.run_event("Stop", stop_hook_active=False)
        outcome = engine.run_event_sync("UserPromptSubmit", prompt="p")
        assert outcome.blocked and "LoopError" in outcome.failures[0].text

    asyncio.run(fires())


def generator(_: HookInput) -> Iterator[HookResult]:
    yield HookResult()


async def async_generator(_: HookInput) -> AsyncIterator[HookResult]:
    yield HookResult()


# rules: C7, M4
@pytest.mark.parametrize(
    ("event", "handler", "options", "why"),
    [
        ("Stop", generator, {}, "is a generator"),
        ("Stop", async_generator, {}, "is a generator"),
        ("Stop", 7, {}, "can't be called: register a function"),
        ("Stop", lambda: None, {}, "can't be called with one input"),
        ("Stop", lambda a, b: None, {}, "can't be called with one input"),
        ("Stopp", raises, {}, "Stop"),
        ("PreToolUse", raises, {"matcher": "("}, "the matcher of the callback"),
        ("PreToolUse", raises, {"condition": "Bash(git"}, "can't be read"),
        ("PreToolUse", raises, {"timeout": 0}, "above 0"),
        ("PreToolUse", raises, {"timeout": -1}, "above 0"),
        ("PreToolUse", raises, {"timeout": "5"}, "invalid type"),
        ("PreToolUse", raises, {"on_failure": "deny"}, "unknown variant"),
        ("PreToolUse", raises, {"order": 1.5}, "invalid type"),
    ],
)
def test_what_can_not_be_a_hook_is_refused(
    engine: HookEngine, event: str, handler: Any, options: dict[str, Any], why: str
) -> None:
    with pytest.raises(RegistrationError) as refused:
        engine.add_hook(event, handler, **options)
    assert why in str(refused.value)
    engine.add_hook("Stop", raises, name=getattr(handler, "__name__", "x"))


@pytest.mark.parametrize(
    ("event", "fields", "why"),
    [
        ("PreToolUs", {}, "PreToolUse"),
        ("PreToolUse", {}, "`tool_name` is missing"),
        ("PreToolUse", {**BASH, "tool_input": "ls"}, "`tool_input` must be object"),
        ("PreToolUse", {**BASH, "tool_input": {"a": {1, 2}}}, "`tool_input.a` is of type `set`"),
        ("PreToolUse", {**BASH, "session_id": "another"}, "leave it out"),
        ("PreToolUse", {**BASH, "hook_event_name": "Stop"}, "leave it out"),
    ],
)
def test_an_event_that_does_not_fit_is_an_error_and_no_verdict(
    engine: HookEngine, event: str, fields: dict[str, Any], why: str
) -> None:
    for fire in (engine.run_event_sync, lambda *a, **k: asyncio.run(engine.run_event(*a, **k)), engine.explain):
        with pytest.raises(EventError) as wrong:
            fire(event, **fields)
        assert why in str(wrong.value)
    with pytest.raises(EventError, match="of type `int`"):
        engine.run_event_sync(7)  # type: ignore[arg-type]


def test_a_closed_engine_says_so(make: Make) -> None:
    with make() as engine:
        engine.add_hook("Stop", raises)
    for use in (engine.check, engine.background, engine.reload, lambda: engine.run_event_sync("Stop")):
        with pytest.raises(SessionClosed, match="the engine is closed"):
            use()
    engine.close()
    assert issubclass(SessionClosed, BecketError)


class Unspeakable(Exception):
    """An exception that fails to make its text."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


class BrokenLog(logging.Handler):
    """A log handler that raises."""

    def emit(self, record: logging.LogRecord) -> None:
        raise RuntimeError("no log")


# rule: H9
@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("breaks", ["text", "log"])
def test_a_failure_that_can_not_be_told_is_one_at_once(engine: HookEngine, breaks: str, is_async: bool) -> None:
    error: Exception = Unspeakable() if breaks == "text" else ValueError("broke")

    def fails(_: HookInput) -> None:
        raise error

    async def fails_async(_: HookInput) -> None:
        raise error

    engine.add_hook("PreToolUse", fails_async if is_async else fails, timeout=GENEROUS)
    log, broken = logging.getLogger("becket"), BrokenLog()
    if breaks == "log":
        log.addHandler(broken)
    began = time.monotonic()
    try:
        outcome = engine.run_event_sync("PreToolUse", **BASH)
    finally:
        log.removeHandler(broken)
    assert outcome.decision == "block" and time.monotonic() - began < GENEROUS / 2
    assert f"raised {type(error).__name__}" in outcome.failures[0].text


# rule: H9
@pytest.mark.parametrize("ends", [KeyboardInterrupt, SystemExit])
def test_what_ends_a_program_does_not_end_the_loop_of_this_package(
    engine: HookEngine, ends: type[BaseException]
) -> None:
    async def quits(_: HookInput) -> None:
        await asyncio.sleep(0)
        raise ends

    async def denies(_: HookInput) -> HookResult:
        return HookResult(permission_decision="deny", reason="still here")

    engine.add_hook("PreToolUse", quits, name="quits", timeout=GENEROUS)
    assert engine.run_event_sync("PreToolUse", **BASH).decision == "block"
    engine.remove_hook("quits")
    engine.add_hook("PreToolUse", denies, timeout=GENEROUS)
    assert engine.run_event_sync("PreToolUse", **BASH).reason == "still here"


def test_the_first_call_of_a_thread_does_not_keep_its_engine(project: Any) -> None:
    script = """
import gc, sys, time, weakref
from becket import HookEngine
engine = HookEngine(sys.argv[1], trust=True)
engine.add_hook("Stop", lambda _, engine=engine: None)
engine.run_event_sync("Stop", stop_hook_active=False)
held = weakref.ref(engine)
del engine
for _ in range(50):
    gc.collect()
    if held() is None:
        break
    time.sleep(0.1)
print(held() is None)
"""
    done = subprocess.run([sys.executable, "-c", script, project], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "True", done


def test_an_engine_that_nobody_holds_is_collected_with_its_handlers(make: Make, project: Any) -> None:
    engine = HookEngine(project, trust=True)

    class Guard:
        def __init__(self, engine: HookEngine) -> None:
            self.engine = engine

        def __call__(self, _: HookInput) -> None: ...

    guard = Guard(engine)
    engine.add_hook("Stop", guard)
    engine.run_event_sync("Stop", stop_hook_active=False)
    held = weakref.ref(guard), weakref.ref(engine)
    del engine, guard
    for _ in range(50):
        gc.collect()
        if held[0]() is None and held[1]() is None:
            break
        time.sleep(0.1)
    assert (held[0](), held[1]()) == (None, None)


# rule: H9
def test_what_hangs_for_ever_is_counted_and_then_refused(engine: HookEngine) -> None:
    release = threading.Event()

    def hangs(_: HookInput) -> None:
        release.wait(GENEROUS)

    engine.add_hook("Stop", hangs, timeout=0.01)
    texts = [engine.run_event_sync("Stop", stop_hook_active=False).failures[0].text for _ in range(150)]
    assert "ran out of time" in texts[0] and "128 earlier calls of plain functions never came back" in texts[-1]
    release.set()
    for _ in range(100):
        if not engine.run_event_sync("Stop", stop_hook_active=False).failures:
            break
        time.sleep(0.1)
    assert engine.run_event_sync("Stop", stop_hook_active=False).failures == []
