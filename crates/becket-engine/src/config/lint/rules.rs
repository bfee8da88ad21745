//! Deny and ask rules that load and forbid nothing, or less than they seem to, and allow rules that allow more.

use crate::config::load::Layer;
use crate::config::raw::{RawRule, Sheet};
use crate::config::rules::{Remark, check};
use crate::config::source::report::Report;
use becket_rules::shell::CommandPattern;
use becket_rules::{Rule, RuleList};

/// The findings about rules that match no call at all.
const IDLE: [&str; 4] =
    ["rule-matches-nothing", "rule-without-domain", "rule-for-tool-in-other-case", "path-starts-at-settings"];

pub(super) fn lint(sheet: &Sheet, layer: &Layer, report: &mut Report<'_>) {
    let rules = sheet.permissions.rules.iter();
    for raw in rules.filter(|raw| matches!(raw.list, RuleList::Deny | RuleList::Ask)) {
        let remarks = check(raw.list, &raw.text).unwrap_or_default();
        for remark in remarks
            .into_iter()
            .filter(|remark| IDLE.contains(&remark.code) && is_sure(remark, &raw.text, layer))
        {
            report.error(raw.span, remark.code, remark.message).rule(remark.rule).maybe_help(remark.help);
        }
    }
    for raw in &sheet.permissions.rules {
        match raw.list {
            RuleList::Deny | RuleList::Ask => bare_command(raw, sheet, report),
            RuleList::Allow => any_program(raw, report),
        }
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
        !is_end_of_word && !text.starts_with(' ') && !text.contains('*')
    };
    let Some(text) = text.filter(|text| is_text(text)) else { return };
    let message = format!("`{}` allows every program that is called with `{text}` somewhere", raw.text);
    report
        .warning(raw.span, "rule-without-program", message)
        .help("begin the rule with the name of the program, followed by a blank")
        .rule("P3");
}

/// Returns whether a remark is certain: a path that looks absolute may exist beside the settings.
fn is_sure(remark: &Remark, rule: &str, layer: &Layer) -> bool {
    if remark.code != "path-starts-at-settings" {
        return true;
    }
    let path = rule.split_once("(/").map_or("", |(_, path)| path);
    let first = path.split(['/', ')']).next().unwrap_or_default();
    !layer.anchor.join(first).exists()
}
