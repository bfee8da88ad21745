"""The answers of handlers, as the engine reads them.

An invalid answer is a `HandlerError`: a denial in a wrong format must not be lost, nor one beside an unreadable field.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeGuard

from becket._table import TABLE
from becket.errors import HandlerError

__all__ = ["HookResult", "wire"]

PermissionDecision = Literal["allow", "deny", "ask", "defer"]


@dataclass(kw_only=True, slots=True)
class HookResult:
    """An answer. All fields are optional."""

    additional_context: str | None = None
    """The context for the model."""
    permission_decision: PermissionDecision | None = None
    """The decision on events about permission. `"deny"` counts as `decision="block"` if an event can only be blocked."""
    updated_input: dict[str, Any] | None = None
    """A replacement of the tool's input."""
    reason: str | None = None
    """The reason."""
    decision: Literal["block"] | None = None
    """Blocks the event, if it is not about a permission."""
    system_message: str | None = None
    """The message for the user."""
    stop: bool = False
    """Ends the agent's work after this event."""
    stop_reason: str | None = None
    """The reason, for the user."""
    specific: dict[str, Any] = field(default_factory=dict[str, Any])
    """Further fields of the event's own output, under their names on the wire."""


FIELDS = frozenset(own.name for own in fields(HookResult))
WIRE = frozenset(
    (
        "continue stopReason suppressOutput systemMessage terminalSequence decision reason hookSpecificOutput async"
        " asyncTimeout"
    ).split()
)


#: Words for people and models.
WORDS = frozenset("reason stopReason systemMessage permissionDecisionReason additionalContext message".split())


def wire(event: str, answer: object) -> dict[str, Any] | None:
    """Returns an answer as a command would print it; `None` decides nothing."""
    if answer is None:
        return None
    if isinstance(answer, HookResult):
        return _of_result(event, answer)
    if _is_dict(answer):
        return _of_dict(event, answer)
    if inspect.iscoroutine(answer):
        answer.close()
        raise HandlerError("it returned a coroutine that nobody awaits: make the handler `async def`")
    kind = type(answer).__name__
    raise HandlerError(f"it returned a value of type `{kind}`: return a `HookResult`, a dict or None")


def block_of(event: str, answer: object) -> dict[str, Any] | None:
    """Returns the block in an answer that can't be fully read, with its reason; None if it has none."""
    try:
        return _block_of(event, answer)
    except Exception:
        return None  # It can't even be read.


def _block_of(event: str, answer: object) -> dict[str, Any] | None:
    given = {own: _field(answer, own) for own in FIELDS} if isinstance(answer, HookResult) else answer
    if not _is_dict(given):
        return None
    own = _first_dict(given.get("hookSpecificOutput"), given.get("specific"))
    request = _first_dict(own.get("decision"), given.get("decision"))
    said = (given.get("permission_decision"), own.get("permissionDecision"), request.get("behavior"))
    reason = _first_text(given.get("reason"), own.get("permissionDecisionReason"), request.get("message"))
    block = HookResult(stop_reason=_first_text(given.get("stop_reason"), given.get("stopReason")))
    if any(_is_text(word, "deny") for word in said) or _is_text(given.get("decision"), "block"):
        block.permission_decision, block.reason = "deny", reason
    if given.get("continue") is False or given.get("stop"):
        block.stop = True
    action = own.get("action")
    if (_is_text(action, "decline") or _is_text(action, "cancel")) and "action" in TABLE[event].output:
        block.specific = {"action": str(action)}
    if block == HookResult(stop_reason=block.stop_reason):
        return None
    try:
        return _with_more(event, readable(_of_result(event, block)), own, request)
    except HandlerError:
        # It can't be blocked, only stopped.
        return readable(_of_result(event, HookResult(stop=True, stop_reason=block.stop_reason))) if block.stop else None


def _field(answer: HookResult, name: str) -> object:
    """Returns a field of an answer, or None if reading it fails: the others still count."""
    try:
        return getattr(answer, name)
    except Exception:
        return None


def _with_more(event: str, block: dict[str, Any], own: dict[Any, Any], request: dict[Any, Any]) -> dict[str, Any]:
    """Returns the reason of a block. The block counts even if reading the reason fails."""
    specific: dict[str, Any] = {**_first_dict(block.get("hookSpecificOutput"))}
    denied = _first_dict(specific.get("decision"))
    try:
        if denied.get("behavior") == "deny" and request.get("interrupt") is True:
            specific["decision"] = {**denied, "interrupt": True}
        hides = "suppressOriginalPrompt"
        if hides in TABLE[event].output and own.get(hides) is True:
            specific = {"hookEventName": event, **specific, hides: True}
    except Exception:
        return block
    return {**block, "hookSpecificOutput": specific} if specific else block


def _first_dict(*given: object) -> dict[Any, Any]:
    none: dict[Any, Any] = {}
    return next((one for one in given if _is_dict(one)), none)


def _first_text(*given: object) -> str | None:
    return next((one for one in given if isinstance(one, str)), None)


def _is_text(given: object, text: str) -> bool:
    return isinstance(given, str) and given == text


def readable(answer: dict[str, Any]) -> dict[str, Any]:
    """Returns the answer with lone surrogates replaced: a path with invalid bytes in a reason loses no denial (O11)."""
    for name, value in list(answer.items()):
        if name in WORDS and isinstance(value, str) and not value.isascii():
            answer = {**answer, name: value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")}
        elif name in ("hookSpecificOutput", "decision") and _is_dict(value):
            answer = {**answer, name: readable(value)}
    return answer


def _is_dict(answer: object) -> TypeGuard[dict[Any, Any]]:
    return isinstance(answer, dict)


def _of_dict(event: str, answer: dict[Any, Any]) -> dict[str, Any]:
    if answer.keys() <= WIRE:
        return answer
    if answer.keys() <= FIELDS:
        return _of_result(event, HookResult(**answer))
    unknown = sorted(str(key) for key in answer.keys() - FIELDS - WIRE)
    if unknown:
        raise HandlerError(f"it returned a dict with the key `{unknown[0]}`, which no answer has")
    mixed = sorted(answer.keys() - WIRE)
    raise HandlerError(f"it returned a dict that mixes `{mixed[0]}` with names of a command's JSON")


def _of_result(event: str, result: HookResult) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    specific: dict[str, Any] = dict(result.specific)
    if result.stop:
        answer["continue"] = False
    if result.stop_reason is not None:
        answer["stopReason"] = result.stop_reason
    if result.system_message is not None:
        answer["systemMessage"] = result.system_message
    if result.additional_context is not None:
        specific["additionalContext"] = result.additional_context
    _decide(event, result, answer, specific)
    if specific:
        _all_known(event, specific)
        answer["hookSpecificOutput"] = {"hookEventName": event, **specific}
    return answer


def _put(into: dict[str, Any], name: str, value: object) -> None:
    if value is not None:
        into[name] = value


def _decide(event: str, result: HookResult, answer: dict[str, Any], specific: dict[str, Any]) -> None:
    """The place of the decision depends on the event."""
    if result.decision not in (None, "block"):
        raise HandlerError(f"it returned the decision `{result.decision}`: there is `block`, or none")
    wanted, way = result.permission_decision, TABLE[event].decision
    if way in ("permission", "permission_request") and result.decision == "block":
        wanted = "deny"
    if way == "permission":
        beside = specific.get("permissionDecision")
        if beside is not None and wanted not in (None, "deny", beside):
            raise HandlerError(f"it returned `{wanted}` beside `{beside}`: give one decision")
        _put(specific, "permissionDecision", wanted)
        _put(specific, "permissionDecisionReason", result.reason)
        _put(specific, "updatedInput", result.updated_input)
    elif way == "permission_request":
        _request(wanted, result, specific)
    else:
        _put(specific, "updatedInput", result.updated_input)
        _block(event, wanted, result, answer)


def _request(wanted: PermissionDecision | None, result: HookResult, specific: dict[str, Any]) -> None:
    if wanted is None:
        if result.updated_input is not None:
            raise HandlerError("it returned `updated_input` without `permission_decision`: only an allow takes it")
        return
    if wanted not in ("allow", "deny"):
        raise HandlerError(f"it returned the permission decision `{wanted}`, but the user is being asked: allow or deny")
    given = specific.get("decision")
    if wanted == "allow" and _is_dict(given) and given and given.get("behavior") != "allow":
        return
    decision: dict[str, Any] = {"behavior": wanted}
    _put(decision, "updatedInput", result.updated_input)
    if wanted == "deny":
        _put(decision, "message", result.reason)
    specific["decision"] = decision


def _block(event: str, wanted: str | None, result: HookResult, answer: dict[str, Any]) -> None:
    if wanted is None and result.decision is None:
        _put(answer, "reason", result.reason)
        return
    if wanted not in (None, "deny"):
        raise HandlerError(f"it returned the permission decision `{wanted}`, but {event} is about no permission")
    if not TABLE[event].blocks:
        raise HandlerError(f"it returned a denial, but {event} can't be held back")
    answer["decision"] = "block"
    _put(answer, "reason", result.reason)


def _all_known(event: str, specific: dict[str, Any]) -> None:
    known = TABLE[event].output
    for name in specific:
        if name not in known and name != "hookEventName":
            said = "additional_context" if name == "additionalContext" else name
            said = "updated_input" if name == "updatedInput" else said
            raise HandlerError(f"it returned `{said}`, which {event} has no use for")
