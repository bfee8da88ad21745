"""The guide and the README: their code runs from top to bottom, with the output that they show."""

from __future__ import annotations

import ast
import asyncio
import inspect
import io
import os
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import becket
import pytest

ROOT = Path(os.environ.get("BECKET_TEST_ROOT", Path(__file__).parents[3]))
PAGES = ["docs/guide/python.md", "bindings/python/README.md"]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_happens(page: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"^```(python|text)\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(project)
    assert any(kind == "python" for kind, _ in blocks)
    server = ROOT / "examples/mcp-server-python/review_server.py"
    names: dict[str, Any] = {"project": project, "server": str(server)}
    printed = asyncio.run(run(blocks, names))
    shown = [text for kind, text in blocks if kind == "text"]
    assert [text for text in printed if text] == shown


def test_the_readme_of_becket_shows_what_works(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    monkeypatch.chdir(project)
    told: list[str] = []
    for answer, reasons in ({"permission_decision": "deny", "reason": "not here"}, ["not here"]), (None, []):
        told.clear()
        names = {"becket": becket, "my_guard": lambda _, answer=answer: answer, "line": "ls", "tell_the_model": told.append}
        asyncio.run(run([("python", block)], names))
        assert told == reasons


async def run(blocks: list[tuple[str, str]], names: dict[str, Any]) -> list[str]:
    """Runs the blocks in one module; returns the output of each."""
    printed = []
    for kind, text in blocks:
        if kind == "python":
            code = compile(text, "<page>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            with redirect_stdout(io.StringIO()) as out:
                pending = eval(code, names)
                if inspect.isawaitable(pending):
                    await pending
            printed.append(out.getvalue())
    return printed
