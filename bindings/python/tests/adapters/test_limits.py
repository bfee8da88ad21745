"""The limit on size: an adapter must be readable in one go."""

from __future__ import annotations

import ast
from pathlib import Path

import becket.adapters
import pytest

ADAPTERS = ["plain", "langgraph", "openai_agents", "pydantic_ai"]


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_is_under_80_lines(name: str) -> None:
    source = (Path(becket.adapters.__path__[0]) / f"{name}.py").read_text()
    assert ast.get_docstring(ast.parse(source)), "it opens by saying what it is for"
    assert len(source.splitlines()) < 80
