"""Loops: how a coroutine begins on one, and how one hears that a command has ended (rules H9, H4)."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import BASH, Make, command, group

from becket import HookEngine, HookInput, HookResult
from becket._ends import ends_of
from becket._tasks import begin

GENEROUS = 20.0
STOP = {"stop_hook_active": False}
VALUE: contextvars.ContextVar[str] = contextvars.ContextVar("VALUE", default="unset")
BEGINS_AT_ONCE = pytest.mark.skipif(sys.version_info < (3, 11), reason="tasks begin with a turn of the loop there")


def descriptors() -> int:
    """How many this process has open."""
    return len(os.listdir("/proc/self/fd"))


def in_time(fires: Any) -> Any:
    """Runs a coroutine on a loop of its own, to the end of a deadline."""
    return asyncio.run(asyncio.wait_for(fires, GENEROUS))


# Coroutines


# rule: H9
@BEGINS_AT_ONCE
def test_a_coroutine_begins_and_ends_without_a_turn_of_the_loop(engine: HookEngine) -> None:
    async def deny(_: HookInput) -> HookResult:
        return HookResult(permission_decision="deny", reason="no")

    engine.add_hook("PreToolUse", deny)

    async def fires() -> None:
        turned: list[bool] = []
        asyncio.get_running_loop().call_soon(turned.append, True)
        outcome = await engine.run_event("PreToolUse", **BASH)
        assert (outcome.blocked, turned) == (True, [])
        await asyncio.sleep(0)
        assert turned == [True]
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(fires())


def test_a_coroutine_is_a_task_of_its_own_from_its_first_step(engine: HookEngine) -> None:
    seen: list[asyncio.Task[Any] | None] = []

    async def looks(_: HookInput) -> HookResult:
        seen.append(asyncio.current_task())
        VALUE.set("first step")
        await asyncio.sleep(0)
        seen.append(asyncio.current_task())
        return HookResult(additional_context=VALUE.get())

    engine.add_hook("UserPromptSubmit", looks)

    async def fires() -> None:
        outcome = await engine.run_event("UserPromptSubmit", prompt="p")
        assert outcome.additional_context == ["first step"]
        assert seen[0] is seen[1] is not None
        assert asyncio.current_task() not in seen
        assert VALUE.get() == "unset"

    asyncio.run(fires())


@pytest.mark.skipif(sys.version_info < (3, 11), reason="asyncio has no timeouts there")
def test_a_coroutine_may_limit_itself(engine: HookEngine) -> None:
    async def limits(_: HookInput) -> HookResult:
        try:
            async with asyncio.timeout(0.02):
                await asyncio.sleep(GENEROUS)
        except TimeoutError:
            return HookResult(additional_context="late")
        return HookResult()

    engine.add_hook("UserPromptSubmit", limits)
    outcome = in_time(engine.run_event("UserPromptSubmit", prompt="p"))
    assert outcome.additional_context == ["late"]


async def on_a_future(waits_for: asyncio.Future[None]) -> None:
    await waits_for


async def on_a_turn(_: asyncio.Future[None]) -> None:
    while True:
        await asyncio.sleep(0)


async def on_a_task(waits_for: asyncio.Future[None]) -> None:
    await asyncio.ensure_future(on_a_future(waits_for))


# rules: H4, H9
@pytest.mark.parametrize("waits", [on_a_future, on_a_turn, on_a_task])
@pytest.mark.parametrize("turns", [0, 1, 3])
def test_a_coroutine_is_cancelled_wherever_it_stands(engine: HookEngine, waits: Callable[..., Any], turns: int) -> None:
    ended: list[str] = []

    async def fires() -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def handler(_: HookInput) -> None:
            ended.append("begun")
            try:
                await waits(future)
            except asyncio.CancelledError:
                ended.append("cancelled")
                raise

        engine.add_hook("Stop", handler)
        firing = asyncio.ensure_future(engine.run_event("Stop", **STOP))
        while not ended:
            await asyncio.sleep(0)
        for _ in range(turns):
            await asyncio.sleep(0)
        firing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await firing
        while ended[-1] != "cancelled":
            await asyncio.sleep(0.001)
        while len(asyncio.all_tasks()) > 2:
            await asyncio.sleep(0.001)
        assert future.cancelled() == (waits is not on_a_turn)

    in_time(fires())
    assert ended == ["begun", "cancelled"]


# rule: H4
@BEGINS_AT_ONCE
@pytest.mark.parametrize("waits", [on_a_future, on_a_task])
def test_a_task_that_is_cancelled_before_its_own_first_turn_cancels_what_it_waits_for(waits: Callable[..., Any]) -> None:
    async def begins() -> None:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        task, is_over = begin(waits(future), loop, contextvars.copy_context())
        assert not is_over
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert waits is on_a_task or future.cancelled()

    in_time(begins())


@BEGINS_AT_ONCE
def test_what_a_first_step_raises_its_task_raises() -> None:
    async def fails() -> None:
        raise KeyError("none")

    async def begins() -> None:
        task, _ = begin(fails(), asyncio.get_running_loop(), contextvars.copy_context())
        with pytest.raises(KeyError):
            await task

    in_time(begins())


def test_a_task_that_is_cancelled_by_its_own_handler_says_so(engine: HookEngine) -> None:
    async def cancels(_: HookInput) -> None:
        raise asyncio.CancelledError

    engine.add_hook("PreToolUse", cancels)
    outcome = in_time(engine.run_event("PreToolUse", **BASH))
    assert outcome.blocked and "was cancelled" in outcome.failures[0].text


# Ends


TRUE = {"Stop": group(command("true"))}


# rule: A5
def test_a_loop_keeps_one_pipe_and_takes_it_along(make: Make) -> None:
    engine = make(TRUE)

    async def fires() -> int:
        assert ends_of(asyncio.get_running_loop()) is not None
        for _ in range(5):
            assert (await engine.run_event("Stop", **STOP)).failures == []
        await asyncio.gather(*(engine.run_event("Stop", **STOP) for _ in range(20)))
        return descriptors()

    in_time(fires())
    gc.collect()
    before = descriptors()
    during = [in_time(fires()) for _ in range(5)]
    gc.collect()
    assert descriptors() <= before
    assert max(during) - min(during) <= 1


def test_many_loops_hear_of_their_own(make: Make) -> None:
    engine = make({"Stop": group(command("cat >/dev/null"))})
    heard: list[str] = []

    async def fires() -> None:
        for _ in range(10):
            outcomes = await asyncio.gather(*(engine.run_event("Stop", **STOP) for _ in range(3)))
            heard.extend(outcome.result for outcome in outcomes)

    threads = [threading.Thread(target=in_time, args=(fires(),)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GENEROUS)
    assert heard == ["passed"] * 180


class WatchesNothing(asyncio.SelectorEventLoop):
    """A loop that can watch no descriptor, as on other systems."""

    def add_reader(self, fd: Any, callback: Any, *args: Any) -> None:
        raise NotImplementedError


def test_a_loop_that_watches_nothing_is_told_all_the_same(make: Make) -> None:
    engine = make({"Stop": group(command("exit 2"))})
    loop = WatchesNothing()

    async def fires() -> None:
        assert ends_of(loop) is None
        for _ in range(3):
            assert (await engine.run_event("Stop", **STOP)).blocked

    loop.run_until_complete(asyncio.wait_for(fires(), GENEROUS))
    loop.close()


# rule: H4
def test_a_loop_that_is_closed_meanwhile_harms_nobody(make: Make, project: Path) -> None:
    engine = make({"Stop": group(command("touch begun; until [ -e go ]; do sleep 0.01; done"))})
    loop = asyncio.new_event_loop()

    async def fires() -> None:
        firing = engine.run_event("Stop", **STOP)
        try:
            await asyncio.wait_for(asyncio.shield(firing), 0.5)
        except asyncio.TimeoutError:
            return

    loop.run_until_complete(fires())
    loop.close()
    del loop
    (project / "go").touch()
    gc.collect()
    outcome = in_time(engine.run_event("Stop", **STOP))
    assert outcome.result == "passed"


def started_by() -> dict[int, list[str]]:
    """The processes that each thread of this one has started."""
    tasks = [path for path in Path("/proc/self/task").iterdir() if (path / "children").exists()]
    return {int(path.name): (path / "children").read_text().split() for path in tasks}


@pytest.mark.skipif(not Path("/proc/thread-self/children").exists(), reason="this kernel does not say who started what")
def test_a_loops_thread_starts_one_command_and_no_more(make: Make, project: Path) -> None:
    waits = "touch begun; until [ -e go ]; do sleep 0.01; done"
    engine = make({"Stop": group(command(waits), command(f"{waits}; true"))})
    before = {pid for pids in started_by().values() for pid in pids}

    async def fires() -> None:
        firing = asyncio.ensure_future(engine.run_event("Stop", **STOP))
        while not (project / "begun").exists():
            await asyncio.sleep(0.01)
        started = {tid: [pid for pid in pids if pid not in before] for tid, pids in started_by().items()}
        (project / "go").touch()
        await firing
        assert started[threading.get_native_id()] == []
        assert any(started.values())

    in_time(fires())
