"""The engine: sessions of a project's hooks, and of functions of your own."""

from __future__ import annotations

import asyncio
import os
import weakref
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeVar, Union

from becket import _becket, _exit
from becket._approval import (
    APPROVAL_TIMEOUT,
    ToolApproval,
    ToolApprovalCallback,
    approval_timeout,
    approved,
    approved_sync,
    checked,
)
from becket._around import Around, Held, running_loop
from becket._awaiting import future_of
from becket._exec import ExecReport, PathLike, ended, report_of, request
from becket._handlers import Handler, beginning
from becket._input import HookInput
from becket._person import AskUser, asking
from becket._registry import Registry
from becket._results import HookResult
from becket.barrier import ToolBarrier
from becket.config import HookConfig, wants
from becket.errors import ConfigError, EventError, RegistrationError
from becket.outcome import Outcome, Person

__all__ = ["HookEngine"]

Answer = Union[HookResult, "dict[str, Any]", None]
HandlerFunction = Callable[[Any], Union[Answer, Awaitable[Answer]]]
Function = TypeVar("Function", bound=HandlerFunction)
Profile = Literal["agent", "claude", "becket"]


class HookEngine:
    """Runs the hooks of one session: those of the project's settings, and functions that you register.

    It reads the configuration once, when it is created; see `reload`. It may be used from any thread and loop.
    """

    def __init__(
        self,
        config: HookConfig | Mapping[str, Any] | str | os.PathLike[str] | None = None,
        project_root: str | os.PathLike[str] | None = None,
        session_id: str | None = None,
        *,
        profile: Profile = "claude",
        settings: Mapping[str, Any] | str | os.PathLike[str] | None = None,
        mcp_servers: Mapping[str, Any] | None = None,
        mcp_config: str | os.PathLike[str] | None = None,
        plugin_dirs: Sequence[str | os.PathLike[str]] = (),
        managed_dir: str | os.PathLike[str] | None = None,
        strict: bool = False,
        trust: bool | None = None,
        interactive: bool = False,
        permission_mode: str | None = None,
        transcript_path: str | os.PathLike[str] | None = None,
        env: Mapping[str, str | None] | None = None,
        session_dir: str | os.PathLike[str] | None = None,
        wait_for_async: bool = False,
        ask_user: AskUser | None = None,
        tool_approval_callback: ToolApprovalCallback | None = None,
        tool_approval_timeout: float | None = APPROVAL_TIMEOUT,
        on_run_event: Callable[[dict[str, Any]], object] | None = None,
    ) -> None:
        """Opens a session in `project_root` (default: the working directory).

        `config` is what `load_hook_config_from_sources` returns, or settings: a mapping or a file. A path alone, without
        `project_root`, is the project's root. `tool_approval_callback` answers for the user if a hook or a rule asks about a
        tool call: only `True` approves, and no answer within `tool_approval_timeout` seconds denies. Without a callback
        such a call is blocked, or waits in an `interactive` session. With `wait_for_async`, events wait for `async` and
        `asyncRewake` hooks, whose answers then count like any other's: for a host that can't continue in the background.

        Raises `ConfigError` if the configuration forbids the start.
        """
        if isinstance(config, (str, os.PathLike)) and project_root is None:
            config, project_root = None, config
        if config is not None and not isinstance(config, HookConfig):
            if settings is not None:
                raise ConfigError("`config` and `settings` are both settings: give one of them")
            config, settings = None, config
        if config is not None and project_root is not None:
            config = replace(config, project_root=Path(project_root))
        sources = config or HookConfig(
            project_root=Path("." if project_root is None else project_root),
            profile=profile,
            settings=settings,
            mcp_servers=mcp_servers,
            mcp_config=mcp_config,
            plugin_dirs=tuple(plugin_dirs),
            managed_dir=managed_dir,
            strict=strict,
            trust=trust,
            env=dict(env or {}),
        )
        wanted = wants(sources)
        wanted["session"] = session_id
        wanted["interactive"] = interactive or ask_user is not None
        wanted["permission_mode"] = permission_mode
        wanted["transcript_path"] = None if transcript_path is None else os.fspath(transcript_path)
        wanted["session_dir"] = None if session_dir is None else os.fspath(session_dir)
        wanted["wait_for_async"] = wait_for_async
        self._registry = Registry()
        self._approve = checked(tool_approval_callback)
        self._approval_timeout = approval_timeout(tool_approval_timeout)
        self._permission_mode, self._is_interactive = permission_mode, wanted["interactive"]
        _callable("ask_user", ask_user)
        _callable("on_run_event", on_run_event)
        ask = None if ask_user is None else asking(ask_user, weakref.ref(self._registry))
        managed = None if sources.managed_dir is None else os.path.abspath(sources.managed_dir)
        self._session = _becket.Session.open(wanted, managed, ask, on_run_event)
        _exit.remember(self._session)
        weakref.finalize(self, self._session.abandon).atexit = False

    @property
    def session_id(self) -> str:
        """The session's id, as hooks see it."""
        return self._session.id

    @property
    def tool_approval_timeout(self) -> float | None:
        """The time limit of `tool_approval_callback` in seconds; None means no limit."""
        return self._approval_timeout

    @property
    def events(self) -> list[str]:
        """The events with hooks or permission rules; `PreToolUse` if there is any rule."""
        return self._session.events()

    # Hooks

    def hook(
        self,
        event: str,
        *,
        matcher: str | None = None,
        condition: str | None = None,
        order: int = 0,
        timeout: float | None = None,
        on_failure: Literal["continue", "block"] | None = None,
        name: str | None = None,
    ) -> Callable[[Function], Function]:
        """Registers the function below it. `condition` is a permission rule that a tool call has to match."""

        def register(function: Function) -> Function:
            self.add_hook(
                event,
                function,
                matcher=matcher,
                condition=condition,
                order=order,
                timeout=timeout,
                on_failure=on_failure,
                name=name,
            )
            return function

        return register

    def add_hook(
        self,
        event: str,
        handler: HandlerFunction,
        *,
        matcher: str | None = None,
        condition: str | None = None,
        order: int = 0,
        timeout: float | None = None,
        on_failure: Literal["continue", "block"] | None = None,
        name: str | None = None,
    ) -> str:
        """Registers a function, plain or `async`; returns the id that `remove_hook` takes.

        If the function fails, a tool call is denied and a prompt is rejected; elsewhere the failure is reported.
        `on_failure="block"` blocks wherever a failure can, `"continue"` nowhere.

        Raises `RegistrationError` if it can't be called, or the matcher, condition or timeout can't be read.
        """
        known = Handler(event, handler)
        hook_id = name or self._free_name(handler)
        wanted = {
            "id": hook_id,
            "event": event,
            "matcher": matcher,
            "condition": condition,
            "order": order,
            "timeout": timeout,
            "on_failure": on_failure,
        }
        if hook_id in self._registry.handlers:
            raise RegistrationError(f"there is a hook `{hook_id}` already: remove it first")
        self._registry.handlers[hook_id] = known
        try:
            self._session.register(wanted, beginning(self._registry, hook_id, known))
        except BaseException:
            del self._registry.handlers[hook_id]
            raise
        return hook_id

    def _free_name(self, handler: HandlerFunction) -> str:
        base: str = getattr(handler, "__name__", type(handler).__name__)
        name, number = base, 1
        while name in self._registry.handlers:
            number += 1
            name = f"{base}-{number}"
        return name

    def remove_hook(self, hook_id: str) -> None:
        """Removes a function. Raises `RegistrationError` if the id is unknown."""
        if hook_id not in self._registry.handlers:
            raise RegistrationError(f"there is no hook `{hook_id}`")
        self._session.unregister(hook_id)
        del self._registry.handlers[hook_id]

    # Events

    async def run_event(self, event: str | HookInput, /, **fields: Any) -> Outcome:
        """Fires an event and waits for its hooks. Cancelling it ends them."""
        loop = asyncio.get_running_loop()
        self._registry.awaited_on(loop)
        name, given = _event(event, fields)
        around = Around(loop, None)
        started = self._session.start(name, given, around)
        if not isinstance(started, _becket.Outcome):
            raw = await _ended(started, around, loop)
        else:
            raw = started
            if self._registry.wants_turn():
                await asyncio.sleep(0)
        if around.error is not None:
            raise around.error
        outcome = self._outcome(raw, given)
        call = self._asked(name, given, outcome)
        if call is None or self._approve is None:
            return outcome
        is_approved = await approved(self._approve, call, self._approval_timeout)
        return self._answered(outcome, is_approved)

    def run_event_sync(self, event: str | HookInput, /, **fields: Any) -> Outcome:
        """Does the same on a thread without a loop. On one with a loop, `async` handlers raise a `LoopError`."""
        loop = running_loop()
        name, given = _event(event, fields)
        around = Around(None, loop)
        with Held(loop):
            raw = self._session.run(name, given, around)
        if around.error is not None:
            raise around.error
        outcome = self._outcome(raw, given)
        call = self._asked(name, given, outcome)
        if call is None or self._approve is None:
            return outcome
        asking = (self._approve, call, self._approval_timeout)
        is_approved = approved_sync(*asking, around, self._registry.home_loop())
        return self._answered(outcome, is_approved)

    def _outcome(self, raw: _becket.Outcome, fields: dict[str, Any]) -> Outcome:
        asks_nobody = (fields.get("permission_mode") or self._permission_mode) == "dontAsk"
        return Outcome(raw, Person.NEVER if asks_nobody else Person.HERE if self._is_interactive else Person.NONE)

    def _answered(self, outcome: Outcome, is_approved: bool) -> Outcome:
        """Returns the outcome with the user's answer. Raises `SessionClosed` if the engine was closed meanwhile."""
        _ = self._session.id
        return outcome.answered(is_approved)

    def _asked(self, event: str, fields: dict[str, Any], outcome: Outcome) -> ToolApproval | None:
        """Returns the call that the user has to approve, if the event is a tool call and a hook or a rule asks."""
        if event != "PreToolUse" or not outcome.asks:
            return None
        name, given, call_id = (fields.get(key) for key in ("tool_name", "tool_input", "tool_use_id"))
        return ToolApproval.of(str(name), given or {}, str(call_id), outcome.updated_input, outcome.reason)

    def plan(self, event: str | HookInput, /, **fields: Any) -> dict[str, Any]:
        """Returns the hooks that an event would run, in order of listing; runs none."""
        return self._session.plan(*_event(event, fields))

    def explain(self, event: str | HookInput, /, **fields: Any) -> dict[str, Any]:
        """Returns also the skipped hooks with their reasons, as `becket explain --json`; runs none."""
        return self._session.explain(*_event(event, fields))

    # Programs

    async def exec(
        self,
        program: PathLike,
        /,
        *arguments: PathLike,
        cwd: PathLike | None = None,
        env: Mapping[str, str | None] | None = None,
        timeout: float | None = None,
        max_output_bytes: int | None = None,
        becket: PathLike | None = None,
    ) -> ExecReport:
        """Runs a program, and everything that it starts, under the rules and rights of the settings, as `becket exec`.

        It reads nothing from stdin. `cwd` starts in the project's root, `env` adds variables (None removes one), `timeout` is
        in seconds, and 1 MiB of each stream is kept unless `max_output_bytes` says otherwise. Programs that an ask rule holds
        are denied, and hooks are not asked. `becket` is the supervising program (default: the one of this package, then
        the one in `PATH`). Cancelling the task ends the program, with everything that it has started, before the task ends.

        Raises `ExecError` if there is no exit code: it was not run, was ended at its `timeout`, or has lost its supervisor.
        """
        wanted = request(
            program,
            arguments,
            cwd=cwd,
            env=env,
            timeout=timeout,
            max_output_bytes=max_output_bytes,
            becket=becket,
        )
        return report_of(await ended(self._session.start_exec(wanted)))

    def exec_sync(
        self,
        program: PathLike,
        /,
        *arguments: PathLike,
        cwd: PathLike | None = None,
        env: Mapping[str, str | None] | None = None,
        timeout: float | None = None,
        max_output_bytes: int | None = None,
        becket: PathLike | None = None,
    ) -> ExecReport:
        """Does the same, and waits on this thread. An exception of a signal's handler ends the program."""
        wanted = request(
            program,
            arguments,
            cwd=cwd,
            env=env,
            timeout=timeout,
            max_output_bytes=max_output_bytes,
            becket=becket,
        )
        return report_of(self._session.run_exec(wanted))

    # The session

    def check(self) -> dict[str, Any]:
        """Returns the problems of the configuration, as `becket check --json`; valid entries work."""
        return self._session.check()

    def reload(self) -> dict[str, Any]:
        """Reads the configuration again; returns its problems. Raises `ConfigError` if the old one stays in force."""
        return self._session.reload()

    def background(self) -> dict[str, Any]:
        """Takes the results of background hooks (`background`), and the texts that wake an idle model (`wakes`)."""
        return self._session.background()

    def env_files(self) -> list[str]:
        """Returns the files that a shell evaluates before each of the host's shell tools; later ones win."""
        return self._session.env_files()

    def tool_barrier(self) -> ToolBarrier:
        """Keeps the context of hooks out of the gap between a tool call and its result."""
        return ToolBarrier()

    def close(self) -> None:
        """Ends everything that it runs, and waits for its end."""
        self._session.close()

    async def aclose(self) -> None:
        """Does the same, as a coroutine."""
        await asyncio.to_thread(self._session.close)

    def __enter__(self) -> HookEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> HookEngine:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _callable(name: str, given: object) -> None:
    """Raises `ConfigError` if a given function can't be called."""
    if given is not None and not callable(given):
        raise ConfigError(f"`{name}` is of type `{type(given).__name__}`, which can't be called")


def _event(event: object, fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    if isinstance(event, str):
        return event, fields
    if not isinstance(event, HookInput):
        kind = type(event).__name__
        raise EventError(f"an event is a name or a `HookInput`, but this is of type `{kind}`")
    return event.hook_event_name, {**event.to_dict(), **fields}


async def _ended(started: _becket.PendingOutcome, around: Around, loop: asyncio.AbstractEventLoop) -> _becket.Outcome:
    """Returns the result of a firing. Ends the firing if cancelled, or at the end of the program."""
    future: asyncio.Future[_becket.Outcome] = future_of(started, loop)
    try:
        if around.error is not None:
            raise around.error
        return await future
    except BaseException:
        started.cancel()
        if around.error is not None:
            raise around.error from None
        raise
