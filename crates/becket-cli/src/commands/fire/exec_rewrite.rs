//! `fire --exec-rewrite`: a shell line of another agent is rewritten to run under `becket exec` (protocol.md E6).
//!
//! The rules are a part of the rewritten command, where the line can't change them. A rewrite decides nothing: a call
//! that is denied or asked about stays as it is, and so does one that a rewrite would allow.

use crate::commands::exec::search_path;
use crate::env::Surroundings;
use becket_engine::Engine;
use becket_exec::line::LineRules;
use becket_model::{Event, EventBody};
use becket_rules::shell::quoted_word;
use becket_tools::shell::{ProgramPlaces, exclude, line_rules, shown_commands};
use serde_json::{Map, Value};
use std::path::Path;

/// The shell of a rewritten line.
const SHELL: &str = "/bin/bash";

/// The longest rewritten command, in bytes: the most that the kernel takes as one argument, less some room.
const LONGEST: usize = 120 << 10;

/// The reason for which a line is not run.
const TOO_LONG: &str =
    "the settings enable `sandbox`, and the line is too long to be run in it: write it into a script";

/// Returns the input of the call with its line under `becket exec`. `None` if nothing has to be enforced for it, or if the
/// line is too long and rules alone are: then they hold for its text. A line that is too long and has fewer rights is
/// replaced by its refusal.
///
/// `rewritten` is the input that a hook has written already.
pub(super) fn of(
    engine: &Engine,
    event: &Event,
    rewritten: Option<&Map<String, Value>>,
    around: &Surroundings,
) -> Option<Map<String, Value>> {
    let EventBody::PreToolUse(call) = &event.body else { return None };
    if call.tool_name != "Bash" || !cfg!(target_os = "linux") {
        return None;
    }
    let program = around.program.as_deref()?;
    let input = rewritten.unwrap_or(&call.tool_input);
    let line = input.get("command").and_then(Value::as_str)?;
    // Hooks can't be asked from there: they have seen the text. A call to which they leave fewer rights is denied.
    let mut rules = LineRules { conditions: Vec::new(), ..line_rules(engine, &event.session.cwd, &[]) };
    let search_path = search_path(around);
    let places = ProgramPlaces { search_path: &search_path, directory: &event.session.cwd };
    exclude(&mut rules, line, places);
    if rules.is_empty() {
        return None;
    }
    let rules = LineRules { decided: shown_commands(line), ..rules };
    let whole = command(program, &rules, line).filter(|command| command.len() <= LONGEST);
    let command = match whole {
        Some(command) => command,
        None if rules.rights.are_all() && rules.refusal.is_none() => return None,
        None => {
            command(program, &LineRules { refusal: Some(TOO_LONG.to_owned()), ..LineRules::default() }, ":")?
        }
    };
    let mut input = input.clone();
    input.insert("command".to_owned(), command.into());
    Some(input)
}

fn command(program: &Path, rules: &LineRules, line: &str) -> Option<String> {
    let rules = serde_json::to_string(rules).ok()?;
    let words = [program.to_str()?, "exec", "--line-rules", &rules, "--", SHELL, "-c", line];
    Some(words.map(quoted_word).join(" "))
}
