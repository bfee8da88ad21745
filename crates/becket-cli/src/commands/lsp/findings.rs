//! The findings of `check` as an editor shows them, and their fixes.

use super::document::Document;
use crate::report::sarif::rule_page;
use becket_engine::config::{Diagnostic, Fix, FixSafety, Severity, apply_fixes};
use std::collections::HashMap;
use tower_lsp_server::ls_types::{
    self as lsp, CodeAction, CodeActionKind, CodeActionOrCommand, CodeDescription, DiagnosticSeverity,
    NumberOrString, TextEdit, Uri, WorkspaceEdit,
};

/// Returns a finding as a diagnostic.
pub(super) fn diagnostic(found: &Diagnostic, document: &Document) -> lsp::Diagnostic {
    let severity = match found.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Note => DiagnosticSeverity::INFORMATION,
    };
    let help = found.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
    let page = rule_page(found.code);
    lsp::Diagnostic {
        range: document.range(&found.span),
        severity: Some(severity),
        code: Some(NumberOrString::String(found.code.to_owned())),
        code_description: page.parse().ok().map(|href: Uri| CodeDescription { href }),
        source: Some("becket".to_owned()),
        message: format!("{}{help}", found.message),
        ..lsp::Diagnostic::default()
    }
}

/// Returns the fixes of findings that touch a range.
pub(super) fn actions(
    found: &[Diagnostic],
    uri: &Uri,
    document: &Document,
    range: &lsp::Range,
) -> Vec<CodeActionOrCommand> {
    let touches = |span: &lsp::Range| span.start <= range.end && range.start <= span.end;
    let here = found.iter().filter(|found| touches(&document.range(&found.span)));
    here.filter_map(|found| action(found, found.fix.as_ref()?, uri, document)).collect()
}

fn action(found: &Diagnostic, fix: &Fix, uri: &Uri, document: &Document) -> Option<CodeActionOrCommand> {
    let fixed = apply_fixes(&document.text, &[fix])?;
    let warning = if fix.safety == FixSafety::Safe { "" } else { " (changes what runs)" };
    let changes = HashMap::from([(uri.clone(), vec![difference(document, &fixed.text)])]);
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: format!("{}{warning}", fix.title),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic(found, document)]),
        is_preferred: Some(fix.safety == FixSafety::Safe),
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        ..CodeAction::default()
    }))
}

/// Returns the single edit that turns the document into this text.
fn difference(document: &Document, new: &str) -> TextEdit {
    let old = document.text.as_str();
    let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    let start = old.floor_char_boundary(same);
    let most = old.len().min(new.len()) - start;
    let same =
        old.bytes().rev().zip(new.bytes().rev()).take(most).take_while(|(old, new)| old == new).count();
    let end = old.ceil_char_boundary(old.len() - same);
    let new_text = new[start..new.len() - (old.len() - end)].to_owned();
    TextEdit { range: document.range(&(start..end)), new_text }
}
