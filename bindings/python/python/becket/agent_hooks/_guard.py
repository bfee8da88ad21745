"""Interceptors of AGENT-HOOKS-0.1 as hooks of an engine: each event with a point is emitted there.

The emitter composes the interceptors' verdicts, asks its approval seam and writes its record; the answer goes into
Becket's fold with those of the other hooks, where a denial can't be overruled.

INVARIANT: every error here is an answer that blocks, wherever the event can block. What an event has no word
for blocks too: a rewritten prompt can't be said in `UserPromptSubmit`, so it is a refusal.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from agent_hooks import AgentContext, AgentContextBuilder, InterceptionEmitter, InterceptionRecord

from becket import HookEngine, HookInput
from becket.agent_hooks._wire import exactly, words_of

#: The events that have a point.
EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SessionEnd",
)

Answer = dict[str, Any]

#: How long an emission that is taken back may take to end, in seconds.
_GRACE = 10.0


@dataclass
class Firing:
    """One event on its way through the emitter: its input, and its outcome once the hook has run."""

    context: AgentContext
    given: str
    #: The tool's input as the engine sees it: a second look at a rewritten one is told by it.
    asked: str
    #: Whether the host reads the target itself, so that a rewrite needs no word of the event's.
    host_reads: bool = False
    #: Whether the engine asks again, about an input that another hook has rewritten. Only a no counts then.
    again: bool = False
    record: InterceptionRecord | None = None

    @property
    def target(self) -> Any:
        """The value for the guarded action."""
        return self.context["target"]

    @property
    def rewritten(self) -> bool:
        """True if the interceptors changed it."""
        return exactly(self.target) != self.given


@dataclass
class Guard:
    """The hooks that `guard` has registered."""

    engine: HookEngine
    emitter: InterceptionEmitter
    builder: AgentContextBuilder | None
    agent_id: str
    #: How long an emission may take, in seconds.
    timeout: float
    hooks: list[str] = field(default_factory=list[str])
    _open: dict[tuple[str, str], Firing] = field(default_factory=dict[tuple[str, str], Firing])
    _refused: str | None = None

    def remove(self) -> None:
        """Removes the hooks from the engine."""
        while self.hooks:
            self.engine.remove_hook(self.hooks.pop())

    @contextmanager
    def firing(self, event: str, call: str, context: AgentContext, asked: Any = None) -> Generator[Firing, None, None]:
        """Has the next hook run of this event and call use the context of a host, which reads the outcome there."""
        firing = Firing(context, exactly(context["target"]), exactly(asked), host_reads=True)
        self._open[event, call] = firing
        try:
            yield firing
        finally:
            self._open.pop((event, call), None)

    async def run_hook(self, event: str, hook_input: HookInput) -> Answer | None:
        """The hook: emits, then answers."""
        fields = hook_input.to_dict()
        try:
            if self._refused is not None and event in ("UserPromptSubmit", "PreToolUse"):
                return _denied(event, self._refused)
            firing = self._firing(event, fields)
            firing.record = await asyncio.wait_for(self.emitter.emit_unchecked(firing.context), self.timeout)
            return self._answer(event, firing)
        except Exception as error:
            why = f"the interceptors could not be asked: {type(error).__name__}"
            self._refused = why if event == "SessionStart" else self._refused
            return _denied(event, why)

    def _firing(self, event: str, fields: dict[str, Any]) -> Firing:
        """Returns the host's firing, or a new one for this hook input."""
        key, asked = (event, str(fields.get("tool_use_id", ""))), exactly(fields.get("tool_input"))
        before = self._open.get(key)
        if before is not None and before.host_reads and before.record is None:
            return before
        context = self._context(event, fields)
        firing = Firing(context, exactly(context["target"]), asked)
        firing.again = before is not None and before.asked != asked
        if event == "PreToolUse":
            self._open[key] = firing
        elif event in ("PostToolUse", "PostToolUseFailure"):
            self._open.pop(("PreToolUse", key[1]), None)
        elif event == "UserPromptSubmit":
            self._open.clear()
        return firing

    def _context(self, event: str, fields: dict[str, Any]) -> AgentContext:
        if self.builder is None:
            self.builder = AgentContextBuilder(
                agent_id=self.agent_id, framework="becket", session_id=fields["session_id"]
            )
        return _BUILD[event](self.builder, copy.deepcopy(fields))

    def _answer(self, event: str, firing: Firing) -> Answer | None:
        record = firing.record
        assert record is not None
        if not record.proceeds:
            if event == "SessionStart":
                self._refused = words_of(record)
            if event == "PreToolUse" and record.verdict.is_liftable and record.resolved_by is None:
                return _decided("ask", words_of(record))
            return _denied(event, words_of(record))
        told = "" if firing.host_reads else _told(event, record)
        if firing.rewritten:
            return _rewrite(event, firing, told)
        return _specific(event, {}, told) if told else None


def guard(
    engine: HookEngine,
    emitter: InterceptionEmitter,
    *,
    agent_id: str = "becket",
    builder: AgentContextBuilder | None = None,
    order: int = 0,
    timeout: float = 600,
) -> Guard:
    """Registers the interceptors of an emitter as hooks of an engine. `timeout` is for an emission with its approval.

    An emitter belongs to one event loop: fire the engine's events there. A liftable denial that no resolver has decided
    is asked about. Warnings go to the model as context.
    """
    made = Guard(engine, emitter, builder, agent_id, timeout)
    for event in EVENTS:
        made.hooks.append(_register(made, event, order))
    return made


def _register(made: Guard, event: str, order: int) -> str:
    async def agent_hooks(hook_input: HookInput) -> Answer | None:
        return await made.run_hook(event, hook_input)

    # The guard's own limit comes first: at the engine's there would be no answer, and most events would proceed.
    return made.engine.add_hook(event, agent_hooks, order=order, timeout=made.timeout + _GRACE, on_failure="block")


#: Events whose hooks may tell the model something.
_CONTEXT = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure")


def _told(event: str, record: InterceptionRecord) -> str:
    """Returns the warnings, if the event supports context."""
    if event not in _CONTEXT:
        return ""
    return "\n".join(warning.message or warning.reason or "" for warning in record.verdict.warnings)


def _specific(event: str, fields: Answer, context: str = "") -> Answer:
    told = {"additionalContext": context} if context else {}
    return {"hookSpecificOutput": {"hookEventName": event, **fields, **told}}


def _decided(decision: str, reason: str) -> Answer:
    return _specific("PreToolUse", {"permissionDecision": decision, "permissionDecisionReason": reason})


def _denied(event: str, reason: str) -> Answer | None:
    """Returns the answer that blocks. A result that may not be used is replaced by the reason."""
    if event == "PreToolUse":
        return _decided("deny", reason)
    block = {"decision": "block", "reason": reason}
    if event == "PostToolUse":
        return {**block, **_specific(event, {"updatedToolOutput": f"withheld: {reason}"})}
    return None if event in ("SessionStart", "SessionEnd") else block


def _rewrite(event: str, firing: Firing, told: str) -> Answer | None:
    if firing.again:
        return _denied(event, "the interceptors rewrote what another hook has rewritten")
    if event == "PreToolUse":
        target: object = firing.target
        if not isinstance(target, dict):
            return _denied(event, "the interceptors made the tool's input into something that is not an object")
        return _specific(event, {"updatedInput": target}, told)
    if event == "PostToolUse":
        return _specific(event, {"updatedToolOutput": firing.target}, told)
    if firing.host_reads:
        return None
    return _denied(event, "the interceptors rewrote what this event can only let through or refuse")


def _call(fields: dict[str, Any]) -> dict[str, Any]:
    return {"call_id": fields["tool_use_id"], "name": fields["tool_name"], "args": fields["tool_input"]}


_BUILD: dict[str, Callable[[AgentContextBuilder, dict[str, Any]], AgentContext]] = {
    "SessionStart": lambda b, _: b.agent_startup(tools_registered=[]),
    "UserPromptSubmit": lambda b, f: b.input(content=f["prompt"]),
    "PreToolUse": lambda b, f: b.pre_tool_call(**_call(f)),
    "PostToolUse": lambda b, f: b.post_tool_call(**_call(f), value=f["tool_response"]),
    "PostToolUseFailure": lambda b, f: b.post_tool_call(**_call(f), value=f["error"], is_error=True),
    "Stop": lambda b, f: b.output(content=f.get("last_assistant_message", "")),
    "SessionEnd": lambda b, _: b.agent_shutdown(reason="completed"),
}
