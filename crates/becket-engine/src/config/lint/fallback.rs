//! Commands behind `||` that never run: `cat a 2>/dev/null | head -1 || echo none` (H2).

use super::{Entry, simple_commands};
use crate::config::source::report::Report;
use becket_rules::shell::{CommandList, CommandPipeline, Stage};

/// Reports a `||` behind a pipeline whose last command succeeds without any input.
pub(super) fn lint(text: &str, entry: &Entry, report: &mut Report<'_>) {
    // With this option a pipeline fails where one of its commands does.
    if text.contains("pipefail") {
        return;
    }
    let Some(last) = CommandList::parse(text).as_ref().and_then(of_list) else { return };
    let at = report.part_of(entry.handler.action_span, text, &last);
    let message = format!(
        "what follows `||` never runs: the exit code of a pipeline is that of its last command, and `{last}` succeeds without any input"
    );
    report
        .warning(at, "fallback-never-runs", message)
        .help("test for the file or the program in front, or put the `||` before the `|`")
        .rule("H2");
}

fn of_list(list: &CommandList) -> Option<String> {
    list.chains.iter().find_map(|chain| {
        let own = chain.pipelines.windows(2).find_map(|pair| match pair {
            [pipeline, fallback] if fallback.is_alternative && acts(fallback) => succeeding(pipeline),
            _ => None,
        });
        let nested = || chain.pipelines.iter().flat_map(|pipeline| &pipeline.stages).find_map(of_stage);
        own.or_else(nested)
    })
}

fn of_stage(stage: &Stage) -> Option<String> {
    match stage {
        Stage::Simple(words) => of_list(&CommandList::parse(simple_commands::shell_text(words)?)?),
        Stage::Compound(lists) => lists.iter().find_map(of_list),
        Stage::Deferred(list) => of_list(list),
        Stage::Test { .. } => None,
    }
}

/// Returns whether a command behind `||` would do something.
fn acts(fallback: &CommandPipeline) -> bool {
    let first = match fallback.stages.first() {
        Some(Stage::Simple(words)) => words.first().map(String::as_str),
        Some(Stage::Test { .. } | Stage::Compound(_) | Stage::Deferred(_)) | None => None,
    };
    !matches!(first, Some("true" | ":" | "exit" | "return" | "continue"))
}

/// Returns the last command of a pipeline as it is written, if it copies or counts its input and so succeeds without
/// any.
fn succeeding(pipeline: &CommandPipeline) -> Option<String> {
    const FILTERS: [&str; 13] =
        ["head", "tail", "cat", "sort", "uniq", "wc", "tr", "cut", "tee", "nl", "rev", "fold", "column"];
    let (last, before) = pipeline.stages.split_last()?;
    let Stage::Simple(words) = last else { return None };
    let (program, operands) = words.split_first()?;
    // A file may be missing, so only options are certain; the words of `tr` are sets of characters.
    let is_sure = matches!(program.as_str(), "tr" | "cut")
        || operands
            .iter()
            .all(|word| word.starts_with('-') || word.bytes().all(|byte| byte.is_ascii_digit()));
    let is_filter = !before.is_empty() && FILTERS.contains(&program.as_str()) && !pipeline.is_negated;
    (is_filter && is_sure).then(|| words.join(" "))
}
