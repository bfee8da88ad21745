//! The variables that a shell text uses, and whether anything sets them.

use super::{Around, Entry, simple_commands};
use crate::config::raw::Dialect;
use crate::config::source::report::Report;
use becket_base::suggest;
use becket_model::EventKind;
use std::collections::HashSet;
use std::ops::Range;

/// A variable in a shell text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) name: String,
    /// Set if it is within double quotes.
    pub(super) quoted: bool,
    /// Set if it has a default or another operator: `${X:-y}`.
    pub(super) guarded: bool,
    /// Set if its default is empty: `${X:-}`.
    is_empty_by_default: bool,
    /// Set if more of a word follows it: `$DIR/x`.
    pub(super) joined: bool,
    /// Its bytes in the text, with the `$`.
    range: Range<usize>,
}

/// Returns the variables of a text, in order; none from single quotes and after a backslash.
pub(super) fn uses(text: &str) -> Vec<Use> {
    let (mut found, mut quoted, mut rest) = (Vec::new(), Vec::<bool>::new(), text);
    let mut in_quotes = false;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '\\' => rest = rest.get(rest.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default(),
            '\'' if !in_quotes => rest = rest.split_once('\'').map_or("", |(_, after)| after),
            '"' => in_quotes = !in_quotes,
            '$' if rest.starts_with('(') => {
                quoted.push(in_quotes);
                in_quotes = false;
                rest = rest.get(1..).unwrap_or_default();
            }
            '(' => quoted.push(in_quotes),
            ')' => in_quotes = quoted.pop().unwrap_or(in_quotes),
            '$' => {
                if let Some((variable, after)) = one(rest, in_quotes) {
                    let range = text.len() - rest.len() - 1..text.len() - after.len();
                    found.push(Use { range, ..variable });
                    rest = after;
                }
            }
            _ => {}
        }
    }
    found
}

/// Parses the variable that begins after a `$`; returns it with the rest of the text.
fn one(rest: &str, quoted: bool) -> Option<(Use, &str)> {
    let braced = rest.strip_prefix('{');
    let body = braced.unwrap_or(rest);
    let length = body.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(body.len());
    let (name, after) = body.split_at(length);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let guarded = braced.is_some() && !after.starts_with('}');
    let is_empty_by_default =
        braced.is_some() && [":-}", "-}", ":-\"\"}"].iter().any(|end| after.starts_with(end));
    let after = if braced.is_some() { after.split_once('}').map_or("", |(_, after)| after) } else { after };
    let joined =
        after.starts_with(|c: char| !c.is_whitespace() && !matches!(c, ';' | '&' | '|' | ')' | '"' | '\''));
    let name = name.to_owned();
    Some((Use { name, quoted, guarded, is_empty_by_default, joined, range: 0..0 }, after))
}

/// Returns the text with double quotes around the wanted variables that have none.
pub(super) fn in_quotes(text: &str, wanted: impl Fn(&Use) -> bool) -> String {
    let (mut new, mut end) = (String::new(), 0);
    for found in uses(text).iter().filter(|found| !found.quoted && wanted(found)) {
        let (before, variable) = (text.get(end..found.range.start), text.get(found.range.clone()));
        new.extend([before.unwrap_or_default(), "\"", variable.unwrap_or_default(), "\""]);
        end = found.range.end;
    }
    new.push_str(text.get(end..).unwrap_or_default());
    new
}

/// Names that people expect and nothing sets, with the place of the value.
const NOBODY_SETS: &[(&str, &str)] = &[
    ("CLAUDE_FILE_PATHS", ".tool_input.file_path"),
    ("CLAUDE_FILE_PATH", ".tool_input.file_path"),
    ("CLAUDE_TOOL_NAME", ".tool_name"),
    ("CLAUDE_TOOL_INPUT", ".tool_input"),
    ("CLAUDE_TOOL_ARGS", ".tool_input"),
    ("CLAUDE_TOOL_OUTPUT", ".tool_response"),
    ("CLAUDE_TOOL_RESULT", ".tool_response"),
    ("CLAUDE_COMMAND", ".tool_input.command"),
    ("CLAUDE_USER_PROMPT", ".prompt"),
    ("CLAUDE_PROMPT", ".prompt"),
    ("CLAUDE_NOTIFICATION", ".message"),
    ("CLAUDE_EVENT", ".hook_event_name"),
    ("CLAUDE_HOOK_EVENT", ".hook_event_name"),
    ("CLAUDE_TRANSCRIPT_PATH", ".transcript_path"),
    ("CLAUDE_CWD", ".cwd"),
    ("CLAUDE_SESSION_ID", ".session_id"),
    ("TOOL_INPUT", ".tool_input"),
    ("TOOL_NAME", ".tool_name"),
    ("TOOL_OUTPUT", ".tool_response"),
    ("TOOL_RESULT", ".tool_response"),
    ("TOOL_ARGS", ".tool_input"),
    ("USER_PROMPT", ".prompt"),
    ("HOOK_INPUT", "."),
    ("HOOK_EVENT", ".hook_event_name"),
    ("HOOK_EVENT_NAME", ".hook_event_name"),
    ("STDIN_JSON", "."),
    ("ARGUMENTS", "."),
    ("FILE", ".tool_input.file_path"),
    ("FILES", ".tool_input.file_path"),
    ("FILE_PATH", ".tool_input.file_path"),
    ("FILE_PATHS", ".tool_input.file_path"),
    ("FILEPATH", ".tool_input.file_path"),
    ("FILENAME", ".tool_input.file_path"),
    ("TOOL", ".tool_name"),
    ("TOOL_COMMAND", ".tool_input.command"),
    ("TOOL_RESPONSE", ".tool_response"),
    ("PROMPT", ".prompt"),
    ("SESSION_ID", ".session_id"),
    ("TRANSCRIPT_PATH", ".transcript_path"),
    ("NOTIFICATION", ".message"),
    ("NOTIFICATION_MESSAGE", ".message"),
    ("STOP_REASON", ".last_assistant_message"),
];

/// Prefixes of other agents' variables.
const OTHERS: &[(&str, Dialect)] = &[
    ("CODEX_", Dialect::Codex),
    ("GEMINI_", Dialect::Gemini),
    ("extensionPath", Dialect::Gemini),
    ("CURSOR_", Dialect::Cursor),
];

/// Warns about variables that are empty when the hook runs.
pub(super) fn lint(text: &str, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    let mut seen: HashSet<String> = HashSet::new();
    for variable in with_inner(text).into_iter().filter(|variable| is_looked_at(variable, text)) {
        let name = variable.name.as_str();
        let Some((message, help)) = complaint(name, entry, around) else {
            continue;
        };
        let is_set = is_set(name, text, around) || is_input_field(name, entry) && occurs_bare(name, text);
        if !seen.insert(name.to_owned()) || is_set {
            continue;
        }
        // If one hook is a plugin's or another agent's, all hooks of the file are: one finding is enough.
        let is_of_file = is_of_plugins(name, around) || other_agent(name).is_some();
        if is_of_file && !around.reported.borrow_mut().insert(name.to_owned()) {
            continue;
        }
        let written = [format!("${{{name}}}"), format!("${{{name}:-}}"), format!("${name}")];
        let written = written.iter().find(|written| text.contains(written.as_str()));
        let at = entry.handler.action_span;
        let at = written.map_or(at, |written| report.part_of(at, text, written));
        let is_needed = is_of_input(name)
            || name == "NOTIFICATION" && entry.event == EventKind::Notification
            || is_input_field(name, entry)
            || nearest_of_paths(name).is_some() && begins_path(name, text);
        report.never_works(is_needed, at, "unset-variable", message).maybe_help(help).rule("H3");
    }
}

/// Returns the variables of a text, and of the texts in single quotes that it hands to a shell: `bash -c '…'`.
fn with_inner(text: &str) -> Vec<Use> {
    let mut found = uses(text);
    // A text without such a command need not be parsed.
    if text.contains("c '") {
        let commands = simple_commands::of_text(text);
        let inner = commands.iter().filter_map(|words| simple_commands::shell_text(words));
        found.extend(inner.flat_map(uses));
    }
    found
}

/// Returns whether a variable is empty if nothing sets it. With an empty default it may be the first of several places
/// where a hook looks for its input.
fn is_looked_at(variable: &Use, text: &str) -> bool {
    const READ_STDIN: [&str; 6] = ["jq", "stdin", "$(cat", "cat |", "read ", "readFileSync(0"];
    let is_only_place =
        || is_of_input(&variable.name) && !READ_STDIN.iter().any(|reader| text.contains(reader));
    !variable.guarded || variable.is_empty_by_default && is_only_place()
}

/// Returns whether a name can only mean the input of a hook, which comes on stdin: a hook that reads it gets nothing.
fn is_of_input(name: &str) -> bool {
    const PREFIXES: [&str; 3] = ["TOOL_INPUT", "CLAUDE_TOOL_", "CLAUDE_FILE_PATH"];
    const NAMES: [&str; 9] = [
        "NOTIFICATION_MESSAGE",
        "TOOL_OUTPUT",
        "TOOL_RESULT",
        "TOOL_RESPONSE",
        "TOOL_NAME",
        "USER_PROMPT",
        "STDIN_JSON",
        "HOOK_INPUT",
        "HOOK_EVENT_NAME",
    ];
    NAMES.contains(&name.strip_prefix("CLAUDE_").unwrap_or(name))
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Returns whether a name is that of a field in the input of the event, in two words or more: `$teammate_name`.
fn is_input_field(name: &str, entry: &Entry) -> bool {
    const COMMON: [&str; 4] = ["session_id", "transcript_path", "hook_event_name", "permission_mode"];
    let is_own = || entry.event.spec().input.iter().any(|field| field.name == name);
    name.contains('_') && (COMMON.contains(&name) || is_own())
}

/// Returns whether a name occurs in the text without a `$`, as where `read` sets it.
fn occurs_bare(name: &str, text: &str) -> bool {
    text.match_indices(name).any(|(at, _)| !text.get(..at).unwrap_or_default().ends_with(['$', '{']))
}

/// Returns whether the text or a file's `env` sets it.
fn is_set(name: &str, text: &str, around: &Around<'_>) -> bool {
    if around.env.iter().any(|set| set == name) {
        return true;
    }
    text.match_indices(name).any(|(at, _)| {
        let (before, after) =
            (text.get(..at).unwrap_or_default(), text.get(at + name.len()..).unwrap_or_default());
        let begins = !before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '{'));
        let read = before.trim_end().ends_with("read") || before.trim_end().ends_with("read -r");
        begins && (after.starts_with('=') || read || before.trim_end().ends_with("for"))
    })
}

/// Returns whether a variable is a directory in front of a path, which the environment of the user gives: `$DOTFILES/x`.
pub(super) fn is_directory_of_user(variable: &Use, text: &str, entry: &Entry, around: &Around<'_>) -> bool {
    let Use { name, guarded, range, .. } = variable;
    let (before, after) = (text.get(..range.start), text.get(range.end..));
    let begins = before.is_some_and(|before| before.is_empty() || before.ends_with(char::is_whitespace));
    let is_constant = !name.chars().any(|c| c.is_ascii_lowercase());
    begins
        && is_constant
        && !guarded
        && after.is_some_and(|after| after.starts_with('/'))
        && !occurs_bare(name, text)
        && other_agent(name).is_none()
        && complaint(name, entry, around).is_none()
}

/// Returns the problem with a name, and what to use instead.
fn complaint(name: &str, entry: &Entry, around: &Around<'_>) -> Option<(String, Option<String>)> {
    let nobody = |(_, path): &(&str, &str)| {
        let message = format!("nothing sets `${name}`, so it is empty here");
        (message, Some(format!("read the input from stdin: `jq -r '{path}'`")))
    };
    let plain = name.strip_prefix("CLAUDE_").unwrap_or(name);
    if let Some(row) = NOBODY_SETS.iter().find(|(known, _)| *known == name || *known == plain) {
        return Some(nobody(row));
    }
    if name.starts_with("TOOL_INPUT_") || name.starts_with("CLAUDE_TOOL_INPUT_") {
        let field = name.rsplit_once("INPUT_").map_or("", |(_, field)| field).to_ascii_lowercase();
        return Some(nobody(&("", &format!(".tool_input.{field}"))));
    }
    if name.starts_with("TOOL_") || name.starts_with("HOOK_") {
        return Some(nobody(&("", ".")));
    }
    if is_input_field(name, entry) {
        return Some(nobody(&("", &format!(".{name}"))));
    }
    if let Some(agent) = other_agent(name) {
        if around.agent == Some(agent) {
            return None;
        }
        return Some((format!("`${name}` is a variable of {}, and empty here", agent.name()), None));
    }
    let of_session = |part: &str| around.profile.var(part) == name;
    if of_session("ENV_FILE") && !entry.event.spec().env_file {
        return Some((format!("`{}` hooks get no `${name}`", entry.event), None));
    }
    if is_of_plugins(name, around) {
        let message =
            format!("`${name}` is set for the hooks of plugins, and no `plugin.json` lies above this file");
        let help = format!(
            "if it belongs to a plugin, check the plugin's directory; else use `${}`",
            around.profile.var("PROJECT_DIR")
        );
        return Some((message, Some(help)));
    }
    if let Some(part) = nearest_of_paths(name) {
        let help = format!("write `${}`", around.profile.var(part));
        return Some((format!("nothing sets `${name}`"), Some(help)));
    }
    misspelt(name, around)
}

/// Returns the other agent that sets a variable.
fn other_agent(name: &str) -> Option<Dialect> {
    OTHERS.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, agent)| *agent)
}

/// Returns whether only plugins get a variable, and this file does not belong to one.
fn is_of_plugins(name: &str, around: &Around<'_>) -> bool {
    let is_theirs = ["PLUGIN_ROOT", "PLUGIN_DATA"].iter().any(|part| around.profile.var(part) == name);
    is_theirs && !around.of_plugin
}

/// Names that people expect for a directory, with the part of the name that is set.
const OTHER_PATHS: [(&str, &str); 9] = [
    ("CLAUDE_PLUGIN_DIR", "PLUGIN_ROOT"),
    ("CLAUDE_PLUGIN_PATH", "PLUGIN_ROOT"),
    ("CLAUDE_PLUGIN_HOME", "PLUGIN_ROOT"),
    ("CLAUDE_PLUGIN_DIRECTORY", "PLUGIN_ROOT"),
    ("CLAUDE_PROJECT_ROOT", "PROJECT_DIR"),
    ("CLAUDE_PROJECT_PATH", "PROJECT_DIR"),
    ("CLAUDE_WORKSPACE_DIR", "PROJECT_DIR"),
    ("CLAUDE_WORKSPACE_ROOT", "PROJECT_DIR"),
    ("CLAUDE_WORKING_DIR", "PROJECT_DIR"),
];

/// Returns the part of the name that is set instead of a name that people expect for a directory.
fn nearest_of_paths(name: &str) -> Option<&'static str> {
    OTHER_PATHS.iter().find(|(other, _)| *other == name).map(|(_, part)| *part)
}

/// Returns whether a path in a text begins with a variable: where it is empty, nothing is found.
fn begins_path(name: &str, text: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (text.get(..at), text.get(at + name.len()..));
        let is_variable = before.is_some_and(|before| before.ends_with(['$', '{']));
        let rest = after.unwrap_or_default().trim_start_matches(['}', '"']);
        is_variable && rest.starts_with('/')
    })
}

/// Returns the message about a misspelt name of the profile.
fn misspelt(name: &str, around: &Around<'_>) -> Option<(String, Option<String>)> {
    let ours = ["PROJECT_DIR", "PLUGIN_ROOT", "PLUGIN_DATA", "ENV_FILE"].map(|part| around.profile.var(part));
    let ours: Vec<&str> = ours.iter().map(String::as_str).collect();
    if ours.contains(&name) || strsim::damerau_levenshtein(name, suggest(name, &ours)?) > 3 {
        return None;
    }
    let near = suggest(name, &ours)?;
    Some((format!("nothing sets `${name}`"), Some(format!("did you mean `${near}`?"))))
}

#[cfg(test)]
mod tests {
    use super::uses;

    #[test]
    fn variables_are_found_with_their_quotes() {
        let seen = |text: &str| -> Vec<(String, bool)> {
            uses(text).into_iter().map(|found| (found.name, found.quoted)).collect()
        };
        for (text, expected) in [
            ("$A/x", vec![("A", false)]),
            ("\"$A\"/x '$B' \\$C", vec![("A", true)]),
            ("\"$(cat $A)\" ${B:-c}", vec![("A", false), ("B", false)]),
            ("\"x $(echo \"$A\") $B\"", vec![("A", true), ("B", true)]),
            ("echo $1 $? $$ ${#x}", vec![]),
        ] {
            let expected: Vec<_> =
                expected.into_iter().map(|(name, quoted)| (name.to_owned(), quoted)).collect();
            assert_eq!(seen(text), expected, "{text}");
        }
    }
}
