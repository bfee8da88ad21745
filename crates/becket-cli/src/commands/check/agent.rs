//! `check --for`: what an agent keeps, weakens and loses of each hook, according to the table of its dialect.

use super::checked_agent::{CheckedAgent, HookLimit};
use crate::commands::install::is_entry;
use becket_dialects::{Ability, Dialect, Fate, Proof, ToolRow, fates};
use becket_engine::config::{Config, Diagnostic, LoadedFiles, Severity};
use becket_engine::handler::{Background, Handler, If};
use becket_rules::{MatcherKind, Renames, Rule};
use std::ops::Range;
use std::time::Duration;

/// Returns one finding for each hook, in the order of the configuration.
pub(crate) fn findings(agent: &CheckedAgent, config: &Config, loaded: &LoadedFiles) -> Vec<Diagnostic> {
    let hooks = || config.hooks.all().filter(|hook| !is_entry(hook));
    let longest = hooks().map(|hook| hook.timeout.limit).max();
    hooks().map(|hook| finding(agent, longest, hook, loaded)).collect()
}

/// Returns the finding for a hook. `longest` is the longest limit of all hooks.
fn finding(
    agent: &CheckedAgent,
    longest: Option<Duration>,
    hook: &Handler,
    loaded: &LoadedFiles,
) -> Diagnostic {
    let dialect = agent.dialect();
    let mut report = HookReport::default();
    for (ability, fate) in fates(dialect, hook.event) {
        let counts = !matches!(ability, Ability::Message | Ability::Output);
        report.add(ability.name(), fate, counts);
    }
    if let Some(names) = unmatched(dialect, hook) {
        report.add(&format!("`{names}`"), Fate::Lost("no tool of the agent has this name"), true);
    }
    let limit = agent.limit(hook.event, longest).filter(|_| hook.timeout.configured);
    if let Some(HookLimit { limit, is_of_entry }) = limit.filter(|found| found.limit < hook.timeout.limit) {
        let by = if is_of_entry { " by its entry" } else { "" };
        let (has, wants) = (limit.as_secs_f64(), hook.timeout.limit.as_secs_f64());
        report.weakened.push(format!("time limit ({has} s{by} instead of {wants} s)"));
    }
    match hook.background {
        Background::No => {}
        Background::Async if agent.runs_becket() => report.add("`async`", Fate::Kept, true),
        Background::AsyncRewake if agent.runs_becket() => {
            report.add("`asyncRewake`", Fate::Weakened("its text is a part of a later answer"), true);
        }
        Background::Async | Background::AsyncRewake => {
            report.add("`async`", Fate::Weakened("the agent waits for it"), true);
        }
    }
    let documented = if dialect.proof == Proof::Documented { ", by its documentation" } else { "" };
    let location = &hook.location;
    let (title, version) = (dialect.title, dialect.version);
    let message = format!("{} under {title} {version}{documented}: {}", hook.event, report.text());
    let span = loaded.text(&location.file).map_or(0..0, |text| span(text, location.line, location.column));
    let (file, source) = (location.file.clone(), hook.place.source.clone());
    Diagnostic::new(report.severity(), report.code(), message, file, source).at(
        location.line,
        location.column,
        span,
    )
}

/// The treatment of the parts of one hook.
#[derive(Default)]
struct HookReport {
    kept: Vec<String>,
    weakened: Vec<String>,
    lost: Vec<String>,
    /// True if a part is lost that most hooks of the event have and that affects more than the user's display.
    is_loss: bool,
}

impl HookReport {
    fn add(&mut self, name: &str, fate: Fate, counts: bool) {
        match fate {
            Fate::Kept => self.kept.push(name.to_owned()),
            Fate::Weakened(to) => self.weakened.push(format!("{name} ({to})")),
            Fate::Lost(why) => {
                self.lost.push(format!("{name} ({why})"));
                self.is_loss |= counts;
            }
        }
    }

    fn severity(&self) -> Severity {
        if self.is_loss { Severity::Warning } else { Severity::Note }
    }

    fn code(&self) -> &'static str {
        match (self.is_loss, self.weakened.is_empty()) {
            (true, _) => "lost-in-agent",
            (false, false) => "weakened-in-agent",
            (false, true) => "kept-in-agent",
        }
    }

    fn text(&self) -> String {
        let parts = [("kept", &self.kept), ("weakened", &self.weakened), ("lost", &self.lost)];
        let parts = parts.into_iter().filter(|(_, names)| !names.is_empty());
        let parts: Vec<String> = parts.map(|(word, names)| format!("{word}: {}", names.join(", "))).collect();
        if parts.is_empty() { "it runs, and decides nothing".to_owned() } else { parts.join("; ") }
    }
}

/// Returns the matcher or the condition of a hook if no tool of the agent meets it.
fn unmatched(dialect: &Dialect, hook: &Handler) -> Option<String> {
    let is_about_tools =
        hook.event.spec().matcher.as_ref().is_some_and(|matcher| matcher.field == "tool_name");
    if !is_about_tools || dialect.tools.is_empty() {
        return None;
    }
    let protocol = || dialect.tools.iter().flat_map(ToolRow::protocol_names).copied();
    let mut names = dialect.tools.iter().map(|row| row.native).chain(protocol());
    match hook.matcher.kind() {
        MatcherKind::Everything => {}
        // Tools of servers have names that no table has.
        MatcherKind::Names(listed) if listed.iter().any(|name| name.starts_with("mcp__")) => {}
        MatcherKind::Expression(text) if text.contains("mcp") => {}
        MatcherKind::Names(_) | MatcherKind::Expression(_)
            if names.any(|name| hook.matcher.matches(name)) => {}
        MatcherKind::Names(listed) => return Some(listed.join("|")),
        MatcherKind::Expression(text) => return Some(text.to_owned()),
    }
    let If::Rule(condition) = &hook.condition else { return None };
    let renames = Renames::tools();
    let is_met = |rule: &Rule| {
        let tool = renames.current(rule.tool());
        tool.contains(['*', '_']) || protocol().any(|name| renames.current(name) == tool)
    };
    (!condition.alternatives().iter().any(is_met)).then(|| condition.text().to_owned())
}

/// Returns the bytes from a position, in lines and characters from 1, to the end of its line.
fn span(text: &str, line: u32, column: u32) -> Range<usize> {
    let (line, column) = (line.saturating_sub(1) as usize, column.saturating_sub(1) as usize);
    let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let rest = text.get(before..).unwrap_or_default().lines().next().unwrap_or_default();
    let start = rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at);
    before + start..before + rest.trim_end().len().max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_the_rest_of_its_line() {
        let text = "{\n  \"é\": {\"x\": 1},\r\n}";
        assert_eq!(text.get(span(text, 2, 8)), Some("{\"x\": 1},"));
        assert_eq!(text.get(span(text, 3, 1)), Some("}"));
        assert_eq!(span(text, 9, 9), text.len()..text.len());
    }
}
