"""The protocol's cases for any language (`spec/cases`), through Python: real commands, and functions as the host's hooks.

rules: C5, C7b, D1, D2, D3, D4, D5, D6, D7, D8, D10, D11, H9, M1, M2, M3, O1, O2, O3, O4, O5, O6, O7, O9, O10, P3, P6, P11
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from becket import HookEngine, HookInput

ROOT = Path(os.environ.get("BECKET_TEST_ROOT", Path(__file__).parents[3]))
# Options that have another name in `session/open`.
NAMES = {"session": "session_id", "settings_file": "settings"}


def cases() -> list[Any]:
    """Returns each case of each file."""
    found: list[Any] = []
    for file in sorted((ROOT / "spec/cases").glob("*.json")):
        if file.name != "left-out.json":
            read = json.loads(file.read_text())
            found += [pytest.param(case, id=f"{file.stem}-{case['name'][:60]}") for case in read]
    return found


@pytest.mark.parametrize("case", cases())
def test_a_case_comes_out_as_everywhere(
    case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path.resolve()
    case = json.loads(json.dumps(case).replace("[ROOT]", str(root)))
    lay_out(root, case)
    for name in list(os.environ):
        if name != "PATH":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(root / "home"))
    options: dict[str, Any] = dict(case["open"])
    for name, ours in NAMES.items():
        if name in options:
            options[ours] = options.pop(name)
    options.setdefault("profile", "claude")
    with HookEngine(root / "project", managed_dir=root / "managed", **options) as engine:
        for callback in case.get("callbacks", []):
            engine.add_hook(callback["event"], answering(callback), name=callback["id"])
        told = engine.run_event_sync(case["event"], **case["input"]).to_dict()
    wrong = differs(case["expected"], told, "")
    assert wrong is None, f"{wrong}\n{json.dumps(told, indent=1)}"


def lay_out(root: Path, case: dict[str, Any]) -> None:
    """Writes the files and links of a case."""
    for name in ("home", "managed", "project"):
        (root / name).mkdir()
    for name, content in case.get("files", {}).items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content), newline="")
    for name, target in case.get("links", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)


def answering(callback: dict[str, Any]) -> Callable[[HookInput], Any]:
    """Returns the function that a case describes."""

    def answers(_: HookInput) -> Any:
        if "fails" in callback:
            raise ValueError(callback["fails"])
        return callback.get("answers")

    return answers


def differs(expected: Any, got: Any, where: str) -> str | None:
    """Returns the differences from the expected result."""
    if expected is None and got is None:
        return None
    if isinstance(expected, dict) and isinstance(got, dict):
        if where.endswith(".fields") and got.keys() != expected.keys():
            return f"{where} has {sorted(got)}, not {sorted(expected)}"
        found = (differs(value, got.get(name), f"{where}.{name}") for name, value in expected.items())
        return next((one for one in found if one is not None), None)
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        pairs = enumerate(zip(expected, got, strict=True))
        found = (differs(value, its, f"{where}[{at}]") for at, (value, its) in pairs)
        return next((one for one in found if one is not None), None)
    return None if expected == got else f"{where} is {got!r}, not {expected!r}"
