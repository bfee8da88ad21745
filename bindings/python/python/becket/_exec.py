"""Programs under the rules of a session: the request, and the report."""

from __future__ import annotations

import asyncio
import math
import os
import shlex
import shutil
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union

from becket._awaiting import future_of
from becket.errors import ExecError

if TYPE_CHECKING:
    from becket import _becket

__all__ = ["ExecDenial", "ExecRefusal", "ExecReport"]

PathLike = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecDenial:
    """A program that was not run."""

    command: str
    """Its arguments, joined by blanks."""
    chain: list[str]
    """The programs that led to it, itself last."""
    reason: str
    """The reason."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecRefusal:
    """An access that rights have refused to a program, which continued."""

    command: str
    """The arguments of the program, joined by blanks; empty if it had already ended."""
    chain: list[str]
    """The programs that led to it, itself last."""
    right: Literal["read", "execute", "write", "socket", "connect"]
    """The right."""
    target: str | None
    """The path, or the host and the port."""
    text: str
    """A description of the refusal."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ExecReport:
    """The end of a program, and its refusals."""

    code: int
    """The exit code as a shell reports it. 126 if the program itself was denied."""
    stdout: str
    """The beginning of its stdout; bytes that are not UTF-8 are replaced."""
    stderr: str
    """The beginning of its stderr."""
    is_cut: bool
    """True if it printed more than is kept."""
    denied: list[ExecDenial]
    """The programs that were not run."""
    refusals: list[ExecRefusal]
    """The accesses that rights have refused."""


def request(
    program: PathLike,
    arguments: tuple[PathLike, ...],
    *,
    cwd: PathLike | None,
    env: Mapping[str, str | None] | None,
    timeout: float | None,
    max_output_bytes: int | None,
    becket: PathLike | None,
) -> dict[str, Any]:
    """Returns the request for the engine. Raises `ExecError` if an argument can't be read."""
    try:
        words = [os.fspath(word) for word in (program, *arguments)]
    except TypeError as error:
        raise ExecError(f"a program and its arguments are texts or paths: {error}") from None
    return {
        "program": words[0],
        "args": words[1:],
        "cwd": None if cwd is None else os.fspath(cwd),
        "env": dict(env or {}),
        "timeout_ms": None if timeout is None else _milliseconds(timeout, words),
        "max_output_bytes": max_output_bytes,
        "becket": own_program() if becket is None else os.fspath(becket),
    }


def _milliseconds(seconds: object, words: list[str]) -> int:
    if not (isinstance(seconds, (int, float)) and math.isfinite(seconds) and seconds > 0):
        raise ExecError(f"`{shlex.join(words)}`: `timeout` is {seconds!r}, not a number of seconds above 0")
    return math.ceil(seconds * 1000)


def own_program() -> str | None:
    """Returns the program `becket` that was installed with this package, if it is where packages put programs."""
    schemes = (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user"))
    places = (sysconfig.get_path("scripts", scheme) for scheme in schemes)
    return shutil.which("becket", path=os.pathsep.join(places))


def report_of(raw: dict[str, Any]) -> ExecReport:
    """Returns the report of the engine, with types."""
    denied = [ExecDenial(**denial) for denial in raw.pop("denied")]
    refusals = [ExecRefusal(**refusal) for refusal in raw.pop("refusals")]
    return ExecReport(**raw, denied=denied, refusals=refusals)


async def ended(started: _becket.PendingOutcome) -> dict[str, Any]:
    """Returns the report of a program. If the task is cancelled, the program is ended before the task is."""
    future: asyncio.Future[dict[str, Any]] = future_of(started, asyncio.get_running_loop())
    try:
        await asyncio.wait([future])
        return future.result()
    except asyncio.CancelledError:
        started.cancel()
        future.add_done_callback(lambda ended: ended.exception())
        await asyncio.wait([future])
        raise
    except GeneratorExit:
        started.cancel()
        raise
