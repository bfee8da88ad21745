"""What a hook costs from Python: `python benches/callback.py`, with the package installed from a release wheel.

Prints the median and the 95th percentile in microseconds. Nothing asserts on speed.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from becket import HookEngine, HookInput, HookResult

BASH: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}
ALLOW = HookResult(permission_decision="allow")
LINE = "{:44} {:>9.1f} {:>9.1f}"


async def coroutine(_: HookInput) -> HookResult:
    return ALLOW


def plain(_: HookInput) -> HookResult:
    return ALLOW


def show(name: str, times: list[float]) -> None:
    """A line of the table."""
    centiles = statistics.quantiles(times, n=20)
    sys.stdout.write(LINE.format(name, statistics.median(times) * 1e6, centiles[18] * 1e6) + "\n")


def timed(fire: Callable[[], object], number: int) -> list[float]:
    """How long each of so many took."""
    times: list[float] = []
    for _ in range(number):
        started = time.perf_counter()
        fire()
        times.append(time.perf_counter() - started)
    return times


async def timed_async(engine: HookEngine, number: int) -> list[float]:
    """The same, awaited."""
    times: list[float] = []
    for _ in range(number):
        started = time.perf_counter()
        await engine.run_event("PreToolUse", **BASH)
        times.append(time.perf_counter() - started)
    return times


def with_hook(handler: Callable[[Any], Any] | None, settings: dict[str, Any] | None = None) -> HookEngine:
    """An engine with one hook."""
    engine = HookEngine(tempfile.mkdtemp(), settings=settings, trust=True)
    if handler is not None:
        engine.add_hook("PreToolUse", handler)
    return engine


def callbacks(number: int) -> None:
    """Functions as hooks."""
    show("no hook, awaited", asyncio.run(timed_async(with_hook(None), number)))
    show("a coroutine, awaited", asyncio.run(timed_async(with_hook(coroutine), number)))
    show("a plain function, awaited", asyncio.run(timed_async(with_hook(plain), number)))
    engine = with_hook(plain)
    show("a plain function, waited for", timed(lambda: engine.run_event_sync("PreToolUse", **BASH), number))


def commands(number: int, held: str) -> None:
    """A command as a hook."""
    engine = with_hook(None, {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}})
    show(f"the command `true`, {held}", timed(lambda: engine.run_event_sync("PreToolUse", **BASH), number))
    show(f"`sh -c true` by os.posix_spawn, {held}", timed(spawned, number))


def spawned() -> None:
    """The floor: the same command by the standard library."""
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", "true"], os.environ)
    os.waitpid(pid, 0)


def main() -> None:
    """All of them, the command also while the interpreter holds two gigabytes."""
    sys.stdout.write(f"{'':44} {'median':>9} {'95 %':>9}\n")
    callbacks(20_000)
    commands(500, "alone")
    block = bytearray(2 << 30)
    for at in range(0, len(block), 4096):
        block[at] = 1
    commands(500, "2 GB held")


if __name__ == "__main__":
    main()
