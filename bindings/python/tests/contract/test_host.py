"""A Becket host of the contract, with hooks and interceptors together: cases that the kit's vectors do not cover."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from agent_hooks import Decision, InterceptionEmitter, Transform, Verdict

from becket import HookEngine
from becket.agent_hooks import Blocked, Host

CALL = ("t1", "Bash", {"command": "ls"})


class Interceptor:
    """Gives a verdict at one point, and allows elsewhere."""

    def __init__(self, point: str = "", verdict: Verdict | None = None) -> None:
        self.point, self.verdict = point, verdict or Verdict.allow()

    def intercept(self, context: dict[str, Any]) -> Verdict:
        return self.verdict if context["interception_point"] == self.point else Verdict.allow()


def on(engine: HookEngine, interceptor: Interceptor, steps: Callable[[Host], Awaitable[Any]]) -> tuple[Any, Any]:
    """Returns the results of a host's steps, and its records."""
    emitter = InterceptionEmitter().register(interceptor)
    host = Host(engine, emitter, agent_id="a")

    async def run() -> Any:
        return await asyncio.wait_for(steps(host), 60)

    return asyncio.run(run()), emitter.results


def test_a_rewritten_result_is_what_the_host_goes_on_with(project: Path) -> None:
    verdict = Verdict(decision=Decision.TRANSFORM, transform=Transform(path="$target", value="***"))
    with HookEngine(project) as engine:
        value, _ = on(engine, Interceptor("post_tool_call", verdict), lambda h: h.post_tool_call(*CALL, "secret"))
    assert value == "***"


def test_a_hook_denies_what_the_interceptors_allow(project: Path) -> None:
    hook = {"type": "command", "command": "echo 'not here' >&2; exit 2"}
    with HookEngine(project, settings={"hooks": {"PreToolUse": [{"hooks": [hook]}]}}) as engine:
        with pytest.raises(Blocked, match="not here"):
            on(engine, Interceptor(), lambda h: h.pre_tool_call(*CALL))


def test_context_and_feedback_come_with_the_next_request_to_the_model(project: Path) -> None:
    async def steps(host: Host) -> Any:
        await host.pre_tool_call(*CALL)
        await host.post_tool_call(*CALL, "ok")
        first = await host.pre_model_call("m", [])
        return first, await host.pre_model_call("m", first)

    with HookEngine(project) as engine:
        told = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "careful"}}
        engine.add_hook("PreToolUse", lambda _: told)
        engine.add_hook("PostToolUse", lambda _: {"decision": "block", "reason": "look again"})
        (first, second), _ = on(engine, Interceptor(), steps)
    assert [message["content"] for message in first] == ["careful", "look again"]
    assert second == first


def test_hooks_that_a_policy_has_switched_off_switch_no_interceptor_off(project: Path) -> None:
    managed = project / "managed"
    managed.mkdir()
    (managed / "managed-settings.json").write_text(json.dumps({"disableAllHooks": True}))
    with HookEngine(project, managed_dir=managed) as engine:
        with pytest.raises(Blocked, match="did not run"):
            on(engine, Interceptor(), lambda h: h.pre_tool_call(*CALL))


def test_an_engine_that_fails_blocks_with_a_record(project: Path) -> None:
    engine = HookEngine(project)
    emitter = InterceptionEmitter().register(Interceptor())
    host = Host(engine, emitter, agent_id="a")
    engine.close()
    with pytest.raises(Blocked) as blocked:
        asyncio.run(host.pre_tool_call(*CALL))
    record = blocked.value.record
    assert record is not None and record is emitter.results[-1]
    assert record.verdict.reason == "host_error:context_invalid"


def test_a_stop_at_the_end_lets_the_answer_out_but_not_a_refused_one(project: Path) -> None:
    refuses = Interceptor("output", Verdict.deny(reason="tone"))
    with HookEngine(project) as engine:
        engine.add_hook("Stop", lambda _: {"continue": False})
        assert on(engine, Interceptor(), lambda h: h.output("done"))[0] == "done"
    with HookEngine(project) as engine:
        engine.add_hook("Stop", lambda _: {"continue": False})
        with pytest.raises(Blocked):
            on(engine, refuses, lambda h: h.output("rude"))


# rule: D6
def test_after_a_stop_the_result_stays_and_nothing_goes_on(project: Path) -> None:
    async def steps(host: Host) -> Any:
        value = await host.post_tool_call(*CALL, "ok")
        with pytest.raises(Blocked, match="budget"):
            await host.pre_tool_call(*CALL)
        with pytest.raises(Blocked, match="budget"):
            await host.pre_model_call("m", [])
        await host.input("more")
        return value, await host.pre_model_call("m", [])

    with HookEngine(project) as engine:
        engine.add_hook("PostToolUse", lambda _: {"continue": False, "stopReason": "budget"})
        assert on(engine, Interceptor(), steps)[0] == ("ok", [])


def test_calls_side_by_side_keep_their_own_verdicts(project: Path) -> None:
    async def steps(host: Host) -> Any:
        calls = [host.pre_tool_call(f"t{n}", "Bash", {"command": "rm" if n % 2 else "ls"}) for n in range(16)]
        return await asyncio.gather(*calls, return_exceptions=True)

    class NoRm(Interceptor):
        def intercept(self, context: dict[str, Any]) -> Verdict:
            is_rm = context.get("tool_call", {}).get("args") == {"command": "rm"}
            return Verdict.deny(reason="no rm") if is_rm else Verdict.allow()

    with HookEngine(project) as engine:
        came, records = on(engine, NoRm(), steps)
    assert [isinstance(one, Blocked) for one in came] == [False, True] * 8
    assert sorted(record.sequence for record in records) == list(range(16))
