//! Variables of a project that would affect the programs of more trusted hooks, and don't reach them (H3).

use crate::config::handler::Action;
use crate::config::resolve::Part;
use crate::config::source::report::Report;
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

fn is_steering(name: &str) -> bool {
    STEERING.contains(&name) || FAMILIES.iter().any(|family| name.starts_with(family))
}
