"""The process around an engine: threads, forks, exits, signals, subinterpreters, and what is left behind (rules H4, A5)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from conftest import BASH, Make, command, group

from becket import HookEngine, HookInput, HookResult

GENEROUS = 30.0
HEAD = """
import asyncio, os, sys, threading, time
from becket import *
BASH = dict(tool_name="Bash", tool_input={"command": "ls"}, tool_use_id="t1")
def engine(**hooks):
    return HookEngine(".", trust=True, settings={"hooks": hooks})
def command(line, **more):
    return [{"hooks": [{"type": "command", "command": line, **more}]}]
"""


def program(body: str, project: Path, timeout: float = GENEROUS) -> subprocess.CompletedProcess[str]:
    """Runs a separate program."""
    text = HEAD + textwrap.dedent(body)
    return subprocess.run([sys.executable, "-X", "faulthandler", "-c", text], cwd=project, capture_output=True, text=True, timeout=timeout)


def ended(project: Path, name: str = "pid") -> bool:
    """Returns whether the process that wrote its id there has ended."""
    pid = int((project / name).read_text())
    for _ in range(100):
        stat = Path(f"/proc/{pid}/stat")
        if not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return True
        time.sleep(0.1)
    return False


SLEEPS = "echo $$ > pid; exec sleep 60"


# rules: H4, A5
@pytest.mark.parametrize(
    "body",
    [
        # In the background of the session.
        f"""
        e = engine(Stop=command("{SLEEPS}", **{{"async": True}}))
        e.run_event_sync("Stop", stop_hook_active=False)
        while not os.path.exists("pid"): time.sleep(0.01)
        """,
        # Waited for by another thread.
        f"""
        e = engine(Stop=command("{SLEEPS}"))
        def waits():
            try: e.run_event_sync("Stop", stop_hook_active=False)
            except SessionClosed: pass
        threading.Thread(target=waits, daemon=True).start()
        while not os.path.exists("pid"): time.sleep(0.01)
        """,
        # Awaited by a loop that ends.
        f"""
        e = engine(Stop=command("{SLEEPS}"))
        async def main():
            task = asyncio.ensure_future(e.run_event("Stop", stop_hook_active=False))
            while not os.path.exists("pid"): await asyncio.sleep(0.01)
        asyncio.run(main())
        """,
        # By an exception that nobody catches.
        f"""
        e = engine(Stop=command("{SLEEPS}", **{{"async": True}}))
        e.run_event_sync("Stop", stop_hook_active=False)
        while not os.path.exists("pid"): time.sleep(0.01)
        sys.exit(0)
        """,
    ],
    ids=["background", "thread", "loop", "exit"],
)
def test_a_program_that_ends_takes_its_hooks_along(project: Path, body: str) -> None:
    done = program(body, project)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert ended(project)


# rule: H9
@pytest.mark.parametrize(
    "handler",
    [
        "lambda _: time.sleep(60)",
        "lambda _: e.run_event_sync('UserPromptSubmit', prompt='p') and None",
        "sleeps",
    ],
    ids=["plain", "nested", "async"],
)
def test_a_program_ends_while_handlers_run(project: Path, handler: str) -> None:
    body = f"""
    e = engine(UserPromptSubmit=command("sleep 60"))
    async def sleeps(_): await asyncio.sleep(60)
    e.add_hook("Stop", {handler}, timeout=50)
    threading.Thread(target=lambda: e.run_event_sync("Stop", stop_hook_active=False), daemon=True).start()
    time.sleep(0.3)
    """
    done = program(body, project)
    assert done.returncode == 0, done.stderr
    assert "Fatal" not in done.stderr and "panicked" not in done.stderr, done.stderr


# rule: H4
def test_a_signal_ends_the_wait_and_the_hooks(project: Path) -> None:
    body = f"""
    # Who starts the tests in the background has it ignored.
    import signal
    signal.signal(signal.SIGINT, signal.default_int_handler)
    e = engine(Stop=command("{SLEEPS}"))
    try:
        e.run_event_sync("Stop", stop_hook_active=False)
    except KeyboardInterrupt:
        print("interrupted")
    """
    child = subprocess.Popen(
        [sys.executable, "-c", HEAD + textwrap.dedent(body)], cwd=project, stdout=subprocess.PIPE, text=True
    )
    for _ in range(300):
        if (project / "pid").exists() and (project / "pid").read_text().strip():
            break
        time.sleep(0.1)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=GENEROUS)[0] == "interrupted\n"
    assert ended(project)


FORKED = """
e = engine(PreToolUse=command("exit 0"))
e.add_hook("PreToolUse", lambda _: HookResult(permission_decision="deny", reason="parent"))
assert e.run_event_sync("PreToolUse", **BASH).blocked
background = engine(Stop=command("sleep 5; echo done > done", **{"async": True}))
background.run_event_sync("Stop", stop_hook_active=False)
pid = os.fork()
if pid == 0:
    for use in (e.check, e.close and e.background, lambda: e.run_event_sync("PreToolUse", **BASH)):
        try:
            use()
            os._exit(7)
        except ForkedError as error:
            assert "make an engine here" in str(error)
    e.close()
    own = engine(PreToolUse=command("exit 2"))
    own.add_hook("PreToolUse", lambda _: HookResult(additional_context="child"))
    async def denies(_): return HookResult(permission_decision="deny", reason="async")
    own.add_hook("PreToolUse", denies)
    assert "async" in own.run_event_sync("PreToolUse", **BASH).reason
    assert asyncio.run(own.run_event("PreToolUse", **BASH)).blocked
    del e, background
    import gc; gc.collect()
    sys.exit(5)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 5
assert e.run_event_sync("PreToolUse", **BASH).reason == "parent"
assert background.background()["background"] == []
"""


def test_a_forked_child_gets_a_typed_error_and_engines_of_its_own(project: Path) -> None:
    done = program(FORKED, project, timeout=60)
    assert done.returncode == 0, done.stderr


def test_a_fork_while_an_event_is_held_harms_neither(project: Path) -> None:
    body = """
    e = engine(Stop=command("sleep 1; exit 2"))
    outcome = []
    held = threading.Thread(target=lambda: outcome.append(e.run_event_sync("Stop", stop_hook_active=False)))
    held.start()
    time.sleep(0.3)
    pid = os.fork()
    if pid == 0:
        assert engine(Stop=command("exit 2")).run_event_sync("Stop", stop_hook_active=False).blocked
        sys.exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    held.join()
    assert outcome[0].blocked, outcome
    """
    done = program(body, project, timeout=60)
    assert done.returncode == 0, done.stderr


def test_multiprocessing_has_its_engines(project: Path) -> None:
    body = """
    import multiprocessing
    def work(number):
        return engine(Stop=command("exit 2")).run_event_sync("Stop", stop_hook_active=False).result
    work(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(work, range(4)) == ["blocked"] * 4
    """
    done = program(body, project, timeout=60)
    assert done.returncode == 0, done.stderr


def test_many_threads_share_an_engine(engine: HookEngine) -> None:
    def plain(input: HookInput) -> HookResult:
        return HookResult(additional_context=str(input.extra["number"]))

    async def coroutine(input: HookInput) -> HookResult:
        return HookResult(additional_context=str(input.extra["number"]))

    engine.add_hook("UserPromptSubmit", plain)
    engine.add_hook("UserPromptSubmit", coroutine)
    wrong: list[object] = []

    def fires(number: int) -> None:
        for _ in range(50):
            outcome = engine.run_event_sync("UserPromptSubmit", prompt="p", number=number)
            if outcome.additional_context != [str(number)] * 2:
                wrong.append(outcome.to_dict())

    threads = [threading.Thread(target=fires, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GENEROUS * 4)
    assert wrong == [] and not any(thread.is_alive() for thread in threads)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="no face for it in Python")
def test_a_subinterpreter_refuses_the_module(project: Path) -> None:
    body = """
    import importlib
    interpreters = importlib.import_module("_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters")
    one = interpreters.create()
    said = interpreters.run_string(one, "import becket")
    print("refused" if said is None or "subinterpreters" in str(said) else said)
    """
    try:
        done = program(body, project)
    except subprocess.TimeoutExpired:
        pytest.fail("it hangs")
    assert "refused" in done.stdout or "subinterpreters" in done.stderr, done


# rule: H4
def test_nothing_on_this_side_forks(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def forks(*_: Any) -> None:
        raise AssertionError("it forks")

    for name in ("fork", "forkpty"):
        monkeypatch.setattr(os, name, forks)
    told: list[int] = []
    hooked = threading.Event()

    def hook(event: str, _: Any) -> None:
        if event in ("os.fork", "subprocess.Popen", "os.posix_spawn") and not hooked.is_set():
            told.append(1)

    sys.addaudithook(hook)
    engine = make({"Stop": group(command("exit 2"))})
    assert engine.run_event_sync("Stop", stop_hook_active=False).blocked
    hooked.set()
    assert told == []


# rule: N2
def test_nothing_is_kept_of_the_events_that_were(engine: HookEngine) -> None:
    async def coroutine(_: HookInput) -> HookResult:
        return HookResult(additional_context="c", permission_decision="allow")

    engine.add_hook("PreToolUse", coroutine)
    engine.add_hook("Stop", lambda _: None)

    async def fires(number: int) -> None:
        for at in range(number):
            await engine.run_event("PreToolUse", **BASH)
            if at % 10 == 0:
                await engine.run_event("Stop", stop_hook_active=False)

    async def all_threads() -> None:
        fields = {"message": "m", "notification_type": "t"}
        await asyncio.gather(*(engine.run_event("Notification", **fields) for _ in range(16)))

    # The threads that are kept are made before, each with a stack of its own.
    engine.add_hook("Notification", lambda _: time.sleep(0.2))
    asyncio.run(all_threads())
    asyncio.run(fires(2_000))
    tracemalloc.start()
    before, resident = tracemalloc.get_traced_memory()[0], _resident()
    asyncio.run(fires(int(os.environ.get("BECKET_TEST_EVENTS", "20000"))))
    after, grown = tracemalloc.get_traced_memory()[0], _resident() - resident
    tracemalloc.stop()
    # A thread that comes in the place of another brings 16 KiB of stack, and there are eight: an event leaves less than ten bytes.
    assert after - before < 200_000, f"{after - before} bytes of Python are left"
    assert grown < 20_000_000, f"{grown} bytes of memory are left"


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
