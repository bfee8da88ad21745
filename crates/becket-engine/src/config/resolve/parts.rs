//! Each layer read by itself: its sheet and the findings about it.

use crate::config::diagnostic::{Diagnostic, Severity};
use crate::config::load::{Layer, LayerKind, Loaded};
use crate::config::plugin;
use crate::config::raw::{NotRead, Sheet, Wording, document, hooks_file, hooks_value, settings};
use crate::config::source::report::Report;

/// A layer, what it says, and what is to be said about it.
#[derive(Debug)]
pub(crate) struct Part<'l> {
    pub(crate) layer: &'l Layer,
    pub(crate) sheet: Sheet,
    pub(crate) report: Report<'l>,
    /// Why nothing of it counts.
    pub(crate) unread: Option<String>,
}

/// Reads every layer.
pub(crate) fn parts(loaded: &Loaded) -> Vec<Part<'_>> {
    let words = Wording::new(loaded.request.profile.clone(), loaded.request.tools.clone());
    loaded.layers.iter().map(|layer| part(layer, &words)).collect()
}

fn part<'l>(layer: &'l Layer, words: &Wording) -> Part<'l> {
    let text = layer.text.as_deref().unwrap_or_default();
    let mut report = Report::new(layer.file.clone(), layer.source.clone(), text);
    if let Err(error) = &layer.text {
        let message = format!("this file can't be read, so nothing of it is loaded: {error}");
        report.about_file(Severity::Error, "unreadable-file", message).rule("C7");
        return unread(layer, report);
    }
    let read = match layer.kind {
        LayerKind::Settings => settings(text, words, &mut report),
        LayerKind::PluginHooks => hooks_file(text, words, &mut report),
        LayerKind::PluginManifest => manifest(text, words, &mut report),
    };
    match read {
        Ok(sheet) => Part { layer, sheet, report, unread: None },
        Err(_) => unread(layer, report),
    }
}

fn unread<'l>(layer: &'l Layer, report: Report<'l>) -> Part<'l> {
    let why = report.latest_error();
    Part { layer, sheet: Sheet::default(), report, unread: Some(why) }
}

/// The hooks that stand in a plugin's manifest (C9).
fn manifest(text: &str, words: &Wording, report: &mut Report<'_>) -> Result<Sheet, NotRead> {
    let document = document(text, report)?;
    let mut sheet = Sheet::default();
    for node in plugin::inline(&document.root) {
        let more = hooks_value(node, words, report);
        sheet.entries.extend(more.entries);
        sheet.rejected.extend(more.rejected);
        sheet.broken_guard = sheet.broken_guard.or(more.broken_guard);
    }
    Ok(sheet)
}

/// All findings, by file, and in each by place.
pub(super) fn finish(parts: Vec<Part<'_>>, loaded: &Loaded) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for part in parts {
        all.append(&mut part.report.finish());
    }
    all.extend(loaded.plugin_faults.iter().flat_map(of_plugin));
    all
}

fn of_plugin(fault: &plugin::Fault) -> Vec<Diagnostic> {
    let mut report = Report::new(fault.file.clone(), fault.source.clone(), &fault.text);
    let message = fault.message.clone();
    let finding = match fault.severity {
        Severity::Error => report.error(fault.span, fault.code, message),
        Severity::Warning => report.warning(fault.span, fault.code, message),
    };
    finding.help(fault.help.clone()).rule("C9");
    report.finish()
}
