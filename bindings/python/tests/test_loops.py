"""Loops: the start of coroutines, and the notification of a command's end (rules H9, H4)."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import BASH, Make, command, group

from becket import HookEngine, HookInput, HookResult, _awaiting
from becket import _calls as calls_module
from becket._around import Around
from becket._ends import ends_of
from becket._tasks import begin

GENEROUS = 20.0
STOP = {"stop_hook_active": False}
VALUE: contextvars.ContextVar[str] = contextvars.ContextVar("VALUE", default="unset")
BEGINS_AT_ONCE = pytest.mark.skipif(sys.version_info < (3, 11), reason="tasks begin with a turn of the loop there")


def descriptors() -> int:
    """Returns the number of open descriptors of this process."""
    return len(os.listdir("/proc/self/fd"))


def in_time(fires: Any) -> Any:
    """Runs a coroutine on a loop of its own, to the end of a deadline."""
    return asyncio.run(asyncio.wait_for(fires, GENEROUS))


# Coroutines


# rule: H9
@pytest.mark.parametrize("raises", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("waits_first", [False, True])
def test_what_ends_a_program_leaves_the_event_too(
    engine: HookEngine, raises: type[BaseException], waits_first: bool
) -> None:
    went_on: list[str] = []

    async def ends(_: HookInput) -> None:
        if waits_first:
            await asyncio.sleep(0)
        raise raises("enough")

    engine.add_hook("PreToolUse", ends)

    async def fires() -> None:
        outcome = await engine.run_event("PreToolUse", **BASH)
        went_on.append(outcome.result)

    with pytest.raises(raises, match="enough"):
        in_time(fires())
    assert went_on == []


# rules: H9, H4
@BEGINS_AT_ONCE
@pytest.mark.parametrize("limit", [0.5, GENEROUS])
def test_it_does_not_wait_for_the_others(engine: HookEngine, limit: float) -> None:
    ended: list[str] = []

    async def exits(_: HookInput) -> None:
        raise SystemExit("enough")

    async def stays(_: HookInput) -> None:
        try:
            await asyncio.sleep(GENEROUS * 2)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    engine.add_hook("PreToolUse", exits)
    engine.add_hook("PreToolUse", stays, timeout=GENEROUS)

    async def fires() -> None:
        try:
            await asyncio.wait_for(engine.run_event("PreToolUse", **BASH), limit)
        finally:
            for _ in range(200):
                if ended:
                    break
                await asyncio.sleep(0.05)

    began = time.monotonic()
    with pytest.raises(SystemExit, match="enough"):
        asyncio.run(fires())
    assert ended == ["cancelled"] and time.monotonic() - began < GENEROUS / 2


# rule: H9
def test_an_interrupt_while_an_answer_is_handed_over_is_one(
    engine: HookEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(event: str, answer: object) -> None:
        raise KeyboardInterrupt(event)

    async def blocks(_: HookInput) -> HookResult:
        return HookResult(decision="block", reason="no")

    engine.add_hook("Stop", blocks)
    monkeypatch.setattr(calls_module, "wire", interrupted)
    with pytest.raises(KeyboardInterrupt, match="Stop"):
        in_time(engine.run_event("Stop", **STOP))


class Aborted(BaseException):
    """A `BaseException` that does not end a program."""


# rule: H9
@pytest.mark.parametrize("waits_first", [False, True])
def test_what_ends_no_program_is_a_failure(engine: HookEngine, waits_first: bool) -> None:
    async def aborts(_: HookInput) -> None:
        if waits_first:
            await asyncio.sleep(0)
        raise Aborted("enough")

    engine.add_hook("PreToolUse", aborts)
    outcome = in_time(engine.run_event("PreToolUse", **BASH))
    assert outcome.blocked and "Aborted: enough" in outcome.failures[0].text


# rule: H9
def test_tasks_of_events_that_were_over_at_once_do_not_pile_up(engine: HookEngine) -> None:
    async def silent(_: HookInput) -> None: ...

    engine.add_hook("PreToolUse", silent)

    async def fires() -> int:
        for _ in range(1_000):
            await engine.run_event("PreToolUse", **BASH)
        return len(asyncio.all_tasks())

    assert in_time(fires()) < 100


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
            async with getattr(asyncio, "timeout")(0.02):
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
        task, is_over = begin(waits(future), loop, contextvars.copy_context(), "here")
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
        task, _ = begin(fails(), asyncio.get_running_loop(), contextvars.copy_context(), "here")
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

    async def fires() -> None:
        assert ends_of(asyncio.get_running_loop()) is not None
        for _ in range(5):
            assert (await engine.run_event("Stop", **STOP)).failures == []
        await asyncio.gather(*(engine.run_event("Stop", **STOP) for _ in range(20)))

    in_time(fires())
    gc.collect()
    before = descriptors()
    for _ in range(5):
        in_time(fires())
    # What was a command's may be closed a moment after its end.
    until = time.monotonic() + GENEROUS
    while descriptors() > before and time.monotonic() < until:
        gc.collect()
        time.sleep(0.01)
    assert descriptors() <= before


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
    """A loop that can't watch descriptors, as on other systems."""

    refusal: Any

    def add_reader(self, fd: Any, callback: Any, *args: Any) -> None:
        # Its own comes first, while it is made.
        if fd == getattr(self, "_ssock").fileno():
            return super().add_reader(fd, callback, *args)
        raise self.refusal


@pytest.mark.parametrize("refusal", [NotImplementedError, OSError, RuntimeError("File descriptor 9 is used by transport")])
def test_a_loop_that_watches_nothing_is_told_all_the_same(make: Make, refusal: Any) -> None:
    engine = make({"Stop": group(command("exit 2"))})
    loop = WatchesNothing()
    loop.refusal = refusal

    async def fires() -> None:
        assert ends_of(loop) is None
        for _ in range(3):
            assert (await engine.run_event("Stop", **STOP)).blocked

    loop.run_until_complete(asyncio.wait_for(fires(), GENEROUS))
    loop.close()


# rule: H4
def test_a_loop_that_is_closed_meanwhile_harms_nobody(make: Make, project: Path) -> None:
    engine = make({"Stop": group(command("touch begun; until [ -e go ]; do sleep 0.01; done; touch over"))})
    loop = asyncio.new_event_loop()

    async def fires() -> None:
        raw = getattr(engine, "_session").start("Stop", STOP, Around(loop, None))
        raw.go_on(lambda *_: None, ends_of(loop))
        while not (project / "begun").exists():
            await asyncio.sleep(0.01)
        kept.append(raw)

    kept: list[Any] = []
    loop.run_until_complete(fires())
    loop.close()
    del loop
    gc.collect()
    (project / "go").touch()
    while not (project / "over").exists():
        time.sleep(0.01)
    outcome = in_time(engine.run_event("Stop", **STOP))
    assert outcome.result == "passed"
    kept.clear()


class Interrupts(Exception):
    """The exception of a signal's handler."""


def test_a_signal_while_ends_are_told_keeps_nobody_waiting(
    make: Make, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make({"Stop": group(command("until [ -e go ]; do sleep 0.01; done; rm go"))})
    settle, raised = _awaiting._settle, []  # pyright: ignore[reportPrivateUsage]

    def interrupted(*given: Any) -> None:
        if len(raised) < 2:
            raised.append(True)
            raise Interrupts
        settle(*given)

    monkeypatch.setattr(_awaiting, "_settle", interrupted)
    heard: list[dict[str, Any]] = []

    async def fires() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, about: heard.append(about))
        firing = asyncio.ensure_future(engine.run_event("Stop", **STOP))
        await asyncio.sleep(0)
        (project / "go").touch()
        assert (await firing).result == "passed"

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(asyncio.wait_for(fires(), 1.0))  # Twice in a row is more than is tried.
    raised.pop()
    in_time(fires())
    assert [type(about["exception"]) for about in heard] == [Interrupts, Interrupts]


# rule: H9
def test_what_a_first_step_waits_for_can_be_awaited_by_others(engine: HookEngine) -> None:
    async def fires() -> None:
        shared: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def waits(_: HookInput) -> HookResult:
            return HookResult(additional_context=await shared)

        async def host() -> str:
            return await shared

        engine.add_hook("UserPromptSubmit", waits, order=1)
        engine.add_hook("UserPromptSubmit", waits, order=2)
        firing = asyncio.gather(engine.run_event("UserPromptSubmit", prompt="p"), host())
        await asyncio.sleep(0.01)
        shared.set_result("both")
        outcome, said = await firing
        assert (outcome.additional_context, said) == (["both", "both"], "both")

    in_time(fires())


def test_a_child_has_pipes_of_its_own(make: Make, project: Path) -> None:
    engine = make(TRUE)

    async def fires(engine: HookEngine) -> None:
        assert (await engine.run_event("Stop", **STOP)).result == "passed"

    loop = asyncio.new_event_loop()
    loop.run_until_complete(fires(engine))
    parents = ends_of(loop)
    child = os.fork()
    if child == 0:
        os._exit(0 if ends_of(loop) is not parents else 1)
    assert os.waitpid(child, 0)[1] == 0
    loop.run_until_complete(fires(engine))
    loop.close()


def started_by() -> dict[int, list[str]]:
    """The processes that each thread of this one has started."""
    tasks = [path for path in Path("/proc/self/task").iterdir() if (path / "children").exists()]
    return {int(path.name): (path / "children").read_text().split() for path in tasks}


@pytest.mark.skipif(not Path("/proc/thread-self/children").exists(), reason="this kernel does not say who started what")
@pytest.mark.parametrize("commands", [1, 2])
def test_a_loops_thread_starts_one_command_and_no_more(make: Make, project: Path, commands: int) -> None:
    waits = "touch begun; until [ -e go ]; do sleep 0.01; done"
    engine = make({"Stop": group(*(command(f"{waits}; true {nth}") for nth in range(commands)))})
    before = {pid for pids in started_by().values() for pid in pids}

    async def fires() -> None:
        firing = asyncio.ensure_future(engine.run_event("Stop", **STOP))
        while not (project / "begun").exists():
            await asyncio.sleep(0.01)
        started = {tid: [pid for pid in pids if pid not in before] for tid, pids in started_by().items()}
        (project / "go").touch()
        await firing
        of_this = started.pop(threading.get_native_id())
        assert (len(of_this), any(started.values())) == ((1, False) if commands == 1 else (0, True))

    in_time(fires())
