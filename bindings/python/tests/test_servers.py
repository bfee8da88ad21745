"""The MCP servers that hooks of an engine may call."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import BASH, Make, group

from becket import ConfigError, HookConfig, HookEngine, load_hook_config_from_sources

ROOT = Path(os.environ.get("BECKET_TEST_ROOT", Path(__file__).parents[3]))
SERVER = str(ROOT / "examples/mcp-server-python/review_server.py")
OURS: dict[str, Any] = {"review": {"command": sys.executable, "args": [SERVER]}}
HOOK: dict[str, Any] = {
    "type": "mcp_tool",
    "server": "review",
    "tool": "secrets",
    "input": {"text": "${tool_input.command}"},
    "timeout": 60,
}
HOOKS = {"PreToolUse": group(HOOK)}
KEY = {**BASH, "tool_input": {"command": "echo AKIAABCDEFGHIJKLMNOP"}}


def servers(parent: int | None = None) -> list[str]:
    """Returns the running servers of a process; by default, of this one."""
    wanted, found = parent or os.getpid(), []
    for place in Path("/proc").iterdir():
        try:
            words = (place / "cmdline").read_bytes().split(b"\0")
            above = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        if SERVER.encode() in words and above == wanted:
            found.append(place.name)
    return found


def gone(processes: list[str]) -> bool:
    """Returns whether all of these end within a short time."""
    for _ in range(2000):
        if not any(SERVER.encode() in words(process) for process in processes):
            return True
        time.sleep(0.01)
    return False


def words(process: str) -> list[bytes]:
    try:
        return Path("/proc", process, "cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


# rules: H6, X7
@pytest.mark.parametrize("named", ["servers", "whole", "config", "loaded"])
def test_a_hook_denies_by_a_server_of_its_engine(make: Make, project: Path, named: str) -> None:
    (project / "own.json").write_text(json.dumps({"mcpServers": OURS}))
    wants: dict[str, dict[str, Any]] = {
        "servers": {"mcp_servers": OURS},
        "whole": {"mcp_servers": {"mcpServers": OURS}},
        "config": {"mcp_config": project / "own.json"},
    }
    if named == "loaded":
        config = load_hook_config_from_sources(
            project, settings={"hooks": HOOKS}, mcp_config=project / "own.json", managed_dir=project / "managed"
        )
        assert (config.mcp_config, config.mcp_servers) == (project / "own.json", None)
        engine = HookEngine(config=config)
    else:
        engine = make(HOOKS, **wants[named])
    assert servers() == []
    with engine:
        outcome = engine.run_event_sync("PreToolUse", **KEY)
        assert (outcome.result, outcome.reason) == ("blocked", "the text holds an access key of AWS")
        assert engine.run_event_sync("PreToolUse", **BASH).result == "passed"
        assert len(servers()) == 1
    assert servers() == []


# rules: H6, O10
@pytest.mark.parametrize(
    ("ours", "why"),
    [
        (None, "this host has no MCP servers"),
        ({}, "there is no MCP server `review`"),
        ({"review": {"command": "no-such-program"}}, "program `no-such-program` was not found"),
        ({"review": {"comand": "python3"}}, "there is no `command`"),
    ],
)
def test_a_server_that_is_missing_fails_the_hook_by_name(make: Make, ours: Any, why: str) -> None:
    outcome = make(HOOKS, mcp_servers=ours).run_event_sync("PreToolUse", **KEY)
    (failure,) = outcome.failures
    assert outcome.result == "passed" and why in failure.text and failure.text.startswith("not checked")
    blocks = {"PreToolUse": group({**HOOK, "onFailure": "block"})}
    assert make(blocks, mcp_servers=ours).run_event_sync("PreToolUse", **KEY).result == "blocked"


# rule: H6
def test_servers_that_cannot_be_read_are_an_error_at_once(make: Make, project: Path) -> None:
    (project / "broken.json").write_text("{")
    cases: list[tuple[dict[str, Any], str]] = [
        ({"mcp_config": project / "none.json"}, "none.json` can't be read"),
        ({"mcp_config": project / "broken.json"}, r"broken.json:1:1"),
        ({"mcp_config": project / "broken.json", "mcp_servers": OURS}, "not both"),
        ({"mcp_servers": {"mcpServers": 1}}, "`mcpServers` is a number"),
        ({"mcp_servers": {"review": {"comand": "x"}}, "strict": True}, "there is no `command`"),
        ({"mcp_servers": {"review": {1, 2}}}, "of type `set`"),
    ]
    for named, why in cases:
        with pytest.raises(ConfigError, match=why):
            make(HOOKS, **named)
        with pytest.raises(ConfigError, match=why):
            load_hook_config_from_sources(project, managed_dir=project / "managed", **named)
    with pytest.raises(ConfigError, match="not both"):
        HookEngine(config=HookConfig(project_root=project, mcp_config="a", mcp_servers=OURS))


# rule: H6
def test_servers_of_an_engine_are_no_others(make: Make) -> None:
    mine, theirs = make(HOOKS, mcp_servers=OURS), make(HOOKS, mcp_servers={"other": OURS["review"]})
    assert mine.run_event_sync("PreToolUse", **KEY).blocked
    (failure,) = theirs.run_event_sync("PreToolUse", **KEY).failures
    assert "no MCP server `review`" in failure.text
    assert len(servers()) == 2
    mine.close()
    assert len(servers()) == 1
    assert not theirs.run_event_sync("PreToolUse", **KEY).blocked


# rule: H6
def test_any_mapping_names_servers(make: Make) -> None:
    class Frozen(Mapping[str, Any]):
        def __getitem__(self, name: str) -> Any:
            return OURS[name]

        def __iter__(self) -> Any:
            return iter(OURS)

        def __len__(self) -> int:
            return len(OURS)

    assert make(HOOKS, mcp_servers=Frozen()).run_event_sync("PreToolUse", **KEY).blocked


# rules: H6, X7
def test_an_engine_that_is_collected_ends_its_servers(project: Path) -> None:
    engine = HookEngine(project, settings={"hooks": HOOKS}, mcp_servers=OURS, managed_dir=project / "managed")
    assert engine.run_event_sync("PreToolUse", **KEY).blocked
    ours = servers()
    assert len(ours) == 1
    del engine
    assert gone(ours)


# rules: H6, X7
@pytest.mark.parametrize("how", ["pass", "raise SystemExit(3)", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"])
def test_servers_end_with_the_program(project: Path, how: str) -> None:
    program = f"""
from becket import HookEngine
from test_servers import HOOKS, KEY, OURS, servers
engine = HookEngine({str(project)!r}, settings={{"hooks": HOOKS}}, mcp_servers=OURS)
assert engine.run_event_sync("PreToolUse", **KEY).blocked
print(*servers(), flush=True)
{how}
"""
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run([sys.executable, "-c", program], env=here, capture_output=True, text=True, timeout=120)
    ours = done.stdout.split()
    assert len(ours) == 1, done.stderr
    assert gone(ours)
