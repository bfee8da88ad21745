"""The conformance kit of AGENT-HOOKS-0.1 over a Becket host. All vectors apply but those in `excluded.json`."""

from __future__ import annotations

import asyncio
import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from agent_hooks.ctk.runner import load_vectors, run_vector
from becket_harness import BecketHarness

EXCLUDED: dict[str, str] = json.loads(Path(__file__).with_name("excluded.json").read_text())


@pytest.fixture
def agent_hooks_harness(request: pytest.FixtureRequest, project: Path) -> type:
    """Returns the harness over Becket, unless `--agent-hooks-harness` names another one."""
    named: str | None = request.config.getoption("--agent-hooks-harness")
    if named is None:
        return BecketHarness
    module, _, name = named.partition(":")
    harness: type = getattr(importlib.import_module(module), name)
    return harness


def test_vector(agent_hooks_harness: type, agent_hooks_vector: dict[str, Any]) -> None:
    result = asyncio.run(run_vector(agent_hooks_harness(), agent_hooks_vector))
    if result.id in EXCLUDED:
        assert result.status == "skip", "excluded, but it runs: take it out of excluded.json"
        pytest.skip(EXCLUDED[result.id])
    assert result.status == "pass", f"{result.status}: {result.detail} {result.failures}"


def test_what_is_excluded_is_a_vector() -> None:
    assert EXCLUDED.keys() <= {vector["id"] for vector in load_vectors()}
    assert all(reason.strip() for reason in EXCLUDED.values())
