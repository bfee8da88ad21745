"""The cost of hooks from Python. `cargo xtask bench becket-python` builds what this needs, and runs it.

Functions are measured beside the same functions under a time limit without an engine, as Python itself has it. A command is
measured beside the same session and event in a program in Rust, which fires when it is told to. Nothing asserts on speed.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from becket import HookEngine, HookInput, HookResult, PreToolUseInput
from rows import Bench, Must, Sample

INPUT: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}
COMMAND: dict[str, Any] = {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}
ALLOW = HookResult(permission_decision="allow")
LOOP = asyncio.new_event_loop()
# One firing of a function says more about the clock than about itself.
SOME = 20


async def coroutine(_: HookInput) -> HookResult:
    return ALLOW


def plain(_: HookInput) -> HookResult:
    return ALLOW


def engine(handler: Callable[[Any], Any] | None = None, settings: dict[str, Any] | None = None) -> HookEngine:
    """An engine with one hook, or none."""
    made = HookEngine(tempfile.mkdtemp(), settings=settings, trust=True)
    if handler is not None:
        made.add_hook("PreToolUse", handler)
    outcome = LOOP.run_until_complete(made.run_event("PreToolUse", **INPUT))
    hooks = outcome.to_dict()["hooks"]
    # A hook that fails, or is left out, must not pass for a fast one.
    if outcome.failures or len(hooks) != (handler is not None) + (settings is not None):
        sys.exit(f"that is not what was to be measured: {hooks}")
    return made


def awaited(made: HookEngine, times: int) -> Sample:
    """Some firings, awaited."""

    async def fire() -> float:
        started = time.perf_counter_ns()
        for _ in range(times):
            await made.run_event("PreToolUse", **INPUT)
        return (time.perf_counter_ns() - started) / times

    return lambda: LOOP.run_until_complete(fire())


def waited_for(made: HookEngine, times: int) -> Sample:
    """The same on a thread without a loop."""

    def fire() -> float:
        started = time.perf_counter_ns()
        for _ in range(times):
            made.run_event_sync("PreToolUse", **INPUT)
        return (time.perf_counter_ns() - started) / times

    return fire


def of_asyncio(begins: Callable[[HookInput], Awaitable[object]]) -> Sample:
    """A function with a typed input under a limit, awaited without an engine."""

    async def calls() -> float:
        started = time.perf_counter_ns()
        for _ in range(SOME):
            await asyncio.wait_for(begins(PreToolUseInput(**INPUT)), 10)
        return (time.perf_counter_ns() - started) / SOME

    return lambda: LOOP.run_until_complete(calls())


def of_threads() -> Sample:
    """A function with a typed input under a limit, waited for without an engine."""
    threads = ThreadPoolExecutor(1)

    def calls() -> float:
        started = time.perf_counter_ns()
        for _ in range(SOME):
            threads.submit(plain, PreToolUseInput(**INPUT)).result(timeout=10)
        return (time.perf_counter_ns() - started) / SOME

    return calls


class Floor:
    """The same event in a session of the same kind, without Python."""

    def __init__(self, program: str) -> None:
        opened = {"start": tempfile.mkdtemp(), "settings": COMMAND, "trust": True}
        wanted = {"open": opened, "event": "PreToolUse", "input": INPUT}
        pipe = subprocess.PIPE
        self._program = subprocess.Popen([program], stdin=pipe, stdout=pipe, text=True)
        self._say(json.dumps(wanted))

    def _say(self, line: str) -> None:
        assert self._program.stdin is not None
        self._program.stdin.write(f"{line}\n")
        self._program.stdin.flush()

    def once(self) -> float:
        """How long one firing takes there."""
        assert self._program.stdout is not None
        self._say("1")
        return float(self._program.stdout.readline())


def functions(bench: Bench) -> None:
    """Functions as hooks."""
    limit = Must(nanos=15_000)
    bench.alone("no hook, awaited", Must(), awaited(engine(), SOME))
    wait_for = "peer: `asyncio.wait_for` and no engine"
    ours = awaited(engine(coroutine), SOME)
    bench.versus("one coroutine, awaited", limit, ours, of_asyncio(coroutine), wait_for)
    ours, to_thread = awaited(engine(plain), SOME), of_asyncio(partial(asyncio.to_thread, plain))
    bench.versus("one plain function, awaited", limit, ours, to_thread, f"{wait_for}, `asyncio.to_thread`")
    ours = waited_for(engine(plain), SOME)
    bench.versus("one plain function, waited for", limit, ours, of_threads(), "peer: `ThreadPoolExecutor` and no engine")


def commands(bench: Bench, floor: Floor, held: str) -> None:
    """A command as a hook."""
    note = "floor: the same session and event by a program in Rust"
    for way, fires in (("awaited", awaited), ("waited for", waited_for)):
        row = f"one `true` hook, {way}{held}"
        bench.versus(row, Must(ratio=1.1), fires(engine(None, COMMAND), 1), floor.once, note)


def main() -> None:
    """All of them, commands also while the interpreter holds two gigabytes."""
    program = os.environ.get("BECKET_BENCH_FLOOR")
    if program is None:
        sys.exit("there is nothing to measure beside: run `cargo xtask bench becket-python`")
    bench = Bench("becket-python")
    functions(bench)
    floor = Floor(program)
    commands(bench, floor, "")
    if not bench.is_quick:
        block = bytearray(2 << 30)
        block[::4096] = b"\1" * (len(block) // 4096)
        commands(bench, floor, ", 2 GB held")


if __name__ == "__main__":
    main()
