//! The notation of the case files for handlers' answers, and its reader.

use becket_model::interpret::Interpretation;
use becket_model::table::Audience;
use becket_model::{DecidedBy, Decision, EventKind, Fields, Reply, RequestDecision};
use serde_json::{Map, Value, json};

/// The cases of a file under `tests/cases`.
pub(crate) fn cases(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/cases/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

pub(crate) fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_else(|| panic!("`{key}` is missing in {case}"))
}

pub(crate) fn event(case: &Value) -> EventKind {
    text(case, "event").parse().unwrap()
}

/// Reports the cases that differ, and how.
pub(crate) fn report(failed: Vec<String>, ran: usize, at_least: usize) {
    assert!(failed.is_empty(), "{} of {ran} cases differ:\n{}", failed.len(), failed.join("\n"));
    assert!(ran >= at_least, "only {ran} cases were read");
}

/// Returns a reply in the vocabulary of the case files, without what is silent.
pub(crate) fn reply_words(reply: &Reply) -> Map<String, Value> {
    let mut words = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            words.insert(key.to_owned(), value);
        }
    };
    put("decision", reply.decision.as_ref().map(|decision| json!(decision_words(decision))));
    if let Some(Decision::PermissionRequest(RequestDecision::Allow { updated_input, updated_permissions })) =
        &reply.decision
    {
        put("input", updated_input.clone().map(Value::Object));
        put("permissions", (!updated_permissions.is_empty()).then(|| json!(updated_permissions)));
    }
    if let Some(Decision::Elicitation { content, .. }) = &reply.decision {
        put("content", content.clone().map(Value::Object));
    }
    put("stop", reply.stop.as_ref().map(|stop| stop.reason.as_ref().map_or(json!(true), |text| json!(text))));
    put("message", reply.system_message.as_ref().map(|text| json!(text)));
    put("sequence", reply.terminal_sequence.as_ref().map(|text| json!(text)));
    let context: Vec<String> = reply
        .context
        .iter()
        .map(|one| if one.plain { format!("plain: {}", one.text) } else { one.text.clone() })
        .collect();
    put("context", (!context.is_empty()).then(|| json!(context)));
    let notices: Vec<String> = reply
        .notices
        .iter()
        .filter(|one| !one.unchecked)
        .map(|one| format!("{}: {}", audience(one.to), one.text))
        .collect();
    put("notices", (!notices.is_empty()).then(|| json!(notices)));
    let lost: Vec<&str> =
        reply.notices.iter().filter(|one| one.unchecked).map(|one| one.text.as_str()).collect();
    put("lost", (!lost.is_empty()).then(|| json!(lost)));
    let fields = fields_words(&reply.fields);
    put("fields", (!fields.is_empty()).then(|| json!(fields)));
    words
}

pub(crate) fn taken_words(taken: &Interpretation) -> Value {
    let mut words = reply_words(&taken.reply);
    if let Some(failure) = &taken.failure {
        words.insert("failure".into(), json!(failure.to_string()));
    }
    if !taken.warnings.is_empty() {
        words.insert("warnings".into(), json!(taken.warnings));
    }
    if !taken.unknown_fields.is_empty() {
        words.insert("unknown".into(), json!(taken.unknown_fields));
    }
    Value::Object(words)
}

fn decision_words(decision: &Decision) -> String {
    match decision {
        Decision::Permission { decision, reason, by } => {
            let reason = reason.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
            format!("{} by {}{reason}", decision.as_str(), by_word(*by))
        }
        Decision::Block { reason, by } => format!("block by {}: {reason}", by_word(*by)),
        Decision::PermissionRequest(RequestDecision::Allow { .. }) => "request allow".into(),
        Decision::PermissionRequest(RequestDecision::Deny { message, interrupt }) => {
            let interrupt = if *interrupt { " and interrupt" } else { "" };
            format!("request deny{interrupt}: {}", message.as_deref().unwrap_or("-"))
        }
        Decision::Elicitation { action, .. } => action.as_str().into(),
        Decision::Worktree(path) => format!("worktree {}", path.display()),
    }
}

fn by_word(by: DecidedBy) -> &'static str {
    match by {
        DecidedBy::Answer => "answer",
        DecidedBy::Exit2 => "exit 2",
        DecidedBy::Failure => "failure",
    }
}

fn audience(to: Audience) -> &'static str {
    match to {
        Audience::None => "nobody",
        Audience::User => "user",
        Audience::Model => "model",
        Audience::Both => "both",
        Audience::Log => "log",
    }
}

fn fields_words(fields: &Fields) -> Map<String, Value> {
    let text = |value: &Option<String>| value.as_ref().map(|text| json!(text));
    let flag = |value: bool| value.then_some(json!(true));
    [
        ("updatedInput", fields.updated_input.clone().map(Value::Object)),
        ("updatedToolOutput", fields.updated_tool_output.clone()),
        ("updatedMCPToolOutput", fields.updated_mcp_tool_output.clone()),
        ("displayContent", text(&fields.display_content)),
        ("sessionTitle", text(&fields.session_title)),
        ("initialUserMessage", text(&fields.initial_user_message)),
        ("watchPaths", fields.watch_paths.as_ref().map(|paths| json!(paths))),
        ("retry", flag(fields.retry)),
        ("reloadSkills", flag(fields.reload_skills)),
        ("suppressOriginalPrompt", flag(fields.suppress_original_prompt)),
        ("classifierContext", text(&fields.classifier_context)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name.to_owned(), value?)))
    .collect()
}
