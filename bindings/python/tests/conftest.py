"""Fixtures: projects with settings, and engines over them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from becket import HookEngine

Make = Callable[..., HookEngine]
BASH: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project and a home, both empty."""
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return project


@pytest.fixture
def make(project: Path) -> Iterator[Make]:
    """Makes engines over the project, and closes them."""
    made: list[HookEngine] = []

    def engine(hooks: dict[str, Any] | None = None, **options: Any) -> HookEngine:
        if hooks is not None:
            options["settings"] = {"hooks": hooks}
        options.setdefault("trust", True)
        options.setdefault("managed_dir", project / "managed")
        made.append(HookEngine(project, **options))
        return made[-1]

    yield engine
    for one in made:
        one.close()


@pytest.fixture
def engine(make: Make) -> HookEngine:
    """An engine without settings."""
    return make()


def command(line: str, **more: Any) -> dict[str, Any]:
    """A command hook."""
    return {"type": "command", "command": line, **more}


def group(*hooks: dict[str, Any], matcher: str | None = None) -> list[dict[str, Any]]:
    """A list of one matcher group."""
    return [{"hooks": list(hooks)} if matcher is None else {"matcher": matcher, "hooks": list(hooks)}]


def write_settings(path: Path, hooks: dict[str, Any]) -> None:
    """A settings file with these hooks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"hooks": hooks}))
