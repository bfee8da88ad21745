"""The pages about frameworks and about the control contract: their programs run, and print what the pages show."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
PAGES = ["python-frameworks.md", "agent-hooks.md"]
SHOWN = re.compile(
    r'```python from="(?P<file>[^"]+)"\n(?P<code>.*?)\n```\n\n```text\n\$ python \S+\n(?P<prints>.*?)\n```', re.S
)
PROGRAMS = [
    pytest.param(*found.group("file", "code", "prints"), id=found["file"])
    for page in PAGES
    for found in SHOWN.finditer((ROOT / "docs/guide" / page).read_text())
]


@pytest.mark.parametrize(("file", "code", "prints"), PROGRAMS)
def test_a_program_of_the_guide(file: str, code: str, prints: str, tmp_path: Path) -> None:
    assert code == (ROOT / file).read_text().rstrip("\n")
    env = {**os.environ, "HOME": str(tmp_path), "OPENAI_AGENTS_DISABLE_TRACING": "1"}
    ran = subprocess.run(
        [sys.executable, str(ROOT / file)], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120
    )
    assert (ran.returncode, ran.stdout.rstrip("\n")) == (0, prints), ran.stderr


def test_the_pages_show_their_programs() -> None:
    assert len(PROGRAMS) == 5
