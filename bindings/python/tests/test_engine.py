"""The session: the sources of its configuration, its results, its observers and its user."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sysconfig
import threading
import time
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest
from conftest import BASH, Make, command, group, write_settings

import becket
from becket import (
    BarrierError,
    ConfigError,
    HookConfig,
    HookEngine,
    HookInput,
    HookResult,
    Question,
    ToolApproval,
    ToolBarrier,
    load_hook_config_from_sources,
)
from becket.inputs import INPUTS

DENIES = command("echo not here >&2; exit 2")


# rule: C4
@pytest.mark.parametrize(
    ("profile", "directory"), [("agent", ".agent"), ("claude", ".claude"), ("becket", ".becket")]
)
@pytest.mark.parametrize("where", ["home", "project"])
def test_a_profile_reads_its_files(make: Make, project: Path, profile: str, directory: str, where: str) -> None:
    write_settings(project.parent / where / directory / "settings.json", {"PreToolUse": group(DENIES)})
    for other in ("agent", "claude", "becket"):
        outcome = make(profile=other).run_event_sync("PreToolUse", **BASH)
        assert outcome.blocked == (other == profile)
        assert outcome.reason == ("not here" if other == profile else None)
    by_default = make().run_event_sync("PreToolUse", **BASH)
    assert by_default.blocked == (profile == "claude"), "the default profile is `claude`"


# rules: C4, H3
def test_hooks_of_profile_agent_see_its_variables(make: Make) -> None:
    line = 'test "$AGENT_PROJECT_DIR" = "$PWD" && test -n "$AGENT_SESSION_ID" && test "$EXTRA" = yes && test -z "$GONE"'
    os.environ["GONE"] = "still there"
    engine = make({"Stop": group(command(f"{line} || exit 2"))}, profile="agent", env={"EXTRA": "yes", "GONE": None})
    del os.environ["GONE"]
    assert not engine.run_event_sync("Stop", stop_hook_active=False).blocked


# rule: C3
def test_a_config_is_loaded_from_its_sources_and_makes_engines(project: Path) -> None:
    write_settings(project / ".claude/settings.json", {"PreToolUse": group(DENIES), "Stoop": group(DENIES)})
    config = load_hook_config_from_sources(project, trust=True, managed_dir=project / "managed")
    assert isinstance(config, HookConfig)
    assert config.events == ("PreToolUse",)
    (finding,) = config.findings
    assert finding["severity"] == "error" and "Stoop" in finding["message"]
    assert finding["at"]["file"].endswith(".claude/settings.json") and finding["at"]["line"] == 1
    with HookEngine(config=config) as engine:
        assert engine.run_event_sync("PreToolUse", **BASH).blocked
        assert engine.events == ["PreToolUse"]
        checked = engine.check()
        assert (checked["report"], checked["files"], checked["findings"]) == ("check", 1, [finding])


# rule: C4
def test_an_engine_takes_its_config_root_and_session_by_position(project: Path) -> None:
    write_settings(project / ".claude/settings.json", {"PreToolUse": group(DENIES)})
    config = load_hook_config_from_sources(project, trust=True, managed_dir=project / "managed")
    stop = {"hooks": {"Stop": group(DENIES)}}
    (project / "more.json").write_text(json.dumps(stop))
    for given, events in [
        ((config, project, "s7"), ["PreToolUse"]),
        ((stop, project, "s7"), ["PreToolUse", "Stop"]),
        ((project / "more.json", project, "s7"), ["PreToolUse", "Stop"]),
        ((None, project, "s7"), ["PreToolUse"]),
    ]:
        with HookEngine(*given) as engine:
            assert (engine.session_id, sorted(engine.events)) == ("s7", events)
    for engine in (HookEngine(project), HookEngine(str(project)), HookEngine(project_root=project), HookEngine(config=config)):
        assert engine.events == ["PreToolUse"]
        engine.close()
    with pytest.raises(ConfigError, match="give one of them"):
        HookEngine(stop, project, settings=stop)


ASKS = command(
    """echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"sure?"}}'"""
)


# rule: D3
@pytest.mark.parametrize("interactive", [False, True])
@pytest.mark.parametrize(
    ("answer", "decision"),
    [(True, "proceed"), (False, "block"), (None, "block"), ("yes", "block"), (1, "block"), (KeyError("x"), "block")],
)
def test_an_ask_reaches_the_approval_callback(make: Make, answer: Any, decision: str, interactive: bool) -> None:
    asked: list[ToolApproval] = []

    def plain(call: ToolApproval) -> Any:
        asked.append(call)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def coroutine(call: ToolApproval) -> Any:
        return plain(call)

    for callback in (plain, coroutine):
        engine = make({"PreToolUse": group(ASKS)}, tool_approval_callback=callback, interactive=interactive)
        for outcome in (engine.run_event_sync("PreToolUse", **BASH), asyncio.run(engine.run_event("PreToolUse", **BASH))):
            assert (outcome.decision, outcome.blocked) == (decision, decision == "block")
    assert len(asked) == 4
    assert (asked[0].tool_name, asked[0].tool_input, asked[0].tool_use_id) == ("Bash", {"command": "ls"}, "t1")
    assert "sure?" in (asked[0].reason or "")


# rule: D3
def test_without_an_approval_callback_an_ask_blocks_or_waits(make: Make) -> None:
    assert make({"PreToolUse": group(ASKS)}).run_event_sync("PreToolUse", **BASH).decision == "block"
    assert make({"PreToolUse": group(ASKS)}, interactive=True).run_event_sync("PreToolUse", **BASH).decision == "wait"


# rules: D1, D3
@pytest.mark.parametrize("interactive", [False, True])
def test_nobody_approves_what_is_denied(make: Make, interactive: bool) -> None:
    def approve(_: ToolApproval) -> bool:
        raise AssertionError("nobody is to be asked")

    options: dict[str, Any] = {"tool_approval_callback": approve, "interactive": interactive}
    denied = make({"PreToolUse": group(ASKS, DENIES)}, **options)
    assert denied.run_event_sync("PreToolUse", **BASH).decision == "block"
    settings = {"hooks": {"PreToolUse": group(ASKS)}, "permissions": {"deny": ["Bash(ls)"]}}
    ruled = make(settings=settings, **options)
    assert ruled.run_event_sync("PreToolUse", **BASH).decision == "block"
    unasked = make({"PreToolUse": group(ASKS)}, permission_mode="dontAsk", **options)
    assert unasked.run_event_sync("PreToolUse", **BASH).decision == "block"


# rule: C7
def test_strict_stops_the_start_and_says_what_is_wrong(make: Make, project: Path) -> None:
    write_settings(project / ".claude/settings.json", {"Stoop": group(DENIES)})
    with pytest.raises(ConfigError) as refused:
        make(strict=True)
    assert [finding["severity"] for finding in refused.value.findings] == ["error"]
    with pytest.raises(ConfigError, match="not an accessible directory"):
        HookEngine(project / "none")
    with pytest.raises(ConfigError, match="unknown variant"):
        make(profile="none")
    with pytest.raises(ConfigError, match="is of type `set`"):
        make({"Stop": {1}})


# rule: C8
def test_a_session_keeps_its_configuration_until_it_is_reloaded(make: Make, project: Path) -> None:
    engine = make()
    write_settings(project / ".claude/settings.json", {"PreToolUse": group(DENIES)})
    assert not engine.run_event_sync("PreToolUse", **BASH).blocked
    engine.reload()
    assert engine.run_event_sync("PreToolUse", **BASH).blocked


# rule: G3
def test_an_outcome_is_what_the_program_prints(make: Make, project: Path) -> None:
    hooks = {"PreToolUse": group(command("echo hello"), DENIES, matcher="Bash")}
    (project / "flag.json").write_text(json.dumps({"hooks": hooks}))
    engine = make(settings=project / "flag.json", session_id="s1")
    ours = engine.run_event_sync("PreToolUse", **BASH).to_dict()
    line = ["--profile", "claude", "--settings", "flag.json", "fire", "PreToolUse", "--json", "--tool", "Bash"]
    given = ["--input", '{"command":"ls"}', "--set", "tool_use_id=t1", "--set", "session_id=s1"]
    done = subprocess.run([program(), *line, *given], cwd=project, capture_output=True, text=True, timeout=60)
    theirs = json.loads(done.stdout)
    assert done.returncode == 2
    assert without_times(ours) == without_times(theirs)


def program() -> str:
    """Returns the program that the wheel installs."""
    return str(Path(sysconfig.get_path("scripts")) / "becket")


def without_times(told: Any) -> Any:
    if isinstance(told, dict):
        return {name: without_times(value) for name, value in told.items() if name != "elapsed_ms"}
    return [without_times(item) for item in told] if isinstance(told, list) else told


def test_the_wheel_brings_the_program(project: Path) -> None:
    done = subprocess.run([program(), "--version"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.split()[0]) == (0, "becket")


def test_plans_and_explanations_run_nothing(make: Make) -> None:
    engine = make({"PreToolUse": group(command("touch ran", **{"if": "Bash(git *)"}), DENIES)})
    engine.add_hook("PreToolUse", lambda _: None, name="mine")
    assert [run["label"] for run in engine.plan("PreToolUse", **BASH)["runs"]][0].endswith("mine")
    explained = engine.explain("PreToolUse", **BASH)
    assert (len(explained["runs"]), len(explained["skipped"])) == (2, 1)
    assert "does not match" in explained["skipped"][0]["why"]


# rule: H13
def test_what_happens_is_told_in_order_before_the_outcome(make: Make) -> None:
    told: list[dict[str, Any]] = []
    engine = make({"Stop": group(command("echo hi"))}, on_run_event=told.append)
    engine.run_event_sync("Stop", stop_hook_active=False)
    assert [one["what"] for one in told] == ["fired", "started", "output", "finished", "decided"]
    assert told[2]["text"] == "hi\n"
    told.clear()
    asyncio.run(engine.run_event("Stop", stop_hook_active=False))
    assert [one["what"] for one in told] == ["fired", "started", "output", "finished", "decided"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_whoever_is_told_may_fire_and_may_fail(make: Make) -> None:
    seen: list[str] = []

    def tells(one: dict[str, Any]) -> None:
        seen.append(one["what"])
        if len(seen) == 1:
            engine.run_event_sync("Stop", stop_hook_active=False)
            raise ValueError("not mine")

    engine = make({"Stop": group(command("exit 0")), "UserPromptSubmit": group(command("exit 0"))}, on_run_event=tells)
    assert not engine.run_event_sync("UserPromptSubmit", prompt="p").blocked
    assert seen[0] == "fired"


# rules: Q1, Q2
@pytest.mark.parametrize("way", ["plain", "async", "raises"])
def test_questions_of_hooks_reach_the_user(make: Make, way: str) -> None:
    asked: list[Question] = []

    def plain(question: Question) -> str:
        asked.append(question)
        if way == "raises":
            raise ValueError("nobody there")
        return "yes"

    async def coroutine(question: Question) -> str:
        await asyncio.sleep(0)
        return plain(question)

    ask = '{"prompt": "q1", "message": "Sure?", "options": [{"key": "yes", "label": "Yes"}, {"key": "no", "label": "No"}]}'
    line = f"read input; echo '{ask}'; read answer; echo \"$answer\" >&2; exit 2"
    engine = make({"Stop": group(command(line, questions=True))}, ask_user=coroutine if way == "async" else plain)
    outcome = engine.run_event_sync("Stop", stop_hook_active=False)
    selected = None if way == "raises" else "yes"
    assert json.loads(outcome.reason or "") == {"prompt_response": "q1", "selected": selected}
    assert (asked[0].message, [choice.key for choice in asked[0].options]) == ("Sure?", ["yes", "no"])


# rules: A1, A3, A4
def test_what_background_hooks_come_to_is_taken_once(make: Make) -> None:
    engine = make({"Stop": group(command("echo wake >&2; exit 2", asyncRewake=True))})
    assert not engine.run_event_sync("Stop", stop_hook_active=False).blocked
    taken: dict[str, Any] = {"wakes": []}
    for _ in range(200):
        taken = engine.background()
        if taken["wakes"]:
            break
        time.sleep(0.05)
    assert "wake" in taken["wakes"][0]["reminder"]
    assert engine.background()["wakes"] == []


# rule: A1
@pytest.mark.parametrize("waits", [True, False])
def test_a_host_that_waits_for_async_hooks_gets_their_answers(make: Make, waits: bool) -> None:
    guard = group(command("echo no >&2; exit 2", **{"async": True}))
    engine = make({"PreToolUse": guard}, wait_for_async=waits)
    outcome = engine.run_event_sync("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="t")
    assert outcome.blocked is waits


def test_each_event_has_a_class_that_comes_and_goes(make: Make) -> None:
    assert len(INPUTS) == 33
    for name, kind in INPUTS.items():
        assert kind.hook_event_name == name and getattr(becket, kind.__name__) is kind
        given = {"session_id": "s", "cwd": "/", "hook_event_name": name, "host": 1}
        required = {one.name: "x" for one in fields(kind) if one.default is MISSING and one.name != "extra"}
        read = kind.from_dict({**given, **required})
        assert read.to_dict() == {**given, **required} and read.extra == {"host": 1}
        assert kind.from_dict({"extra": 2, "host": 1, **required}).extra == {"extra": 2, "host": 1}


# rule: L2
class TestToolBarrier:
    def outcome(self, engine: HookEngine, tool_use_id: str) -> becket.Outcome:
        return engine.run_event_sync("PreToolUse", **{**BASH, "tool_use_id": tool_use_id})

    def engine(self, make: Make, **options: Any) -> HookEngine:
        engine = make(**options)

        def says(input: HookInput) -> HookResult:
            tool_use_id = input.to_dict()["tool_use_id"]
            denied = tool_use_id == "denied"
            return HookResult(additional_context=tool_use_id, permission_decision="deny" if denied else None)

        engine.add_hook("PreToolUse", says)
        return engine

    def test_context_waits_for_the_last_result(self, make: Make) -> None:
        engine = self.engine(make)
        barrier = engine.tool_barrier()
        assert barrier.add(self.outcome(engine, "alone")) == ["alone"]
        barrier.begin(["t1", "t2"])
        assert barrier.add(self.outcome(engine, "t2")) == []
        assert barrier.add(self.outcome(engine, "t1")) == []
        assert barrier.answered("t1") == []
        assert (barrier.pending, barrier.unanswered, barrier.is_open) == (["t2", "t1"], ["t2"], True)
        assert barrier.add("from elsewhere") == []
        assert barrier.answered("t2") == ["t2", "t1", "from elsewhere"]
        assert (barrier.pending, barrier.is_open) == ([], False)

    # rule: D5
    @pytest.mark.parametrize(("profile", "flushed"), [("agent", []), ("claude", ["denied"])])
    def test_a_deny_drops_it_in_profile_agent(self, make: Make, profile: str, flushed: list[str]) -> None:
        engine = self.engine(make, profile=profile)
        barrier = engine.tool_barrier()
        barrier.begin(["denied"])
        barrier.add(self.outcome(engine, "denied"))
        assert barrier.answered("denied") == flushed

    def test_no_result_without_its_call_and_no_call_without_its_result(self) -> None:
        barrier = ToolBarrier()
        barrier.begin(["t1", "t2", "t3"])
        barrier.add("context")
        barrier.answered("t2")
        for call in ("t2", "t4"):
            with pytest.raises(BarrierError, match="is not an open call"):
                barrier.answered(call)
        with pytest.raises(BarrierError, match="`t1` has no result yet"):
            barrier.begin(["t5"])
        assert barrier.interrupt() == (["t1", "t3"], ["context"])
        with pytest.raises(BarrierError, match="same id"):
            barrier.begin(["t1", "t1"])
        barrier.begin([])
        assert barrier.add("at once") == ["at once"]
        barrier.begin(["t1"])
        barrier.add("thrown away")
        barrier.drop()
        assert barrier.answered("t1") == []


def test_async_with_closes_and_ends_what_runs(project: Path) -> None:
    async def session() -> None:
        async with HookEngine(project, trust=True) as engine:
            begun, cancelled = threading.Event(), threading.Event()

            async def waits(_: HookInput) -> None:
                begun.set()
                try:
                    await asyncio.sleep(60)
                finally:
                    cancelled.set()

            engine.add_hook("Stop", waits, timeout=50)
            firing = asyncio.ensure_future(engine.run_event("Stop", stop_hook_active=False))
            await asyncio.to_thread(begun.wait, 20)
        with pytest.raises(becket.SessionClosed, match="so nothing was decided"):
            await firing
        assert await asyncio.to_thread(cancelled.wait, 20)

    asyncio.run(session())
