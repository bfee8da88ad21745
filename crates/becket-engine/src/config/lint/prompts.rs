//! Lints on the text of a prompt: a reply of another shape than the one that is read, work that no prompt can do (H7).

use super::Entry;
use crate::config::handler::Action;
use crate::config::source::report::Report;

pub(super) fn lint(entry: &Entry, report: &mut Report<'_>) {
    let text = match &entry.handler.action {
        Action::Prompt(prompt) | Action::Agent(prompt) => prompt.prompt.as_str(),
        Action::Command(_) | Action::Http(_) | Action::McpTool(_) | Action::Callback(_) => return,
    };
    if text.contains("\"ok\"") {
        return;
    }
    let is_prompt = matches!(entry.handler.action, Action::Prompt(_));
    let (part, code, message, help) = if let Some(part) =
        requested_json(text).or_else(|| requested_reply(text)).or_else(|| labelled_reply(text))
    {
        (
            part,
            "prompt-asks-for-other-reply",
            "this asks for a reply in another shape than the one that is read",
            "ask for `{\"ok\": true}` or `{\"ok\": false, \"reason\": \"…\"}`",
        )
    } else if let Some(part) = requested_work(text).filter(|_| is_prompt) {
        (
            part,
            "prompt-asks-for-work",
            "this asks a model for work that it can't do: a prompt hook has no tools, and only its yes or no is read",
            "let a hook of type `command` do it; a prompt judges",
        )
    } else {
        return;
    };
    let at = report.part_of(entry.handler.action_span, text, part);
    report.warning(at, code, message).help(help).rule("H7");
}

/// Returns the word in capitals that a text wants as a reply: `respond with 'PROCEED'`.
fn requested_reply(text: &str) -> Option<&str> {
    const REQUESTS: [&str; 6] =
        ["respond with ", "reply with ", "answer with ", "respond ", "reply ", "answer "];
    let mut starts = REQUESTS.iter().flat_map(|request| text.match_indices(request));
    starts.find_map(|(at, request)| {
        let rest = text.get(at + request.len()..)?.trim_start_matches(['\'', '"', '`', '*']);
        let end = rest.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(rest.len());
        rest.get(..end).filter(|word| word.len() > 2 && *word != "JSON")
    })
}

/// Returns the words in capitals between which a reply is to choose, where a label comes before them: `Decision:
/// ALLOW/BLOCK`.
fn labelled_reply(text: &str) -> Option<&str> {
    const WORDS: [&str; 16] = [
        "ALLOW", "BLOCK", "DENY", "APPROVE", "REJECT", "PASS", "FAIL", "PROCEED", "STOP", "CONTINUE", "YES",
        "NO", "OK", "SAFE", "UNSAFE", "ACCEPT",
    ];
    let is_choice = |part: &&str| {
        let words: Vec<&str> =
            part.split(['/', '|']).map(|word| word.trim_matches(['"', '\'', '`', '*'])).collect();
        words.len() > 1 && words.iter().all(|word| WORDS.contains(word))
    };
    const LABELS: [&str; 5] = ["decision:", "verdict:", "result:", "status:", "answer:"];
    let lower = text.to_ascii_lowercase();
    LABELS.iter().flat_map(|label| lower.match_indices(label)).find_map(|(at, label)| {
        let rest = text.get(at + label.len()..)?.trim_start_matches([' ', '*', '[', '`', '"', '<', '(']);
        let end =
            rest.find(|c: char| !c.is_ascii_uppercase() && !matches!(c, '/' | '|')).unwrap_or(rest.len());
        rest.get(..end).filter(is_choice)
    })
}

/// Returns the verb by which a text asks for work, if it asks for no judgement.
fn requested_work(text: &str) -> Option<&str> {
    const JUDGEMENTS: [&str; 12] = [
        "block", "deny", "allow", "approve", "reject", "refuse", "verdict", "decide", "evaluate", "verify",
        "ok: ", "whether",
    ];
    const VERBS: [&str; 12] = [
        "append ",
        "log the ",
        "save a ",
        "save the ",
        "summarize ",
        "summarise ",
        "write a ",
        "write the ",
        "create a ",
        "display a ",
        "print a ",
        "update the ",
    ];
    let lower = text.to_ascii_lowercase();
    if JUDGEMENTS.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let starts = VERBS.iter().flat_map(|verb| lower.match_indices(verb));
    let (at, verb) = starts.filter(|(at, _)| begins_clause(&lower, *at)).min_by_key(|(at, _)| *at)?;
    text.get(at..at + verb.len()).map(str::trim_end)
}

/// Returns whether a sentence or a part of one begins at a place.
fn begins_clause(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end();
    before.is_empty() || before.ends_with(['.', ',', ':', ';', '!', '?']) || before.ends_with("then")
}

/// Returns the first JSON object of a text that looks like a decision.
fn requested_json(text: &str) -> Option<&str> {
    const DECISIONS: [&str; 7] = [
        "\"decision\"",
        "\"permissionDecision\"",
        "\"behavior\"",
        "\"approve\"",
        "\"action\"",
        "\"allow\"",
        "\"continue\"",
    ];
    text.match_indices('{').find_map(|(at, _)| {
        let rest = text.get(at..)?;
        let object = rest.get(..=rest.find('}')?)?;
        DECISIONS.iter().any(|key| object.contains(key)).then_some(object)
    })
}
