"""The conformance kit of AGENT-HOOKS-0.1 over a Becket host. All vectors apply but those in `excluded.json`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from agent_hooks.ctk.runner import load_vectors, run_vector

from becket_harness import BecketHarness

EXCLUDED: dict[str, str] = json.loads(Path(__file__).with_name("excluded.json").read_text())
VECTORS = {vector["id"]: vector for vector in load_vectors()}


@pytest.mark.parametrize("vector", VECTORS.values(), ids=list(VECTORS))
def test_vector(vector: dict[str, Any]) -> None:
    result = asyncio.run(run_vector(BecketHarness(), vector))
    if vector["id"] in EXCLUDED:
        assert result.status == "skip", "excluded, but it runs: take it out of excluded.json"
        pytest.skip(EXCLUDED[vector["id"]])
    assert result.status == "pass", f"{result.status}: {result.detail} {result.failures}"


def test_what_is_excluded_is_a_vector() -> None:
    assert EXCLUDED.keys() <= VECTORS.keys()
    assert all(reason.strip() for reason in EXCLUDED.values())
