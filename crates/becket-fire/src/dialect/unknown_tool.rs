//! Tools that the table of an agent does not have: they may run commands or write files.
//!
//! Two settings of managed files, the user's file and the command line: `toolAliases` (`{"teleport": "Bash"}`) names the
//! tool of the protocol whose guards see it; `unknownTools: "allow"` lets the others pass.

use crate::Launch;
use becket_dialects::Payload;
use becket_engine::handler::{Handler, If};
use becket_engine::{Engine, config};
use becket_model::{Event, EventKind, Source};
use serde_json::Value;

/// The tools whose guards an unknown tool may bypass.
const GUARDED: [&str; 3] = ["Bash", "Write", "Edit"];

/// The settings about the unknown tool of a payload.
#[derive(Debug, Default)]
pub(crate) struct UnknownToolPolicy {
    /// The tool, if the table does not have it.
    tool: Option<String>,
    /// True if `unknownTools` is `allow`.
    is_allowed: bool,
    /// The tool of the protocol for each unknown one that has one.
    pub(crate) aliases: Vec<(String, String)>,
}

impl UnknownToolPolicy {
    /// Reads the settings, if the payload has an unknown tool.
    pub(crate) fn of(launch: &Launch, incoming: &Payload) -> Self {
        let Some(tool) = incoming.unknown_tool() else { return UnknownToolPolicy::default() };
        let mut settings = UnknownToolPolicy { tool: Some(tool.to_owned()), ..UnknownToolPolicy::default() };
        for layer in config::load(&launch.request()).layers() {
            // A file of the project could exempt an unknown tool from guards.
            let counts = matches!(layer.source, Source::Policy | Source::User | Source::Flag);
            let text = layer.text.as_deref().ok().filter(|_| counts);
            if let Some(Ok(file)) = text.map(serde_json::from_str::<Value>) {
                settings.add(&file, tool);
            }
        }
        settings
    }

    fn add(&mut self, file: &Value, tool: &str) {
        match file.get("unknownTools").and_then(Value::as_str) {
            Some("allow") => self.is_allowed = true,
            Some(_) => self.is_allowed = false,
            None => {}
        }
        let alias = file.get("toolAliases").and_then(|aliases| aliases.get(tool)).and_then(Value::as_str);
        if let Some(alias) = alias {
            self.aliases = vec![(tool.to_owned(), alias.to_owned())];
            self.tool = None;
        }
    }

    /// Returns the reason for denying a call of an unknown tool; `None` unless a guard of another tool would not have
    /// seen it.
    pub(crate) fn denial(&self, event: &Event, engine: &Engine) -> Option<String> {
        let tool = self.tool.as_deref().filter(|_| !self.is_allowed)?;
        if event.kind() != EventKind::PreToolUse {
            return None;
        }
        let guarded =
            engine.host().hooks().of(EventKind::PreToolUse).iter().find_map(|hook| guarded(hook, tool));
        let by_rule = engine.config().permissions.iter().any(|rule| rule.list != config::RuleList::Allow);
        let other = guarded.or(by_rule.then_some(GUARDED[0]))?;
        Some(format!(
            "`{tool}` is a tool that becket does not know, and a guard for `{other}` would not see it; name the tool that \
             it is like in `toolAliases` of your own settings, or set `unknownTools` to `allow` there"
        ))
    }
}

/// Returns the tool whose calls the hook sees, if it does not see those of `tool`.
fn guarded(hook: &Handler, tool: &str) -> Option<&'static str> {
    let sees_both = hook.matcher.matches(tool) && matches!(hook.condition, If::Absent);
    GUARDED.into_iter().find(|other| !sees_both && hook.matcher.matches(other))
}
