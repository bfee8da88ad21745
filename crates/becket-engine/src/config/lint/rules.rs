//! Deny and ask rules that load and forbid nothing, or less than they seem to, and allow rules that allow more.

use super::template_marks::is_template;
use crate::config::load::Layer;
use crate::config::raw::{RawRule, Sheet};
use crate::config::rules::{Remark, check};
use crate::config::source::report::Report;
use becket_rules::shell::CommandPattern;
use becket_rules::{Rule, RuleList};

/// The findings about rules that match no call at all.
const IDLE: [&str; 8] = [
    "rule-matches-nothing",
    "rule-without-domain",
    "rule-for-tool-in-other-case",
    "path-starts-at-settings",
    "rule-spans-commands",
    "rule-never-consulted",
    "rule-on-primary-field",
    "negated-pattern",
];

pub(super) fn lint(sheet: &Sheet, layer: &Layer, report: &mut Report<'_>) {
    let rules = sheet.permissions.rules.iter();
    for raw in rules.filter(|raw| matches!(raw.list, RuleList::Deny | RuleList::Ask)) {
        let remarks = check(raw.list, &raw.text).unwrap_or_default();
        for remark in remarks
            .into_iter()
            .filter(|remark| IDLE.contains(&remark.code) && is_sure(remark, raw, sheet, layer))
        {
            report.error(raw.span, remark.code, remark.message).rule(remark.rule).maybe_help(remark.help);
        }
    }
    for raw in &sheet.permissions.rules {
        match raw.list {
            RuleList::Deny | RuleList::Ask => bare_command(raw, sheet, report),
            RuleList::Allow => {
                any_program(raw, report);
                unknown_tool(raw, report);
            }
        }
        short_end(raw, sheet, report);
        escaped_colon(raw, report);
        variable_in_path(raw, report);
    }
}

/// Tools of some hosts that are not among the known ones.
pub(super) const OF_SOME_HOSTS: [&str; 10] = [
    "LSP",
    "Cd",
    "Monitor",
    "Artifact",
    "TeamCreate",
    "TeamDelete",
    "SendMessage",
    "CronCreate",
    "RemoteTrigger",
    "PushNotification",
];

/// An allow rule for a tool that no host has. Of deny and ask rules it is found when they are read.
fn unknown_tool(raw: &RawRule, report: &mut Report<'_>) {
    if Rule::parse(&raw.text).is_ok_and(|rule| OF_SOME_HOSTS.contains(&rule.tool())) {
        return;
    }
    let is_found = check(RuleList::Allow, &raw.text).is_ok_and(|remarks| !remarks.is_empty());
    let remarks = check(RuleList::Deny, &raw.text).unwrap_or_default();
    let Some(remark) = remarks.into_iter().find(|remark| !is_found && remark.code == "unknown-tool") else {
        return;
    };
    report.note(raw.span, remark.code, remark.message).rule(remark.rule).maybe_help(remark.help);
}

/// A rule whose `:*` ends a word that was meant to go on: `scripts/:*`, `git push origin +:*`, `s3:*` (P3).
fn short_end(raw: &RawRule, sheet: &Sheet, report: &mut Report<'_>) {
    let Some(text) = specifier(raw) else { return };
    let Some(front) = text.strip_suffix(":*") else { return };
    let is_found = check(raw.list, &raw.text)
        .is_ok_and(|remarks| remarks.iter().any(|remark| remark.code == "rule-ends-early"));
    let Some(rest) = longer(front, raw.list).filter(|_| !is_found) else { return };
    let example = format!("{front}{rest}x");
    let is_covered =
        sheet.permissions.rules.iter().filter(|other| other.list == raw.list).any(|other| {
            specifier(other).is_some_and(|pattern| CommandPattern::new(&pattern).matches(&example))
        });
    if is_covered {
        return;
    }
    let word = front.rsplit(' ').next().unwrap_or(front);
    let message = format!(
        "`{}` matches the word `{word}` alone: nothing that goes on, such as `{word}{rest}x`",
        raw.text
    );
    report
        .warning(raw.span, "rule-ends-early", message)
        .help(format!("write `Bash({front}{rest}*)`"))
        .rule("P3");
}

/// Returns what comes next in the last word of a rule, if the word was meant to go on.
fn longer(front: &str, list: RuleList) -> Option<&'static str> {
    let words: Vec<&str> = front.split_whitespace().collect();
    let (word, before) = words.split_last()?;
    let forbids = list != RuleList::Allow;
    let is_named = word.contains(|c: char| c.is_ascii_alphanumeric());
    match (before, *word) {
        ([_, ..], "~" | "$HOME" | "${HOME}") if forbids => Some("/"),
        (_, word) if is_named && word.ends_with('/') => Some(""),
        ([_, ..], word) if is_named && word.ends_with(['=', '@', '+', ',']) => Some(""),
        ([], word) if is_assignment(word) => Some(""),
        ([_, ..], "+" | "@") => Some(""),
        (["curl" | "wget" | "http" | "open" | "xh", ..], "http" | "https") => Some("://"),
        (["aws" | "gsutil" | "gcloud", _, ..], "s3" | "gs") => Some("://"),
        (["dd", ..], "if" | "of") => Some("="),
        ([], "mkfs") if forbids => Some("."),
        _ => None,
    }
}

/// Returns whether a word sets a variable to nothing: `NAME=`.
fn is_assignment(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    word.strip_suffix('=').is_some_and(|name| !name.is_empty() && name.chars().all(is_part))
}

/// A rule with `\:`, whose backslash is a part of it, so that it does not match the command which it spells out (P3).
fn escaped_colon(raw: &RawRule, report: &mut Report<'_>) {
    let Some(specifier) = specifier(raw).filter(|specifier| specifier.contains("\\:")) else { return };
    let plain = specifier.replace("\\:", ":");
    let command = plain.trim_end_matches(":*").replace('*', "x");
    if CommandPattern::new(&specifier).matches(&command) {
        return;
    }
    let message = format!("`{}` matches no command: the backslash is a part of the rule", raw.text);
    report
        .warning(raw.span, "rule-matches-nothing", message)
        .help(format!("write `Bash({plain})`"))
        .rule("P3");
}

/// A path rule with a variable, which is a part of the path (P7).
fn variable_in_path(raw: &RawRule, report: &mut Report<'_>) {
    // The variables of a template are filled in when it is copied.
    let Some(rule) = Rule::parse(&raw.text).ok().filter(|_| !is_template(report.file())) else { return };
    let is_of_paths = matches!(rule.tool(), "Read" | "Edit");
    let Some(path) = rule.specifier().filter(|_| is_of_paths) else { return };
    let Some(PathVariable { name, rest, is_first }) = PathVariable::of(path) else { return };
    let help = if name == "HOME" && is_first {
        format!("write `{}(~{rest})`", rule.tool())
    } else {
        "write the path itself: `//` is the root of the file system, and `~/` the home directory".to_owned()
    };
    let (code, message) = if is_first && path.starts_with('/') && !path.starts_with("//") {
        let message =
            format!("`{}` starts at the directory of the settings, and `${name}` is not replaced", raw.text);
        ("path-starts-at-settings", message)
    } else {
        (
            "rule-matches-nothing",
            format!("`{}` matches no file: `${name}` is not replaced in a rule", raw.text),
        )
    };
    report.never_works(raw.list != RuleList::Allow, raw.span, code, message).help(help).rule("P7");
}

/// A variable in a path, which nothing replaces.
struct PathVariable<'p> {
    name: &'p str,
    /// The path after it.
    rest: &'p str,
    /// Set if the path begins with it.
    is_first: bool,
}

impl<'p> PathVariable<'p> {
    /// Returns the first variable of a path. Past its beginning only a name in capitals counts: `$id.tsx` may be the name of
    /// a file.
    fn of(path: &'p str) -> Option<Self> {
        let start = path.trim_start_matches('/');
        if let Some(variable) = start.strip_prefix('$') {
            return Self::named(variable, true);
        }
        let capitals =
            |variable: &Self| variable.name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        path.match_indices("/$")
            .find_map(|(at, mark)| Self::named(path.get(at + mark.len()..)?, false).filter(capitals))
    }

    fn named(variable: &'p str, is_first: bool) -> Option<Self> {
        let text = variable.trim_start_matches('{');
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        (!name.is_empty()).then(|| PathVariable { name, rest: rest.trim_start_matches('}'), is_first })
    }
}

/// Programs that do nothing without arguments.
const WITH_ARGUMENTS: [&str; 14] = [
    "rm", "rmdir", "sudo", "curl", "wget", "ssh", "scp", "dd", "chmod", "chown", "mv", "cp", "kill", "pkill",
];

/// Verbs of programs that are hardly ever without arguments.
const VERBS_WITH_ARGUMENTS: [(&[&str], &[&str]); 8] = [
    (
        &["git"],
        &["push", "commit", "reset", "rebase", "clean", "checkout", "restore", "merge", "cherry-pick", "rm"],
    ),
    (&["npm", "pnpm", "yarn", "bun"], &["publish", "install", "add", "remove", "uninstall"]),
    (&["terraform", "tofu"], &["apply", "destroy", "import"]),
    (&["kubectl"], &["delete", "apply", "exec", "drain", "scale", "patch"]),
    (&["docker", "podman"], &["push", "rm", "rmi", "run", "exec", "kill", "stop"]),
    (&["helm"], &["install", "upgrade", "uninstall", "delete"]),
    (&["pip", "pip3", "brew", "apt", "apt-get", "gem"], &["install", "uninstall", "remove"]),
    (&["cargo"], &["publish", "install", "uninstall"]),
];

/// A deny or ask rule that matches a command without arguments alone, though it is never called so (P3).
fn bare_command(raw: &RawRule, sheet: &Sheet, report: &mut Report<'_>) {
    let Some(command) = specifier(raw).filter(|command| needs_arguments(command)) else { return };
    let with_argument = format!("{command} x");
    let is_covered =
        sheet.permissions.rules.iter().filter(|other| other.list != RuleList::Allow).any(|other| {
            other.text.trim() == "Bash"
                || specifier(other)
                    .is_some_and(|pattern| CommandPattern::new(&pattern).matches(&with_argument))
        });
    if is_covered {
        return;
    }
    let message = format!("`{}` matches `{command}` without arguments alone: with any it passes", raw.text);
    report
        .warning(raw.span, "rule-without-arguments", message)
        .help(format!("write `Bash({command} *)`"))
        .rule("P3");
}

/// The specifier of a rule for Bash.
fn specifier(raw: &RawRule) -> Option<String> {
    let rule = Rule::parse(&raw.text).ok().filter(|rule| rule.tool() == "Bash")?;
    rule.specifier().map(|specifier| specifier.trim().to_owned())
}

fn needs_arguments(command: &str) -> bool {
    match command.split_whitespace().collect::<Vec<_>>().as_slice() {
        [program] => WITH_ARGUMENTS.contains(program),
        [program, verb] => VERBS_WITH_ARGUMENTS
            .iter()
            .any(|(programs, verbs)| programs.contains(program) && verbs.contains(verb)),
        _ => false,
    }
}

/// An allow rule that only asks for a text somewhere in a command, whatever program is called with it (P3).
fn any_program(raw: &RawRule, report: &mut Report<'_>) {
    let Some(pattern) = specifier(raw) else { return };
    let text = pattern.strip_prefix('*').and_then(|rest| rest.strip_suffix('*'));
    let is_text = |text: &str| {
        let is_end_of_word = text.is_empty() || text.ends_with([' ', ':']);
        // A blank in front of the next `*` ends the name of the program: `*/python *x.py*`.
        let names_program =
            text.split_once('*').is_some_and(|(first, _)| first.is_empty() || first.contains(' '));
        !is_end_of_word && !text.starts_with(' ') && !names_program
    };
    let Some(text) = text.filter(|text| is_text(text)) else { return };
    let message = format!("`{}` allows every program that is called with `{text}` somewhere", raw.text);
    report
        .warning(raw.span, "rule-without-program", message)
        .help("begin the rule with the name of the program, followed by a blank")
        .rule("P3");
}

/// Returns whether a rule certainly leaves a gap: a path that looks absolute may exist beside the settings, and another rule
/// may say the same for the tool that covers this one.
fn is_sure(remark: &Remark, raw: &RawRule, sheet: &Sheet, layer: &Layer) -> bool {
    match remark.code {
        "path-starts-at-settings" => {
            let path = raw.text.split_once("(/").map_or("", |(_, path)| path);
            let first = path.split(['/', ')']).next().unwrap_or_default();
            !layer.anchor.join(first).exists()
        }
        "rule-never-consulted" => !is_said_again(raw, sheet),
        _ => true,
    }
}

/// Returns whether a rule for `Read` or `Edit` has the same path.
fn is_said_again(raw: &RawRule, sheet: &Sheet) -> bool {
    let Ok(rule) = Rule::parse(&raw.text) else { return false };
    sheet.permissions.rules.iter().filter(|other| other.list != RuleList::Allow).any(|other| {
        Rule::parse(&other.text).is_ok_and(|other| {
            matches!(other.tool(), "Read" | "Edit") && other.specifier() == rule.specifier()
        })
    })
}
