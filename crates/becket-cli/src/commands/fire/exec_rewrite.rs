//! `fire --exec-rewrite`: a shell line of another agent is rewritten to run under `becket exec` (protocol.md E6).
//!
//! The rules, and the rights that hooks leave to the call (E5), are part of the rewritten command, where the line can't
//! change them. A rewrite decides nothing: a call that is denied or asked about is left unchanged, and so is a call
//! that would be allowed by a rewrite.
//!
//! INVARIANT: a call to which hooks leave fewer rights is rewritten or denied.

use crate::commands::exec::search_path;
use crate::env::Surroundings;
use becket_engine::Engine;
use becket_exec::line::LineRules;
use becket_model::{Attributed, Event, EventBody, SandboxAnswer};
use becket_rules::shell::quoted_word;
use becket_tools::shell::{ProgramPlaces, exclude, line_rules, shown_commands};
use serde_json::{Map, Value};
use std::path::Path;

/// The tools whose calls are rewritten.
pub(super) const TOOLS: &[&str] = &["Bash"];

/// The shell of a rewritten line.
const SHELL: &str = "/bin/bash";

/// The length limit of a rewritten command, in bytes: the maximum that the kernel accepts as one argument, less some
/// room.
const LONGEST: usize = 120 << 10;

/// The reason why a line does not fit into a rewritten command.
const TOO_LONG: &str = "the line is too long for a rewrite; write it into a script";

/// The reason why rules and rights can't be part of a command.
const NOT_TEXT: &str = "its rules and rights can't be written as text: a path of them is not valid Unicode";

/// The reason why a call that is asked about is not rewritten.
pub(super) const ASKED: &str = "the user is asked about the call as it is, and a rewrite changes it";

/// The input of a call with its line under `becket exec`; `None` leaves the call unchanged.
pub(super) type RewrittenInput = Option<Map<String, Value>>;

/// Returns the input of the call with its line under `becket exec`. Returns `None` if nothing has to be enforced for
/// it, or if the line is too long and only rules apply, which then apply to its text. A line that is too long for the
/// rights that settings leave to it is replaced by its refusal.
///
/// `sandbox` contains the rights that hooks leave to the call, `rewritten` the input that a hook has already written.
///
/// # Errors
/// Returns the reason for denying the call, if a rewrite can't enforce the rights.
pub(super) fn of(
    engine: &Engine,
    event: &Event,
    sandbox: &[Attributed<SandboxAnswer>],
    rewritten: Option<&Map<String, Value>>,
    around: &Surroundings,
) -> Result<RewrittenInput, String> {
    let EventBody::PreToolUse(call) = &event.body else { return unchanged(sandbox, "there is no call") };
    let input = rewritten.unwrap_or(&call.tool_input);
    let line = input.get("command").and_then(Value::as_str);
    let Some(line) = line.filter(|_| TOOLS.contains(&call.tool_name.as_str())) else {
        return unchanged(sandbox, "the call has no command line");
    };
    let Some(program) = around.program.as_deref().filter(|_| cfg!(target_os = "linux")) else {
        return unchanged(sandbox, "this system has no `becket exec`");
    };
    let cwd = &event.session.cwd;
    let of_call = engine.host().call_rights(sandbox, cwd)?;
    // Hooks can't be consulted from there: they have seen the text.
    let mut rules = LineRules { conditions: Vec::new(), ..line_rules(engine, cwd, &of_call) };
    if let Some(why) = rules.refusal.as_deref().filter(|_| !sandbox.is_empty()) {
        return unchanged(sandbox, why);
    }
    let search_path = search_path(around);
    exclude(&mut rules, line, ProgramPlaces { search_path: &search_path, directory: cwd });
    if rules.is_empty() && sandbox.is_empty() {
        return Ok(None);
    }
    let rules = LineRules { decided: shown_commands(line), ..rules };
    let because = match command(program, &rules, line) {
        Some(command) if command.len() <= LONGEST => return Ok(Some(with_command(input, command))),
        Some(_) => TOO_LONG,
        None => NOT_TEXT,
    };
    if !sandbox.is_empty() || (rules.all_rights().are_all() && rules.refusal.is_none()) {
        return unchanged(sandbox, because);
    }
    let refusal = format!("the settings enable `sandbox`, and {because}");
    let refusing = LineRules { refusal: Some(refusal.clone()), ..LineRules::default() };
    command(program, &refusing, ":").map(|command| Some(with_command(input, command))).ok_or(refusal)
}

/// Leaves a call unchanged.
///
/// # Errors
/// Returns the reason for denying the call, if hooks leave fewer rights to it: nothing would enforce them.
pub(super) fn unchanged(
    sandbox: &[Attributed<SandboxAnswer>],
    because: &str,
) -> Result<RewrittenInput, String> {
    if sandbox.is_empty() {
        return Ok(None);
    }
    let because = format!("can't be enforced here: {because}");
    let reasons: Vec<String> = sandbox.iter().map(|answer| answer.refusal(&because)).collect();
    Err(reasons.join("\n"))
}

fn with_command(input: &Map<String, Value>, command: String) -> Map<String, Value> {
    let mut input = input.clone();
    input.insert("command".to_owned(), command.into());
    input
}

/// Returns the command that runs a line under rules, or `None` if it can't be written as text.
fn command(program: &Path, rules: &LineRules, line: &str) -> Option<String> {
    let rules = serde_json::to_string(rules).ok()?;
    let words = [program.to_str()?, "exec", "--line-rules", &rules, "--", SHELL, "-c", line];
    Some(words.map(word).join(" "))
}

/// Quotes a word for the shell of the agent, which may interpret escapes inside single quotes (fish): backslashes are
/// placed outside of them, where all shells read them alike.
fn word(text: &str) -> String {
    if text.contains('\\') {
        return text.split('\\').map(quoted_word).collect::<Vec<_>>().join(r"\\");
    }
    quoted_word(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: E6
    #[test]
    fn no_backslash_is_inside_of_quotes() {
        for (text, quoted) in [
            ("", "''"),
            ("a/b", "a/b"),
            (r"\", r"''\\''"),
            (r"x\'; touch y; '", r"x\\''\''; touch y; '\'''"),
            (r#"{"a":"\\"}"#, r#"'{"a":"'\\''\\'"}'"#),
        ] {
            assert_eq!(word(text), quoted, "{text}");
            let is_in_quotes = |(at, _): (usize, &str)| {
                // An escaped quote does not open a string.
                let before = quoted[..at].replace(r"\\", "").replace(r"\'", "");
                before.matches('\'').count() % 2 == 1
            };
            assert!(!quoted.match_indices('\\').any(is_in_quotes), "{quoted}");
        }
    }
}
