//! Hooks in the frontmatter of a skill or an agent (C10): registered for a session, not part of the snapshot.
//!
//! This module reads a text and registers nothing; the engine registers the hooks, with new `sequence` numbers.

mod definition;

use super::diagnostic::Diagnostic;
use super::load::{Layer, LayerKind};
use super::raw::{At, ReadContext, Sheet, hooks_value, lost_hooks, twice};
use super::request::Trust;
use super::resolve::{CompileContext, Part, handler};
use super::source::mend;
use super::source::report::Report;
use super::source::tree::{Member, Span};
use crate::config::handler::{Handler, Root};
use crate::config::hookset::RejectedHandler;
use crate::host::profile::Profile;
use becket_model::{AgentId, EventKind, Source};
use becket_rules::Renames;
use std::path::Path;
use std::sync::Arc;

pub use definition::{Definition, Field, definition};

/// A frontmatter and the context in which it is read.
#[derive(Debug, Clone)]
pub struct Frontmatter<'a> {
    /// The profile of the configuration.
    pub profile: &'a Profile,
    /// The source: [`Source::Skill`] or [`Source::Agent`].
    pub source: Source,
    /// The file.
    pub file: &'a Path,
    /// The skill's directory, for its handlers' `…_PLUGIN_ROOT`; for an agent the directory of its file.
    pub directory: &'a Path,
    /// Set for an agent that runs as a subagent: its `Stop` becomes `SubagentStop`, for this id alone.
    pub subagent: Option<AgentId>,
    /// Set if the file belongs to the project: until its folder is trusted, an agent's hooks wait and a skill's grant
    /// nothing (G3).
    pub of_project: bool,
    /// The facts about trust.
    pub trust: Trust,
    /// Managed `failClosed` (O10).
    pub fail_closed: bool,
    /// Alternative names of tools (M7).
    pub tools: &'a Renames,
    /// The running number of the first handler.
    pub first_sequence: u32,
}

/// The hooks of one frontmatter.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FrontmatterHooks {
    /// The handlers, ready to be added to a set.
    pub handlers: Vec<Handler>,
    /// The handlers that could not be loaded.
    pub rejected: Vec<RejectedHandler>,
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
    /// The first guard that could not be loaded: because of it the file loses its right to grant (C7b).
    pub broken_guard: Option<String>,
}

/// Reads the hooks of a file with YAML frontmatter; a file without one has no hooks.
pub fn parse(text: &str, about: &Frontmatter<'_>) -> FrontmatterHooks {
    let Some((yaml, offset)) = block(text) else {
        return unended(text, about);
    };
    let mut report = Report::new(about.file.into(), about.source.clone(), text);
    let mut sheet = match mend::parse(yaml, offset) {
        Ok(document) => sheet(&document, about, &mut report),
        Err(error) => {
            let message = format!("the frontmatter is not YAML, so nothing of it is loaded: {}", error.why);
            report.error(error.at, "not-yaml", message).rule("C10");
            Sheet::default()
        }
    };
    if held_back(about) && !(sheet.entries.is_empty() && sheet.rejected.is_empty()) {
        let message = "the hooks of this agent are held back until this folder is trusted";
        report.about_file(super::Severity::Warning, "withheld-untrusted", message).rule("G3");
        sheet = Sheet::default();
    }
    make(sheet, report, about)
}

/// Returns the place of `hooks` in a frontmatter, if it has any.
pub(crate) fn hooks_span(text: &str) -> Option<Span> {
    let (yaml, offset) = block(text)?;
    let document = mend::parse(yaml, offset).ok()?;
    document.root.get("hooks").map(|member| member.key_span)
}

/// Returns the events that the hooks of a frontmatter are for, each with its place.
pub(super) fn events(text: &str) -> Vec<At<EventKind>> {
    let document = block(text).and_then(|(yaml, offset)| mend::parse(yaml, offset).ok());
    let hooks = document.as_ref().and_then(|document| document.root.get("hooks"));
    let members = hooks.and_then(|hooks| hooks.value.as_map()).unwrap_or_default();
    let event = |member: &Member| {
        let value = member.key.parse().ok()?;
        Some(At { value, span: member.key_span })
    };
    members.iter().filter_map(event).collect()
}

/// Returns the text between the first two lines of `---`, and the position where it begins.
fn block(text: &str) -> Option<(&str, usize)> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = body.split_inclusive('\n').next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let start = text.len() - body.len() + first.len();
    let mut end = start;
    for line in text.get(start..)?.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return Some((text.get(start..end)?, start));
        }
        end += line.len();
    }
    None
}

fn sheet(
    document: &super::source::json::Document,
    about: &Frontmatter<'_>,
    report: &mut Report<'_>,
) -> Sheet {
    twice(document, report);
    let words = ReadContext::new(about.profile.clone(), about.tools.clone());
    let hooks = document.root.get("hooks");
    let mut sheet = hooks.map(|hooks| hooks_value(&hooks.value, &words, report)).unwrap_or_default();
    lost_hooks(document, &mut sheet, report);
    if hooks.is_none() {
        misspelt(document, report);
    }
    sheet
}

/// Warns about a key that differs from `hooks` in case alone, whose hooks are not read.
fn misspelt(document: &super::source::json::Document, report: &mut Report<'_>) {
    let members = document.root.as_map().unwrap_or_default();
    for member in members.iter().filter(|member| member.key.eq_ignore_ascii_case("hooks")) {
        report
            .warning(member.key_span, "unknown-field", format!("no field is called `{}`", member.key))
            .help("did you mean `hooks`?")
            .rule("C10");
    }
}

/// Returns no hooks, with an error if the text has hooks in a frontmatter that no line ends.
fn unended(text: &str, about: &Frontmatter<'_>) -> FrontmatterHooks {
    let mut report = Report::new(about.file.into(), about.source.clone(), text);
    let Some(at) = report_unended(text, &mut report) else { return FrontmatterHooks::default() };
    let mut sheet = Sheet::default();
    sheet.reject(Some(EventKind::PreToolUse), "hooks", at, &report);
    make(sheet, report, about)
}

/// Reports hooks in a frontmatter that no line ends, and returns their place.
fn report_unended(text: &str, report: &mut Report<'_>) -> Option<Span> {
    let at = unended_hooks(text)?;
    let message = "the frontmatter has no end, so its hooks are not loaded";
    report.error(at, "not-yaml", message).help("add a line `---` after its last field").rule("C10");
    Some(at)
}

/// Returns the place of `hooks` behind a first line `---`, if no line ends the frontmatter. A block of code ends it: what is
/// there is an example.
fn unended_hooks(text: &str) -> Option<Span> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = body.split_inclusive('\n');
    let first = lines.next().filter(|first| first.trim_end() == "---")?;
    let mut at = text.len() - body.len() + first.len();
    for line in lines.take_while(|line| !line.starts_with("```")) {
        let value = line.strip_prefix("hooks:").map(str::trim);
        if value.is_some_and(|value| value.is_empty() || value.starts_with(['{', '['])) {
            return Some(Span::new(at, at + "hooks".len()));
        }
        at += line.len();
    }
    None
}

fn held_back(about: &Frontmatter<'_>) -> bool {
    matches!(about.source, Source::Agent(_)) && about.of_project && !about.trust.this_folder_trusted
}

/// Returns the hooks of a frontmatter as they are written, and their file; `None` if it can't be read.
pub(super) fn written(text: &str, about: &Frontmatter<'_>) -> Option<(Layer, Sheet)> {
    let (yaml, offset) = block(text)?;
    let document = mend::parse(yaml, offset).ok()?;
    let mut report = Report::new(about.file.into(), about.source.clone(), text);
    Some((layer(about), sheet(&document, about, &mut report)))
}

fn layer(about: &Frontmatter<'_>) -> Layer {
    let skill = matches!(about.source, Source::Skill(_));
    let root = Root { root: about.directory.to_owned(), data: None, options: Vec::new() };
    Layer {
        source: about.source.clone(),
        file: about.file.into(),
        text: Ok("".into()),
        kind: LayerKind::Settings,
        anchor: about.directory.to_owned(),
        root: skill.then(|| Arc::new(root)),
        nth: 0,
        is_untrusted: about.of_project && !about.trust.this_folder_trusted,
        entry: None,
    }
}

fn make(sheet: Sheet, report: Report<'_>, about: &Frontmatter<'_>) -> FrontmatterHooks {
    let layer = layer(about);
    let mut part = Part { layer: &layer, sheet, report, unread: None };
    let mut making = CompileContext {
        profile: about.profile,
        fail_closed: about.fail_closed,
        // Known to the engine that registers the hooks.
        waits_for_async: false,
        sequence: about.first_sequence,
    };
    let mut entries = std::mem::take(&mut part.sheet.entries);
    if about.subagent.is_some() {
        for entry in entries.iter_mut().filter(|entry| entry.event == EventKind::Stop) {
            entry.event = EventKind::SubagentStop;
        }
    }
    let made = entries.iter().map(|entry| handler(entry, &mut part, &mut making));
    let handlers = made.map(|made| Handler { agent_scope: about.subagent.clone(), ..made }).collect();
    let Sheet { rejected, broken_guard, .. } = part.sheet;
    FrontmatterHooks { handlers, rejected, diagnostics: part.report.finish(), broken_guard }
}
