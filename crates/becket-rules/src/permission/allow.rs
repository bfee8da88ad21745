//! Allow rules: together they cover the whole of a call, or it is not allowed.

use super::call::{Call, CommandLine, Scope};
use super::compiled::COVERED_BY_ANOTHER;
use super::set::RuleEntry;
use super::uses::{FileUse, Uses};
use crate::path::MatchMode;
use crate::powershell;
use crate::rule::Globs;
use crate::shell::{self, Command, CommandPattern, Coverage, RedirectionKind, Target};
use crate::steps::Steps;
use crate::tools::{Access, Primary};

/// The surroundings in which rules are compared with a call.
pub(super) struct Beside<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) steps: &'a Steps,
    /// Returns the commands of a line that need no rule, by their indices.
    pub(super) harmless: &'a dyn Fn(&shell::Line) -> Vec<usize>,
}

/// The number of steps for comparing a path with a rule.
const STEPS_PER_FILE_RULE: usize = 512;

/// Returns the first rule that covers a part of the call, or why no rule covers some part.
pub(super) fn covering<'r>(
    allows: &'r [RuleEntry],
    call: &Call<'_>,
    uses: &Uses,
    beside: &Beside<'_>,
) -> Result<(&'r RuleEntry, String), String> {
    let named: Vec<&RuleEntry> =
        allows.iter().filter(|entry| entry.compiled().matches(call, Globs::AfterServer)).collect();
    match (call.primary(), call.line()) {
        (Primary::Bash(_), Some(CommandLine::Bash(line))) => bash(allows, &named, line, beside),
        (Primary::PowerShell(field), Some(CommandLine::PowerShell(line))) => {
            powershell(allows, &named, line, call.text(field).unwrap_or_default())
        }
        (Primary::Path(..), _) => files(allows, &named, uses, beside.scope),
        (Primary::Bash(_) | Primary::PowerShell(_), _)
        | (Primary::Domain(_) | Primary::Name(_) | Primary::Skill(_) | Primary::None, _) => {
            whole(&named, call)
        }
    }
}

/// Returns the rule that covers the whole call, or the reason why there is none.
fn whole<'r>(named: &[&'r RuleEntry], call: &Call<'_>) -> Result<(&'r RuleEntry, String), String> {
    let covers = |entry: &&&RuleEntry| {
        let specifier = entry.compiled().specifier.as_ref();
        specifier.is_none_or(|specifier| specifier.names(call, MatchMode::Allow) == Some(true))
    };
    let entry = named.iter().find(covers).ok_or_else(|| "no allow rule covers the call".to_owned())?;
    Ok((entry, "the rule covers the call".to_owned()))
}

fn powershell<'r>(
    allows: &'r [RuleEntry],
    named: &[&'r RuleEntry],
    line: &powershell::Line,
    text: &str,
) -> Result<(&'r RuleEntry, String), String> {
    let (patterns, whole) = patterns(named);
    let all: Vec<&CommandPattern> = patterns.iter().copied().chain(whole.iter()).collect();
    covered(line.uncovered(&all))?;
    let writes =
        |entry: &RuleEntry| entry.compiled().covers(Access::Edit) && entry.compiled().specifier.is_none();
    if text.contains('>') && !allows.iter().any(writes) {
        return Err("it may write a file (`>`), and no `Edit` rule allows it to write any".to_owned());
    }
    let first = powershell::Line::parse(line.commands().next().unwrap_or_default());
    first_rule(named, |pattern| matches!(first.uncovered(&[pattern]), Coverage::Covered))
}

/// Returns the allow rule for a path that is written or read.
pub(super) fn file_rule<'r>(
    allows: &'r [RuleEntry],
    file: &FileUse,
    scope: &Scope<'_>,
) -> Option<&'r RuleEntry> {
    allows.iter().find(|entry| {
        let compiled = entry.compiled();
        compiled.covers(file.access)
            && compiled.placed(scope, &entry.origin().anchor, MatchMode::Allow).matches(file)
    })
}

fn files<'r>(
    allows: &'r [RuleEntry],
    named: &[&'r RuleEntry],
    uses: &Uses,
    scope: &Scope<'_>,
) -> Result<(&'r RuleEntry, String), String> {
    if let Some(entry) = named.iter().find(|entry| entry.compiled().specifier.is_none()) {
        return Ok((entry, "the rule covers every call of the tool".to_owned()));
    }
    if let Some(unread) = &uses.unread {
        return Err(format!("the path is not known: {unread}"));
    }
    let own = |file: &FileUse| {
        named.iter().copied().find(|entry| {
            let compiled = entry.compiled();
            COVERED_BY_ANOTHER.iter().all(|(tool, _)| *tool != compiled.rule.tool())
                && compiled.placed(scope, &entry.origin().anchor, MatchMode::Allow).matches(file)
        })
    };
    let mut first = None;
    for file in &uses.files {
        let entry = file_rule(allows, file, scope).or_else(|| own(file));
        let entry = entry.ok_or_else(|| format!("no allow rule covers `{}`", file.text))?;
        first.get_or_insert(entry);
    }
    first
        .map(|entry| (entry, "the rule covers the path".to_owned()))
        .ok_or_else(|| "the call names no path".to_owned())
}

fn bash<'r>(
    allows: &'r [RuleEntry],
    named: &[&'r RuleEntry],
    line: &shell::Line,
    beside: &Beside<'_>,
) -> Result<(&'r RuleEntry, String), String> {
    let (patterns, whole) = patterns(named);
    let all: Vec<&CommandPattern> = patterns.iter().copied().chain(whole.iter()).collect();
    let harmless = covered_beside(line, &all, beside)?;
    let Beside { scope, steps, .. } = *beside;
    for redirection in line.redirections() {
        if steps.take(STEPS_PER_FILE_RULE * allows.len()).is_err() {
            return Err("it reads and writes too many files to be compared with the rules".to_owned());
        }
        let (access, does, rule) = match redirection.kind {
            RedirectionKind::Input => (Access::Read, "read", "Read"),
            RedirectionKind::Output => (Access::Edit, "write", "Edit"),
        };
        match &redirection.target {
            Target::Dynamic(text) => {
                return Err(format!("it {does}s `{text}`, which only run time knows"));
            }
            Target::Literal(path) if is_connection(path) => {
                return Err(format!("it connects to `{path}`"));
            }
            Target::Literal(path) => {
                let mut uses = Uses::default();
                uses.add(access, path, false, scope);
                if !uses.files.iter().any(|file| file_rule(allows, file, scope).is_some()) {
                    return Err(format!("no `{rule}` rule allows it to {does} `{path}`"));
                }
            }
        }
    }
    let commands = line.commands().iter().enumerate().filter(|(_, command)| command.is_subcommand());
    let (free, ruled): (Vec<_>, Vec<_>) = commands.partition(|(index, _)| harmless.contains(index));
    let first = ruled.first().map(|(_, command)| command);
    let (rule, why) = first_rule(named, |pattern| first.is_some_and(|command| command.covered_by(pattern)))?;
    let named = |commands: &[(usize, &Command)]| {
        let texts: Vec<String> = commands.iter().map(|(_, command)| format!("`{}`", command.raw())).collect();
        texts.join(", ")
    };
    let verb = if free.len() == 1 { "reads" } else { "read" };
    match free.is_empty() {
        true => Ok((rule, why)),
        false if ruled.len() == 1 => {
            Ok((rule, format!("it covers {}, and {} only {verb}", named(&ruled), named(&free))))
        }
        false => Ok((rule, format!("rules cover {}, and {} only {verb}", named(&ruled), named(&free)))),
    }
}

/// Checks that every command is covered by a rule or harmless, and returns the harmless ones that no rule need cover.
///
/// # Errors
/// Errors with the reason why the line is not covered.
fn covered_beside(
    line: &shell::Line,
    allows: &[&CommandPattern],
    beside: &Beside<'_>,
) -> Result<Vec<usize>, String> {
    let by_rules = line.uncovered_within(allows, beside.steps);
    let covers = |command: &Command| allows.iter().any(|pattern| command.covered_by(pattern));
    // Without a rule for any of its commands the line is the mode's to judge.
    if !matches!(by_rules, Coverage::Uncovered { .. }) || !line.commands().iter().any(covers) {
        return covered(by_rules).map(|()| Vec::new());
    }
    let harmless = (beside.harmless)(line);
    covered(line.uncovered_beside(allows, &harmless, beside.steps))?;
    let is_ruled =
        |(index, command): (usize, &Command)| command.is_subcommand() && !harmless.contains(&index);
    match line.commands().iter().enumerate().any(is_ruled) {
        true => Ok(harmless),
        false => covered(by_rules).map(|()| Vec::new()),
    }
}

/// Returns whether bash opens a network connection for a redirection to the path.
fn is_connection(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// Returns the patterns of the rules, and one more for a rule without a specifier.
fn patterns<'r>(named: &[&'r RuleEntry]) -> (Vec<&'r CommandPattern>, Option<CommandPattern>) {
    let specified = named.iter().filter_map(|entry| entry.compiled().specifier.as_ref());
    let whole = named.iter().any(|entry| entry.compiled().specifier.is_none());
    (specified.map(|specifier| &specifier.command).collect(), whole.then(|| CommandPattern::new("*")))
}

fn covered(coverage: Coverage) -> Result<(), String> {
    match coverage {
        Coverage::Covered => Ok(()),
        Coverage::Uncovered { command } => Err(format!("no allow rule covers `{command}`")),
        Coverage::Unknown { why } => Err(format!("no allow rule covers the line: {why}")),
    }
}

fn first_rule<'r>(
    named: &[&'r RuleEntry],
    covers: impl Fn(&CommandPattern) -> bool,
) -> Result<(&'r RuleEntry, String), String> {
    named
        .iter()
        .find(|entry| entry.compiled().specifier.as_ref().is_none_or(|specifier| covers(&specifier.command)))
        .or(named.first())
        .map(|entry| (*entry, "every subcommand is covered".to_owned()))
        .ok_or_else(|| "no allow rule covers the call".to_owned())
}
