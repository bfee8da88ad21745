//! Shows the changes for an agent, and makes them.

use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::style::{ERROR, FAINT, GOOD, HEAD, plain, styled};
use becket_base::line_diff;
use becket_install::{AgentConfig, InstallError, Plan, Records, Scope};
use std::path::Path;

/// The result for one agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AgentOutcome {
    /// The agent's files were changed, or would be.
    Changed(&'static str),
    /// There was nothing to do.
    Unchanged(&'static str),
    /// The agent's files were left as they were.
    Failed(&'static str),
    /// The agent has its entries, and a setting with which it does not run them.
    SwitchedOff(&'static str),
}

impl AgentOutcome {
    pub(crate) const fn is_failure(self) -> bool {
        matches!(self, AgentOutcome::Failed(_) | AgentOutcome::SwitchedOff(_))
    }
}

/// Shows the changes of an agent, and makes them unless it is a dry run.
pub(crate) fn apply(
    plan: Result<Plan, InstallError>,
    agent: &'static AgentConfig,
    dry_run: bool,
    records: &mut Records,
    around: &Surroundings,
    out: &Out,
) -> Result<AgentOutcome, CliError> {
    let title = agent.dialect().title;
    let failed = |error: &InstallError| {
        out.eprint(&format!("{} {title}: {}\n", styled(ERROR, "becket:"), plain(&error.to_string())));
        AgentOutcome::Failed(title)
    };
    let plan = match plan {
        Ok(plan) => plan,
        Err(error) => return Ok(failed(&error)),
    };
    let changes = plan.changes.iter().map(|change| &change.file);
    for change in changes.filter(|change| !change.is_nothing() && (dry_run || !out.is_quiet())) {
        out.print(&difference(change.path(), change.before(), change.after(), around))?;
        if change.is_made_executable() {
            out.print(&format!("{}: it becomes executable\n", plain(&around.short(change.path()))))?;
        }
    }
    if !dry_run && let Err(error) = plan.apply(records) {
        return Ok(failed(&error));
    }
    Ok(if plan.is_nothing() { AgentOutcome::Unchanged(title) } else { AgentOutcome::Changed(title) })
}

/// Returns the changes of a file as a unified diff.
pub(crate) fn difference(
    path: &Path,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
    around: &Surroundings,
) -> String {
    let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let path = plain(&around.short(path));
    let name = |is_there: bool| if is_there { path.as_str() } else { "/dev/null" };
    let (old, new) = (name(before.is_some()), name(after.is_some()));
    let (before, after) = (text(before), text(after));
    let unified = line_diff::unified(&before, &after, 2, Some([old, new]));
    let line = |line: &str| match line.as_bytes() {
        [b'-', b'-', b'-', ..] | [b'+', b'+', b'+', ..] => styled(HEAD, line),
        [b'@', ..] => styled(FAINT, line),
        [b'-', ..] => styled(ERROR, line),
        [b'+', ..] => styled(GOOD, line),
        _ => plain(line),
    };
    unified.lines().map(|text| line(text) + "\n").collect()
}

/// Returns a scope and a path for messages.
pub(crate) fn scope_and_path(scope: Scope, path: &Path, around: &Surroundings) -> String {
    format!("{:7} {}", scope.name(), plain(&around.short(path)))
}

/// Prints one line about all agents, and returns the exit code.
pub(crate) fn summary(outcomes: &[AgentOutcome], deed: &str, dry_run: bool, out: &Out) -> CommandResult {
    let [mut changed, mut unchanged, mut failed, mut off] = [const { Vec::new() }; 4];
    for outcome in outcomes {
        match outcome {
            AgentOutcome::Changed(title) => changed.push(*title),
            AgentOutcome::Unchanged(title) => unchanged.push(*title),
            AgentOutcome::Failed(title) => failed.push(*title),
            AgentOutcome::SwitchedOff(title) => off.push(*title),
        }
    }
    if out.is_quiet() {
        unchanged.clear();
    }
    let would = if dry_run { "would be " } else { "" };
    for (label, names) in [
        (format!("{would}{deed}"), changed),
        ("nothing to do for".to_owned(), unchanged),
        ("left as it was".to_owned(), failed),
        ("switched off in".to_owned(), off),
    ] {
        let names = names.join(", ");
        if !names.is_empty() {
            out.print(&format!("{label}: {names}\n"))?;
        }
    }
    Ok(u8::from(outcomes.iter().any(|outcome| outcome.is_failure())))
}
