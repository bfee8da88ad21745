//! A summary of the effects that observed hooks would have had, for a staged rollout.

use crate::record::{AuditRecord, RecordBody};
use std::collections::{BTreeMap, BTreeSet};

/// The answers of one observed hook that would have had the same effect.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct WithheldSummary {
    /// The source of the hook.
    pub source: String,
    /// The name that is shown to users.
    pub label: String,
    /// The place where the hook is configured.
    pub place: String,
    /// The effect: `deny`, `ask`, …
    pub would: String,
    /// The number of answers.
    pub count: u64,
    /// The number of sessions.
    pub sessions: u64,
    /// The reason of the last answer.
    pub last_reason: Option<String>,
    /// The time of the last answer.
    pub last_at: String,
}

/// Returns the answers of observed hooks, grouped by hook and effect, the most frequent first.
#[must_use]
pub fn withheld(records: &[AuditRecord]) -> Vec<WithheldSummary> {
    let mut found: BTreeMap<[&str; 4], (WithheldSummary, BTreeSet<&str>)> = BTreeMap::new();
    for record in records {
        let RecordBody::Verdict(verdict) = &record.body else { continue };
        for handler in &verdict.handlers {
            let Some(would) = &handler.would else { continue };
            let (summary, sessions) =
                found.entry([&handler.place, &handler.label, &handler.source, would]).or_insert_with(|| {
                    let summary = WithheldSummary {
                        source: handler.source.clone(),
                        label: handler.label.clone(),
                        place: handler.place.clone(),
                        would: would.clone(),
                        count: 0,
                        sessions: 0,
                        last_reason: None,
                        last_at: String::new(),
                    };
                    (summary, BTreeSet::new())
                });
            summary.count += 1;
            summary.last_reason.clone_from(&handler.reason);
            summary.last_at.clone_from(&record.at);
            sessions.insert(&verdict.session);
        }
    }
    let mut summaries: Vec<WithheldSummary> = found
        .into_values()
        .map(|(summary, sessions)| WithheldSummary { sessions: sessions.len() as u64, ..summary })
        .collect();
    summaries.sort_by_key(|summary| std::cmp::Reverse(summary.count));
    summaries
}
