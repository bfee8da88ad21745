"""The kit runs through the engine: one that allows everything, or does nothing, fails vectors."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agent_hooks.ctk.runner import load_vectors, run_vector
from becket_harness import BecketHarness

pytestmark = pytest.mark.usefixtures("project")
VECTORS = {vector["id"]: vector for vector in load_vectors()}


class _Yes:
    """An outcome without the engine's decision."""

    def __init__(self, outcome: Any) -> None:
        self._outcome = outcome
        self.result, self.blocked, self.updated_input, self.reason = "passed", False, None, None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._outcome, name)

    def to_dict(self) -> dict[str, Any]:
        said: dict[str, Any] = self._outcome.to_dict()
        return {**said, "verdict": {**said["verdict"], "fields": {}}}


class _LetsAllPass(BecketHarness):
    def _start(self, scenario: Any, emitter: Any) -> None:
        super()._start(scenario, emitter)
        run_event = self._engine.run_event

        async def yes(name: str, **fields: Any) -> Any:
            return _Yes(await run_event(name, **fields))

        setattr(self._host, "_engine", type("Yes", (), {"run_event": staticmethod(yes)})())


class _WithoutHooks(BecketHarness):
    def _start(self, scenario: Any, emitter: Any) -> None:
        super()._start(scenario, emitter)
        self._host.close()


# A denied call, a rewritten one, a discarded result, a refused prompt, a withheld answer.
DECIDED_BY_THE_ENGINE = ["AH-CTK-010", "AH-CTK-020", "AH-CTK-100", "AH-CTK-011", "AH-CTK-012"]


@pytest.mark.parametrize("vector", DECIDED_BY_THE_ENGINE)
def test_an_engine_that_lets_all_pass_fails_the_vector(vector: str) -> None:
    assert asyncio.run(run_vector(_LetsAllPass(), VECTORS[vector])).status == "fail"


def test_nothing_runs_where_the_hooks_did_not() -> None:
    result = asyncio.run(run_vector(_WithoutHooks(), VECTORS["AH-CTK-001"]))
    assert result.status == "fail"
    assert any("blocked" in failure for failure in result.failures), result.failures
