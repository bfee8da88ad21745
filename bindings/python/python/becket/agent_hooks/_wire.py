"""Shared by both directions: values as text and verdicts as words. Nothing here decides."""

from __future__ import annotations

import json
from typing import Any

from agent_hooks import InterceptionRecord


def text_of(value: Any) -> str:
    """Returns a value as text for a hook of Becket: a string as it is, anything else as compact JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def exactly(value: Any) -> str:
    """Returns a value as text that distinguishes values that Python's `==` does not: `1`, `1.0` and `True`."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def words_of(record: InterceptionRecord) -> str:
    """Returns the reason of a refusal in a record: the interceptor's message, otherwise its reason."""
    return record.verdict.message or record.verdict.reason or "denied without a reason"
