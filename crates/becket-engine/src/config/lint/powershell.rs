//! Programs for PowerShell in double quotes, where the shell that starts it replaces `$env` and `$_` first (H2).

use super::{Entry, simple_commands};
use crate::config::source::report::Report;

/// Variables of PowerShell that no shell sets; `$_` is one of both.
const VARIABLES: [&str; 7] = ["env:", "input", "null", "true", "false", "PSScriptRoot", "LASTEXITCODE"];

/// Reports the first variable of PowerShell that a shell takes for its own.
pub(super) fn lint(text: &str, entry: &Entry, report: &mut Report<'_>) {
    let found = simple_commands::of_text(text)
        .into_iter()
        .filter(|words| is_powershell(words))
        .find_map(|words| words.iter().filter(|word| word.starts_with('"')).find_map(|word| variable(word)));
    let Some(name) = found else { return };
    let at = report.part_of(entry.handler.action_span, text, &format!("${name}"));
    let message = format!(
        "`${name}` is in double quotes, so the shell replaces it by nothing, and PowerShell does not see it"
    );
    report
        .never_works(name == "env:" || name == "input", at, "unset-variable", message)
        .help("put the program in single quotes, or add `\"shell\": \"powershell\"` and write it alone")
        .rule("H2");
}

fn is_powershell(words: &[String]) -> bool {
    let program = words.first().map_or("", |word| word.rsplit(['/', '\\']).next().unwrap_or(word));
    let name = program.trim_matches('"').to_ascii_lowercase();
    matches!(name.trim_end_matches(".exe"), "powershell" | "pwsh")
}

/// Returns the first such variable of a word that has no backslash in front of it.
fn variable(word: &str) -> Option<&'static str> {
    word.match_indices('$').find_map(|(at, _)| {
        let rest = word.get(at + 1..)?;
        let is_escaped = word.get(..at)?.ends_with('\\');
        let ends = |name: &str| {
            name.ends_with(':')
                || rest
                    .get(name.len()..)
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        VARIABLES.into_iter().find(|name| !is_escaped && rest.starts_with(name) && ends(name))
    })
}
