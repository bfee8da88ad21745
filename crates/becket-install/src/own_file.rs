//! Files that are Becket's own as a whole: the script of an event, a plugin.

use crate::agent::{AgentConfig, ConfigForm, PluginKind, RegisteredEvent, Scope};
use crate::command::{HookCommand, is_started, limit_among, own_command, own_words};
use serde_json::json;

/// The beginning of the line that says who wrote the file.
const WRITTEN: &str = "Written by `becket install ";

/// Returns the program that an own file starts and its arguments; `None` for any other file.
pub(crate) fn started_by(form: ConfigForm, text: &str) -> Option<Vec<String>> {
    match form {
        ConfigForm::Scripts => of_script(text),
        ConfigForm::Plugin(_) => of_plugin(text),
        ConfigForm::Groups { .. } | ConfigForm::List(_) | ConfigForm::Tables | ConfigForm::Sequences => None,
    }
}

/// Returns true if a file is Becket's own.
pub(crate) fn is_own_file(form: ConfigForm, text: &str) -> bool {
    started_by(form, text).is_some()
}

fn of_script(text: &str) -> Option<Vec<String>> {
    let mut lines = text.lines();
    let _interpreter = lines.next()?;
    lines.next()?.strip_prefix("# ")?.strip_prefix(WRITTEN)?;
    own_words(lines.find_map(|line| line.strip_prefix("exec "))?)
}

fn of_plugin(text: &str) -> Option<Vec<String>> {
    text.lines().next()?.strip_prefix("// ")?.strip_prefix(WRITTEN)?;
    let words = text.lines().find_map(|line| line.strip_prefix("const COMMAND = "))?;
    let words: Vec<String> = serde_json::from_str(words).ok()?;
    is_started(&words).then_some(words)
}

/// Returns the text that this Becket writes into the file of an event, with the program, the times and the rewrites of
/// the text that is there; `None` for the file of somebody else.
pub(crate) fn current_text(
    agent: &AgentConfig,
    scope: Scope,
    event: &RegisteredEvent,
    text: &str,
) -> Option<String> {
    let words = started_by(agent.form, text)?;
    let command = own_command(agent, scope, &words)?;
    let within = limit_among(&words)?;
    match agent.form {
        ConfigForm::Scripts => Some(script(agent, &command.text_within(event, within))),
        ConfigForm::Plugin(kind) => {
            let limit = limit_in_text(agent.form, text)?;
            Some(plugin(kind, &command, &command.words_within(event, within), limit))
        }
        ConfigForm::Groups { .. } | ConfigForm::List(_) | ConfigForm::Tables | ConfigForm::Sequences => None,
    }
}

/// Returns the time limit of a plugin, in milliseconds.
pub(crate) fn limit_in_text(form: ConfigForm, text: &str) -> Option<u64> {
    match form {
        ConfigForm::Plugin(_) => {
            text.lines().find_map(|line| line.strip_prefix("const LIMIT = "))?.parse().ok()
        }
        ConfigForm::Scripts
        | ConfigForm::Groups { .. }
        | ConfigForm::List(_)
        | ConfigForm::Tables
        | ConfigForm::Sequences => None,
    }
}

/// Returns the script of an event.
pub(crate) fn script(agent: &AgentConfig, command: &str) -> String {
    format!("#!/bin/sh\n# {WRITTEN}{}`.\nexec {command}\n", agent.name)
}

/// Returns a plugin whose program is started with `words` and has a time limit in milliseconds.
pub(crate) fn plugin(kind: PluginKind, command: &HookCommand<'_>, words: &[String], limit: u64) -> String {
    let source = match kind {
        PluginKind::Opencode => include_str!("plugins/opencode.js"),
        PluginKind::Pi => include_str!("plugins/pi.js"),
    };
    let words: Vec<&str> = std::iter::once(command.program).chain(words.iter().map(String::as_str)).collect();
    let shared = include_str!("plugins/shared.js");
    let filled = source.replace("// @shared", shared.trim_end());
    filled
        .replace("@agent", command.agent.name)
        .replace("\"@command\"", &json!(words).to_string())
        .replace("\"@reason\"", &json!(command.reason()).to_string())
        .replace("\"@limit\"", &limit.to_string())
}
