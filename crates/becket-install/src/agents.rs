//! The configurations of all agents.

use crate::agent::{AgentConfig, ConfigForm, ListEntry, Location, OffSwitch, PluginKind, Scope, SwitchKind};
use crate::trust_record::TrustRecord;
use becket_model::EventKind;
use std::time::Duration;

const NONE: AgentConfig = AgentConfig {
    name: "",
    programs: &[],
    user: None,
    project: None,
    form: ConfigForm::Tables,
    events: &[],
    every_native: false,
    short: &[],
    step: None,
    reads_hooks: None,
    trust: None,
    off: &[],
};

const fn at(directory: &'static str, file: &'static str) -> Option<Location> {
    Some(Location { variable: None, directory, file })
}

const fn named(variable: &'static str, directory: &'static str, file: &'static str) -> Option<Location> {
    Some(Location { variable: Some((variable, "")), directory, file })
}

const fn groups(named: bool, comments: bool) -> ConfigForm {
    ConfigForm::Groups { matcher: true, named, comments }
}

/// A key whose value `true` switches off all hooks.
const fn disables(scope: Scope, file: &'static str, keys: &'static [&'static str]) -> OffSwitch {
    OffSwitch { scope, file, kind: SwitchKind::Value { keys, on: false } }
}

/// A key whose value `false` switches off all hooks.
const fn enables(scope: Scope, file: &'static str, keys: &'static [&'static str]) -> OffSwitch {
    OffSwitch { scope, file, kind: SwitchKind::Value { keys, on: true } }
}

/// A list of hooks that are switched off.
const fn lists(scope: Scope, file: &'static str, keys: &'static [&'static str]) -> OffSwitch {
    OffSwitch { scope, file, kind: SwitchKind::Names(keys) }
}

/// A file with hooks, besides which the agent ignores those in its settings.
const fn replaces(scope: Scope, file: &'static str) -> OffSwitch {
    OffSwitch { scope, file, kind: SwitchKind::Instead }
}

/// The configurations, in the order of the dialects.
pub static AGENTS: [AgentConfig; 14] = [
    AgentConfig {
        name: "claude",
        programs: &["claude"],
        user: named("CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
        project: Some(".claude/settings.json"),
        form: groups(false, false),
        step: Some(
            "start it with `--setting-sources user`, or it runs the hooks of the project itself as well",
        ),
        reads_hooks: Some("it runs the hooks of `.claude/settings.json` itself"),
        off: &[
            disables(Scope::User, "settings.json", &["disableAllHooks"]),
            disables(Scope::Project, ".claude/settings.json", &["disableAllHooks"]),
            disables(Scope::Project, ".claude/settings.local.json", &["disableAllHooks"]),
        ],
        ..NONE
    },
    AgentConfig {
        name: "codex",
        programs: &["codex"],
        user: named("CODEX_HOME", ".codex", "hooks.json"),
        project: Some(".codex/hooks.json"),
        form: groups(false, false),
        short: &[("SessionEnd", Duration::from_secs(3))],
        step: Some(
            "open Codex, type `/hooks` and trust the hooks of becket: until then it skips them without a word",
        ),
        trust: Some(TrustRecord::Projects("config.toml")),
        off: &[
            enables(Scope::User, "config.toml", &["features", "hooks"]),
            enables(Scope::User, "config.toml", &["features", "codex_hooks"]),
            enables(Scope::Project, ".codex/config.toml", &["features", "hooks"]),
            enables(Scope::Project, ".codex/config.toml", &["features", "codex_hooks"]),
        ],
        ..NONE
    },
    AgentConfig {
        name: "gemini",
        programs: &["gemini"],
        user: at(".gemini", "settings.json"),
        project: Some(".gemini/settings.json"),
        form: groups(true, true),
        trust: Some(TrustRecord::Folders("trustedFolders.json")),
        off: &[
            enables(Scope::User, "settings.json", &["hooksConfig", "enabled"]),
            enables(Scope::User, "settings.json", &["tools", "enableHooks"]),
            lists(Scope::User, "settings.json", &["hooksConfig", "disabled"]),
            enables(Scope::Project, ".gemini/settings.json", &["hooksConfig", "enabled"]),
            enables(Scope::Project, ".gemini/settings.json", &["tools", "enableHooks"]),
            lists(Scope::Project, ".gemini/settings.json", &["hooksConfig", "disabled"]),
        ],
        ..NONE
    },
    AgentConfig {
        name: "qwen",
        programs: &["qwen"],
        user: at(".qwen", "settings.json"),
        project: Some(".qwen/settings.json"),
        form: groups(true, true),
        off: &[
            disables(Scope::User, "settings.json", &["disableAllHooks"]),
            enables(Scope::User, "settings.json", &["hooksConfig", "enabled"]),
            lists(Scope::User, "settings.json", &["hooksConfig", "disabled"]),
            disables(Scope::Project, ".qwen/settings.json", &["disableAllHooks"]),
            enables(Scope::Project, ".qwen/settings.json", &["hooksConfig", "enabled"]),
            lists(Scope::Project, ".qwen/settings.json", &["hooksConfig", "disabled"]),
        ],
        ..NONE
    },
    AgentConfig {
        name: "copilot",
        programs: &["copilot"],
        user: named("COPILOT_HOME", ".copilot", "hooks/becket.json"),
        project: Some(".github/hooks/becket.json"),
        form: ConfigForm::List(ListEntry::Copilot),
        reads_hooks: Some(
            "it reads `.claude/settings.json` itself, without `if` and the arguments of plugins",
        ),
        off: &[
            disables(Scope::User, "settings.json", &["disableAllHooks"]),
            disables(Scope::User, "config.json", &["disableAllHooks"]),
            disables(Scope::User, "hooks/becket.json", &["disableAllHooks"]),
            disables(Scope::Project, ".github/copilot/settings.json", &["disableAllHooks"]),
            disables(Scope::Project, ".github/copilot/settings.local.json", &["disableAllHooks"]),
            disables(Scope::Project, ".github/hooks/becket.json", &["disableAllHooks"]),
        ],
        ..NONE
    },
    AgentConfig {
        name: "droid",
        programs: &["droid"],
        user: at(".factory", "settings.json"),
        project: Some(".factory/settings.json"),
        form: groups(false, true),
        off: &[
            disables(Scope::User, "settings.json", &["hooksDisabled"]),
            disables(Scope::User, "settings.local.json", &["hooksDisabled"]),
            replaces(Scope::User, "hooks.json"),
            disables(Scope::Project, ".factory/settings.json", &["hooksDisabled"]),
            disables(Scope::Project, ".factory/settings.local.json", &["hooksDisabled"]),
            replaces(Scope::Project, ".factory/hooks.json"),
        ],
        ..NONE
    },
    AgentConfig {
        name: "kimi",
        programs: &["kimi"],
        user: at(".kimi-code", "config.toml"),
        form: ConfigForm::Tables,
        ..NONE
    },
    AgentConfig {
        name: "cline",
        programs: &["cline"],
        project: Some(".clinerules/hooks"),
        form: ConfigForm::Scripts,
        events: &[
            ("TaskStart", EventKind::SessionStart),
            ("UserPromptSubmit", EventKind::UserPromptSubmit),
            ("PreToolUse", EventKind::PreToolUse),
            ("PostToolUse", EventKind::PostToolUse),
            ("TaskComplete", EventKind::Stop),
            ("PreCompact", EventKind::PreCompact),
        ],
        ..NONE
    },
    AgentConfig {
        name: "hermes",
        programs: &["hermes"],
        user: named("HERMES_HOME", ".hermes", "config.yaml"),
        form: ConfigForm::Sequences,
        step: Some("Hermes asks once for each hook: answer yes, or start it with `--accept-hooks`"),
        ..NONE
    },
    AgentConfig {
        name: "opencode",
        programs: &["opencode"],
        user: Some(Location {
            variable: Some(("XDG_CONFIG_HOME", "opencode")),
            directory: ".config/opencode",
            file: "plugins/becket.js",
        }),
        project: Some(".opencode/plugins/becket.js"),
        form: ConfigForm::Plugin(PluginKind::Opencode),
        ..NONE
    },
    AgentConfig {
        name: "kilo",
        programs: &["kilo"],
        user: Some(Location {
            variable: Some(("XDG_CONFIG_HOME", "kilo")),
            directory: ".config/kilo",
            file: "plugins/becket.js",
        }),
        project: Some(".kilo/plugins/becket.js"),
        form: ConfigForm::Plugin(PluginKind::Opencode),
        ..NONE
    },
    AgentConfig {
        name: "pi",
        programs: &["pi"],
        user: at(".pi/agent", "extensions/becket.js"),
        project: Some(".pi/extensions/becket.js"),
        form: ConfigForm::Plugin(PluginKind::Pi),
        ..NONE
    },
    AgentConfig {
        name: "cursor",
        programs: &["cursor-agent", "cursor"],
        user: at(".cursor", "hooks.json"),
        project: Some(".cursor/hooks.json"),
        form: ConfigForm::List(ListEntry::Cursor),
        reads_hooks: Some(
            "it runs the hooks of `.claude/settings.json` itself if third-party configurations are enabled",
        ),
        ..NONE
    },
    AgentConfig {
        name: "windsurf",
        programs: &["windsurf"],
        user: at(".codeium/windsurf", "hooks.json"),
        project: Some(".windsurf/hooks.json"),
        form: ConfigForm::List(ListEntry::Windsurf),
        every_native: true,
        ..NONE
    },
];

/// Returns the configuration of an agent.
pub fn agent(name: &str) -> Option<&'static AgentConfig> {
    AGENTS.iter().find(|agent| agent.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_dialects::ALL;
    use becket_model::PROTECTED_FILES;

    #[test]
    fn every_dialect_has_a_configuration_and_its_deciding_events_are_registered() {
        let names: Vec<_> = ALL.iter().map(|dialect| dialect.name).collect();
        assert_eq!(AGENTS.iter().map(|agent| agent.name).collect::<Vec<_>>(), names);
        for agent in &AGENTS {
            let registered = agent.registered(&[]);
            for row in agent.dialect().events.iter().filter(|row| row.supports.refusal) {
                assert!(
                    registered.iter().any(|event| event.kind == row.kind),
                    "{} {}",
                    agent.name,
                    row.native
                );
            }
            assert!(registered.iter().any(|event| event.kind == EventKind::PreToolUse), "{}", agent.name);
            assert!(agent.user.is_some() || agent.project.is_some());
        }
    }

    // rules: P14, E5
    #[test]
    fn every_file_that_an_agent_reads_hooks_from_is_protected() {
        let mut files: Vec<String> = Vec::new();
        for agent in &AGENTS {
            let below = |directory: &str, file: &str| format!("{directory}/{file}");
            files.extend(agent.project.map(str::to_owned));
            files.extend(agent.user.map(|user| below(user.directory, user.file)));
            files.extend(agent.off.iter().filter_map(|off| match off.scope {
                Scope::Project => Some(off.file.to_owned()),
                Scope::User => Some(below(agent.user?.directory, off.file)),
            }));
            let servers = agent.dialect().mcp_files;
            files.extend(servers.project.iter().map(|file| (*file).to_owned()));
            files.extend(servers.user.iter().map(|file| below(servers.user_directory, file)));
        }
        let is_protected = |file: &&String| {
            let names: Vec<String> = file.split('/').map(str::to_lowercase).collect();
            PROTECTED_FILES
                .iter()
                .any(|known| names.len() >= known.len() && names.iter().zip(*known).all(|(a, b)| a == b))
        };
        let open: Vec<_> = files.iter().filter(|file| !is_protected(file)).collect();
        assert!(open.is_empty(), "not in `PROTECTED_FILES`: {open:?}");
        assert!(files.len() > 50);
    }

    #[test]
    fn limits_are_five_seconds_more_than_the_longest_handler_up_to_the_agents_own() {
        let seconds = Duration::from_secs;
        let limit = |name: &str, event, longest: u64| {
            let agent = agent(name).unwrap();
            (agent.limit(event, Some(seconds(longest))), agent.within(event, Some(seconds(longest))))
        };
        assert_eq!(limit("gemini", "BeforeTool", 90), (seconds(95), seconds(90)));
        assert_eq!(limit("hermes", "pre_tool_call", 900), (seconds(300), seconds(295)));
        assert_eq!(limit("codex", "SessionEnd", 90), (seconds(3), Duration::from_millis(1500)));
        assert_eq!(limit("cline", "PreToolUse", 90), (seconds(30), seconds(25)));
        let gemini = agent("gemini").unwrap();
        assert_eq!(gemini.limit("BeforeTool", None), seconds(60));
        assert_eq!(gemini.in_unit(seconds(60)), 60_000);
    }
}
