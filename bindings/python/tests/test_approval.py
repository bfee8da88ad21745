"""Tool calls that hooks and rules ask about, and the callback that answers for the user."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from conftest import BASH, Make, command, group

from becket import ConfigError, HookEngine, HookResult, LoopError, Outcome, SessionClosed, ToolApproval

# Longer than any of these tests waits, on the slowest machine.
GENEROUS = 60
RULED: dict[str, Any] = {"permissions": {"ask": ["Bash(ls)"]}}
REWRITES = command(
    """echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","updatedInput":{"command":"ls -l"}}}'"""
)


def asks(engine: HookEngine) -> HookEngine:
    engine.add_hook("PreToolUse", lambda _: HookResult(permission_decision="ask", reason="sure?"))
    return engine


def both_ways(engine: HookEngine) -> list[Outcome]:
    return [engine.run_event_sync("PreToolUse", **BASH), asyncio.run(engine.run_event("PreToolUse", **BASH))]


# rule: D3
@pytest.mark.parametrize("interactive", [False, True])
@pytest.mark.parametrize(("answer", "decision"), [(True, "proceed"), (False, "block")])
def test_an_ask_rule_reaches_the_callback(make: Make, answer: bool, decision: str, interactive: bool) -> None:
    asked: list[ToolApproval] = []

    def approve(call: ToolApproval) -> bool:
        asked.append(call)
        return answer

    engine = make(settings=RULED, tool_approval_callback=approve, interactive=interactive)
    for outcome in both_ways(engine):
        assert (outcome.decision, outcome.blocked, outcome.asks) == (decision, not answer, False)
        assert outcome.permission_decision == ("allow" if answer else "deny")
    assert [call.tool_input for call in asked] == [{"command": "ls"}] * 2 and "Bash(ls)" in (asked[0].reason or "")


# rules: D3, P11
@pytest.mark.parametrize("options", [{"settings": RULED}, {"hooks": {"PreToolUse": group(REWRITES)}}])
def test_without_a_callback_an_ask_is_blocked_or_waits(make: Make, options: dict[str, Any]) -> None:
    for outcome in both_ways(make(**options)):
        assert (outcome.decision, outcome.result, outcome.permission_decision) == ("block", "blocked", "deny")
        assert outcome.asks and outcome.answered(True).decision == "proceed"
        assert outcome.answered(1).decision == "block"  # type: ignore[arg-type]
    for outcome in both_ways(make(interactive=True, **options)):
        assert (outcome.decision, outcome.result, outcome.permission_decision) == ("wait", "waits", "ask")


# rules: D3, P14
@pytest.mark.parametrize("interactive", [False, True])
def test_in_dont_ask_nobody_is_asked(make: Make, interactive: bool) -> None:
    def approve(_: ToolApproval) -> bool:
        raise AssertionError("nobody is to be asked")

    options: dict[str, Any] = {"settings": RULED, "tool_approval_callback": approve, "interactive": interactive}
    for engine, more in ((make(permission_mode="dontAsk", **options), {}), (make(**options), {"permission_mode": "dontAsk"})):
        outcome = engine.run_event_sync("PreToolUse", **BASH, **more)
        assert (outcome.decision, outcome.blocked, outcome.asks) == ("block", True, False)
        assert outcome.answered(True).decision == "block"


def test_nobody_is_asked_about_what_nobody_asks_about(make: Make) -> None:
    def approve(_: ToolApproval) -> bool:
        raise AssertionError("nobody is to be asked")

    engine = make(tool_approval_callback=approve)
    engine.add_hook("PreToolUse", lambda _: HookResult(permission_decision="allow"))
    assert [outcome.decision for outcome in both_ways(engine)] == ["proceed", "proceed"]
    assert engine.run_event_sync("Stop", stop_hook_active=False).decision == "proceed"


class Released:
    """Callbacks that do not answer until the test is over."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.cancelled = threading.Event()

    def plain(self, _: ToolApproval) -> bool:
        self.over.wait(GENEROUS)
        return True

    async def coroutine(self, _: ToolApproval) -> bool:
        try:
            await asyncio.sleep(GENEROUS)
        finally:
            self.cancelled.set()
        return True

    async def stubborn(self, _: ToolApproval) -> bool:
        try:
            await asyncio.sleep(GENEROUS)
        except asyncio.CancelledError:
            self.cancelled.set()
        return True


# rule: D3
@pytest.mark.parametrize("kind", ["plain", "coroutine", "stubborn"])
def test_a_late_callback_denies(make: Make, kind: str) -> None:
    released = Released()
    engine = asks(make(tool_approval_callback=getattr(released, kind), tool_approval_timeout=0.2))
    started = time.monotonic()
    try:
        assert [outcome.decision for outcome in both_ways(engine)] == ["block", "block"]
        assert time.monotonic() - started < GENEROUS / 2
        assert kind == "plain" or released.cancelled.wait(GENEROUS)
    finally:
        released.over.set()


def raising(error: BaseException) -> tuple[Callable[[ToolApproval], Any], ...]:
    def plain(_: ToolApproval) -> bool:
        raise error

    async def coroutine(_: ToolApproval) -> bool:
        raise error

    return plain, coroutine


# rule: D3
@pytest.mark.parametrize("error", [KeyError("x"), StopIteration(), asyncio.CancelledError(), GeneratorExit(), TimeoutError()])
def test_a_callback_that_raises_denies(make: Make, error: BaseException) -> None:
    for callback in raising(error):
        engine = asks(make(tool_approval_callback=callback))
        assert [outcome.decision for outcome in both_ways(engine)] == ["block", "block"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_a_program_comes_out_of_the_event(make: Make, error: type[BaseException]) -> None:
    for callback in raising(error()):
        engine = asks(make(tool_approval_callback=callback))
        with pytest.raises(error):
            engine.run_event_sync("PreToolUse", **BASH)
        with pytest.raises(error):
            asyncio.run(engine.run_event("PreToolUse", **BASH))


# rules: D3, D9
def test_the_callback_sees_what_would_run_and_can_not_change_it(make: Make) -> None:
    seen: list[dict[str, Any]] = []

    def approve(call: ToolApproval) -> bool:
        seen.append(dict(call.tool_input))
        call.tool_input["command"] = "rm -rf /"
        return True

    rewritten = make({"PreToolUse": group(REWRITES)}, tool_approval_callback=approve)
    for outcome in both_ways(rewritten):
        assert (outcome.decision, outcome.updated_input) == ("proceed", {"command": "ls -l"})
    call = {**BASH, "tool_input": {"command": "ls"}}
    assert asks(make(tool_approval_callback=approve)).run_event_sync("PreToolUse", **call).decision == "proceed"
    assert call["tool_input"] == {"command": "ls"}
    assert [one["command"] for one in seen] == ["ls -l", "ls -l", "ls"]


def test_a_callable_that_gives_a_coroutine_is_awaited(make: Make) -> None:
    async def coroutine(answer: bool, _: ToolApproval) -> bool:
        await asyncio.sleep(0)
        return answer

    for answer, decision in ((True, "proceed"), (False, "block")):
        for callback in (functools.partial(coroutine, answer), lambda call, answer=answer: coroutine(answer, call)):
            engine = asks(make(tool_approval_callback=callback))
            assert [outcome.decision for outcome in both_ways(engine)] == [decision, decision]


def test_it_sees_the_context_of_who_fires(make: Make) -> None:
    user = contextvars.ContextVar("user", default="nobody")
    seen: list[str] = []

    def plain(_: ToolApproval) -> bool:
        seen.append(user.get())
        return True

    async def coroutine(call: ToolApproval) -> bool:
        return plain(call)

    user.set("ann")
    for callback in (plain, coroutine):
        both_ways(asks(make(tool_approval_callback=callback)))
    assert seen == ["ann"] * 4


# rule: H9
def test_on_the_thread_of_a_loop_a_plain_callback_is_asked_and_a_coroutine_can_not_be(make: Make) -> None:
    async def coroutine(_: ToolApproval) -> bool:
        return True

    async def fires(engine: HookEngine) -> Outcome:
        return engine.run_event_sync("PreToolUse", **BASH)

    assert asyncio.run(fires(asks(make(tool_approval_callback=lambda _: True)))).decision == "proceed"
    with pytest.raises(LoopError):
        asyncio.run(fires(asks(make(tool_approval_callback=coroutine))))


def test_a_coroutine_runs_on_the_loop_of_the_engine(make: Make) -> None:
    loops: list[object] = []

    async def coroutine(_: ToolApproval) -> bool:
        loops.append(asyncio.get_running_loop())
        return True

    async def fires() -> None:
        engine = asks(make(tool_approval_callback=coroutine))
        await engine.run_event("PreToolUse", **BASH)
        await asyncio.to_thread(functools.partial(engine.run_event_sync, "PreToolUse", **BASH))
        assert loops == [asyncio.get_running_loop()] * 2

    asyncio.run(fires())


@pytest.mark.parametrize("kind", ["plain", "coroutine"])
def test_a_cancelled_event_waits_for_nobody(make: Make, kind: str) -> None:
    released = Released()
    asked = threading.Event()

    def asking(_: object) -> HookResult:
        asked.set()
        return HookResult(permission_decision="ask")

    async def fires() -> None:
        engine = make(tool_approval_callback=getattr(released, kind), tool_approval_timeout=None)
        engine.add_hook("PreToolUse", asking)
        task = asyncio.ensure_future(engine.run_event("PreToolUse", **BASH))
        while not asked.is_set():
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    try:
        asyncio.run(asyncio.wait_for(fires(), GENEROUS / 2))
    finally:
        released.over.set()


def test_a_yes_after_the_end_of_the_session_is_none(make: Make) -> None:
    engines: list[HookEngine] = []

    def approve(_: ToolApproval) -> bool:
        engines[0].close()
        return True

    engines.append(asks(make(tool_approval_callback=approve)))
    with pytest.raises(SessionClosed):
        engines[0].run_event_sync("PreToolUse", **BASH)


@pytest.mark.parametrize(
    "options",
    [{"tool_approval_callback": "yes"}, {"ask_user": 3}, {"on_run_event": "x"}, *({"tool_approval_timeout": bad} for bad in (0, -1, float("nan"), "5", True))],
)
def test_what_can_not_be_asked_is_refused(make: Make, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"`{next(iter(options))}`"):
        make(**options)
