//! Each layer read separately: its sheet and its findings.

use crate::config::diagnostic::{Diagnostic, Severity};
use crate::config::load::{Layer, LayerKind, LoadedFiles};
use crate::config::plugins::{self, Fault};
use crate::config::raw::{
    NotRead, ReadContext, Sheet, document, hooks_file, hooks_value, lost_hooks, settings,
};
use crate::config::source::report::Report;
use crate::config::source::tree::Node;
use becket_model::EventKind;

/// A layer, its content, and the findings about it.
#[derive(Debug)]
pub(crate) struct Part<'l> {
    pub(crate) layer: &'l Layer,
    pub(crate) sheet: Sheet,
    pub(crate) report: Report<'l>,
    /// The reason why nothing of it counts.
    pub(crate) unread: Option<String>,
}

/// Reads every layer.
pub(crate) fn parts(loaded: &LoadedFiles) -> Vec<Part<'_>> {
    let words = ReadContext::new(loaded.request.profile.clone(), loaded.request.tools.clone());
    loaded.layers.iter().map(|layer| part(layer, &words)).collect()
}

fn part<'l>(layer: &'l Layer, words: &ReadContext) -> Part<'l> {
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
        LayerKind::MarketplaceEntry => entry(text, layer.entry.as_deref(), words, &mut report),
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

/// Reads the hooks in a plugin's manifest (C9).
fn manifest(text: &str, words: &ReadContext, report: &mut Report<'_>) -> Result<Sheet, NotRead> {
    let document = document(text, report)?;
    let mut sheet = inline(&document.root, words, report);
    lost_hooks(&document, &mut sheet, report);
    Ok(sheet)
}

/// Reads the hooks in the entry of a plugin in the listing of its marketplace (C9).
fn entry(
    text: &str,
    name: Option<&str>,
    words: &ReadContext,
    report: &mut Report<'_>,
) -> Result<Sheet, NotRead> {
    let document = document(text, report)?;
    let entry = name.and_then(|name| plugins::entry(&document.root, name));
    let mut sheet = entry.map(|entry| inline(entry, words, report)).unwrap_or_default();
    lost_hooks(&document, &mut sheet, report);
    Ok(sheet)
}

/// Reads the hooks of a manifest, or of an entry that replaces one.
fn inline(manifest: &Node, words: &ReadContext, report: &mut Report<'_>) -> Sheet {
    let mut sheet = Sheet::default();
    let (values, others) = plugins::inline(manifest);
    for node in others {
        let message = format!("`hooks` is a path, an object, or a list of these, not {}", node.kind());
        report.error(node.span, "wrong-type", message).rule("C9");
        sheet.reject(Some(EventKind::PreToolUse), "hooks", node.span, report);
    }
    for node in values {
        let more = hooks_value(node, words, report);
        sheet.entries.extend(more.entries);
        sheet.rejected.extend(more.rejected);
        sheet.broken_guard = sheet.broken_guard.or(more.broken_guard);
        sheet.lost = sheet.lost.or(more.lost);
    }
    sheet
}

/// Returns all findings, by file and then by place.
pub(super) fn finish(parts: Vec<Part<'_>>, loaded: &LoadedFiles) -> Vec<Diagnostic> {
    let mut all = Vec::new();
    for part in parts {
        all.append(&mut part.report.finish());
    }
    all.extend(loaded.plugin_faults.iter().flat_map(Fault::diagnostics));
    all
}
