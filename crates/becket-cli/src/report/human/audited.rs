//! `audit` for people, and as JSON.

use super::counted;
use crate::env::Surroundings;
use crate::report::style::{ERROR, FAINT, GOOD, HEAD, SOURCE, WARNING, one_line, plain, styled};
use crate::report::table::{Cell, Table};
use crate::wrap;
use becket_audit::{
    AuditRecord, Finding, RecordBody, RecordedHandler, Report, VerdictRecord, WithheldSummary,
};
use serde_json::{Value, json};

/// Returns verdicts, oldest first, each with the hooks that had an effect or a message.
pub(crate) fn records(records: &[AuditRecord], around: &Surroundings) -> String {
    if records.is_empty() {
        return "no verdict is recorded\n".to_owned();
    }
    let mut table = Table::default();
    for record in records {
        if let RecordBody::Verdict(verdict) = &record.body {
            row(&mut table, record, verdict);
        }
    }
    table.fitted(0, around.width)
}

fn row(table: &mut Table, record: &AuditRecord, verdict: &VerdictRecord) {
    let style = match verdict.decision.as_str() {
        "block" => ERROR,
        "wait" => WARNING,
        _ => GOOD,
    };
    table.row([
        Cell::new(FAINT, &record.at),
        Cell::new(style, &verdict.decision),
        Cell::text(&verdict.event),
        Cell::text(verdict.subject.as_deref().unwrap_or_default()),
        Cell::last(FAINT, &format!("session {}", verdict.session)),
    ]);
    if let Some(reason) = &verdict.reason {
        table.below(&format!("      {}\n", one_line(reason, 100)));
    }
    for handler in &verdict.handlers {
        if let Some(text) = handler_text(handler) {
            let who = format!("{} `{}`", handler.source, one_line(&handler.label, 60));
            table.below(&format!("      {} {}\n", styled(SOURCE, &who), plain(&text)));
        }
    }
}

fn handler_text(handler: &RecordedHandler) -> Option<String> {
    let what = match (&handler.would, &handler.decision) {
        (Some(would), _) => format!("would {would}"),
        (None, Some(decision)) => decision.clone(),
        (None, None) if handler.status == "success" => return None,
        (None, None) => handler.status.clone(),
    };
    let reason =
        handler.reason.as_ref().map(|reason| format!(": {}", one_line(reason, 80))).unwrap_or_default();
    Some(format!("{what}{reason}"))
}

/// Returns the withheld effects of hooks in observation, by hook and effect.
pub(crate) fn withheld(summaries: &[WithheldSummary], around: &Surroundings) -> String {
    if summaries.is_empty() {
        return "no effects of hooks in observation are recorded\n".to_owned();
    }
    let mut table = Table::default();
    table.row(["COUNT", "SESSIONS", "WOULD", "SOURCE", "HOOK", "LAST"].map(|head| Cell::new(HEAD, head)));
    for summary in summaries {
        table.row([
            Cell::text(&summary.count.to_string()),
            Cell::text(&summary.sessions.to_string()),
            Cell::new(WARNING, &summary.would),
            Cell::new(SOURCE, &summary.source),
            Cell::text(&one_line(&summary.label, 60)),
            Cell::last(FAINT, summary.last_reason.as_deref().unwrap_or_default()),
        ]);
    }
    table.fitted(0, around.width)
}

/// Returns the summary for one hook as JSON.
pub(crate) fn summary_json(summary: &WithheldSummary) -> Value {
    json!({
        "source": summary.source, "label": summary.label, "place": summary.place, "would": summary.would,
        "count": summary.count, "sessions": summary.sessions, "last_reason": summary.last_reason,
        "last_at": summary.last_at,
    })
}

/// Returns the result of a verification.
pub(crate) fn report(report: &Report, around: &Surroundings) -> String {
    let mut text: String = report.findings.iter().map(finding).collect();
    let records = match report.range {
        Some((first, last)) => {
            let (records, files) = (counted(report.records, "record"), counted(report.files, "file"));
            format!("{records} ({first} to {last}) in {files}")
        }
        None => "no records".to_owned(),
    };
    let signed = match report.signed_to {
        Some(seq) => format!("signed up to record {seq}"),
        None => "nothing is signed".to_owned(),
    };
    let (style, whole) = if report.is_whole() { (GOOD, "whole") } else { (ERROR, "not whole") };
    text.push_str(&format!("{}: {records}, {signed}\n", styled(style, whole)));
    wrap::fit(&text, around.width)
}

fn finding(finding: &Finding) -> String {
    let (style, level) = if finding.kind.is_error() { (ERROR, "error") } else { (WARNING, "note") };
    let place = match finding.line {
        0 => String::new(),
        line => format!(" ({}:{line})", finding.file.display()),
    };
    format!(
        "{} {}: {}{}\n",
        styled(style, level),
        finding.kind.name(),
        plain(&finding.message),
        plain(&place)
    )
}

/// Returns the result of a verification as JSON.
pub(crate) fn report_json(report: &Report) -> Value {
    let finding = |finding: &Finding| {
        json!({
            "kind": finding.kind.name(), "error": finding.kind.is_error(), "file": finding.file,
            "line": finding.line, "message": finding.message,
        })
    };
    json!({
        "whole": report.is_whole(), "files": report.files, "records": report.records,
        "first": report.range.map(|(first, _)| first), "last": report.range.map(|(_, last)| last),
        "signed_to": report.signed_to, "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}
