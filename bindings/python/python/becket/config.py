"""The sources of hooks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from becket import _becket

__all__ = ["HookConfig", "load_hook_config_from_sources"]

PathLike = str | os.PathLike[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookConfig:
    """The sources of an engine's hooks, and their content.

    It names the sources. Their content is read when an engine is opened.
    """

    project_root: Path = Path(".")
    profile: Literal["agent", "claude", "becket"] = "claude"
    settings: Mapping[str, Any] | PathLike | None = None
    mcp_servers: Mapping[str, Any] | None = None
    """The MCP servers that `mcp_tool` hooks may call, by their names, as under `mcpServers` of an `.mcp.json`."""
    mcp_config: PathLike | None = None
    """The MCP servers, as a file like `.mcp.json`. No file is searched for."""
    plugin_dirs: tuple[PathLike, ...] = ()
    managed_dir: PathLike | None = None
    strict: bool = False
    trust: bool | None = None
    """False if the folder is not trusted: then its settings grant nothing. Default: trusted."""
    env: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    events: tuple[str, ...] = ()
    """The events with hooks or permission rules; `PreToolUse` if there is any rule."""
    findings: tuple[dict[str, Any], ...] = ()
    """The problems, as in `becket check --json`; valid entries work."""


def load_hook_config_from_sources(
    project_root: PathLike = ".",
    *,
    profile: Literal["agent", "claude", "becket"] = "claude",
    settings: Mapping[str, Any] | PathLike | None = None,
    mcp_servers: Mapping[str, Any] | None = None,
    mcp_config: PathLike | None = None,
    plugin_dirs: Sequence[PathLike] = (),
    managed_dir: PathLike | None = None,
    strict: bool = False,
    trust: bool | None = None,
    env: Mapping[str, str | None] | None = None,
) -> HookConfig:
    """Reads all sources: managed, the user's, the project's, the local ones, plugins, and `settings`.

    In profile `claude`, the default, these are `~/.claude/settings.json`, `.claude/settings.json` and
    `.claude/settings.local.json`; in profile `agent` the same below `.agent`. Raises
    `ConfigError` if the configuration forbids the start, or MCP servers can't be read; none of these is started.
    """
    sources = HookConfig(
        project_root=Path(project_root),
        profile=profile,
        settings=settings,
        mcp_servers=mcp_servers,
        mcp_config=mcp_config,
        plugin_dirs=tuple(plugin_dirs),
        managed_dir=managed_dir,
        strict=strict,
        trust=trust,
        env=dict(env or {}),
    )
    managed = None if managed_dir is None else os.path.abspath(managed_dir)
    session = _becket.Session.open(wants(sources), managed, None, None)
    try:
        return replace(sources, events=tuple(session.events()), findings=tuple(session.check()["findings"]))
    finally:
        session.close()


def wants(config: HookConfig) -> dict[str, Any]:
    """Returns the options of a session."""
    is_dict = isinstance(config.settings, Mapping)
    given: Any = config.settings
    return {
        "start": os.path.abspath(config.project_root),
        "profile": config.profile,
        "settings": dict(given) if is_dict else None,
        "settings_file": None if is_dict or given is None else os.path.abspath(given),
        "mcp_servers": None if config.mcp_servers is None else dict(config.mcp_servers),
        "mcp_config": None if config.mcp_config is None else os.path.abspath(config.mcp_config),
        "plugin_dirs": [os.path.abspath(directory) for directory in config.plugin_dirs],
        "strict": config.strict,
        "trust": config.trust,
        "env": config.env,
    }
