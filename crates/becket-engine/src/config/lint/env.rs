//! Variables of a project that would affect the programs of more trusted hooks, and don't reach them, and values that
//! name other variables (H3).

use crate::config::handler::Action;
use crate::config::resolve::Part;
use crate::config::source::report::Report;
use crate::config::source::tree::Span;
use becket_model::Source;

/// Variables by which a program finds its code, or runs other code first.
const STEERING: &[&str] = &[
    "PATH",
    "IFS",
    "ENV",
    "BASH_ENV",
    "BASHOPTS",
    "SHELLOPTS",
    "CDPATH",
    "PS4",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PERL5DB",
    "RUBYLIB",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "GCONV_PATH",
    "ZDOTDIR",
    "HOME",
    "EDITOR",
    "PAGER",
];

/// Prefixes of such variables.
const FAMILIES: &[&str] = &["LD_", "DYLD_", "GIT_", "BASH_FUNC_"];

/// Warns about these variables if there is a command that a user could expect to see them.
pub(super) fn lint(part: &Part<'_>, all: &[Part<'_>], report: &mut Report<'_>) {
    for variable in &part.sheet.env {
        unexpanded(&variable.name, &variable.value, variable.span, report);
    }
    if !matches!(part.layer.source, Source::Project | Source::Local) {
        return;
    }
    let rank = part.layer.source.trust_rank();
    let runs_commands = |other: &&Part<'_>| {
        other.sheet.entries.iter().any(|entry| matches!(entry.handler.action, Action::Command(_)))
    };
    let mut trusted: Vec<&Source> = all
        .iter()
        .filter(|other| other.layer.source.trust_rank() < rank)
        .filter(runs_commands)
        .map(|other| &other.layer.source)
        .collect();
    trusted.dedup();
    if trusted.is_empty() {
        return;
    }
    let sources: Vec<String> = trusted.iter().map(|source| format!("`{source}`")).collect();
    for variable in part.sheet.env.iter().filter(|variable| is_steering(&variable.name)) {
        let message = format!("`{}` has no effect on the hooks of {}", variable.name, sources.join(" and "));
        let help = "a hook sees `env` only of files that are trusted at least as much as its own";
        report.warning(variable.span, "env-without-effect", message).help(help).rule("H3");
    }
}

/// Warns about a value in which another variable or a home directory stays as it is written.
fn unexpanded(name: &str, value: &str, span: Span, report: &mut Report<'_>) {
    // What a shell or a program fills in itself.
    const FILLED_IN: [&str; 6] = ["PROMPT", "PS", "FORMAT", "COMMAND", "TEMPLATE", "PATTERN"];
    if FILLED_IN
        .iter()
        .any(|part| name.split('_').any(|word| word.trim_end_matches(char::is_numeric) == *part))
    {
        return;
    }
    let Some(written) = reference(value) else { return };
    let message = format!("`{written}` stays as it is: nothing is replaced in a value of `env`");
    let help = if name == "PATH" {
        "with it the programs of the user are not found: write all directories, or set it in the shell that starts the agent"
    } else {
        "write the value itself, or set the variable in the shell that starts the agent"
    };
    report.warning(span, "variable-in-env", message).help(help).rule("H3");
}

/// Returns the variable at the start of a value, or of an entry in a list of paths; a `~/` at these places as well.
fn reference(value: &str) -> Option<&str> {
    value.split(':').find_map(|entry| {
        if entry.starts_with("~/") {
            return entry.get(..2);
        }
        let rest = entry.strip_prefix('$')?;
        let name = rest.strip_prefix('{').unwrap_or(rest);
        let length = name
            .find(|c: char| !c.is_ascii_uppercase() && !c.is_ascii_digit() && c != '_')
            .unwrap_or(name.len());
        let after = name.get(length..)?;
        let is_name = name.starts_with(|c: char| c.is_ascii_uppercase()) && length > 1;
        let is_ended = match rest.strip_prefix('{') {
            Some(_) => after.starts_with('}'),
            None => after.is_empty() || after.starts_with('/'),
        };
        let end = entry.len() - after.len() + usize::from(rest.starts_with('{'));
        (is_name && is_ended).then(|| entry.get(..end)).flatten()
    })
}

fn is_steering(name: &str) -> bool {
    STEERING.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family))
}
