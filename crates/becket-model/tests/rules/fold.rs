//! Several handlers, one verdict, case by case: `cases/fold.json`.
//!
//! A case has `event`; `interactive` and `agent_profile` (false both); `entries` in the order in which they finish,
//! each with `source`, `at` (its position; by default its index) and one of `json` (an answer), `exit` with `stderr`,
//! `failure` (`timeout`, `callback`, `cancelled`) or `stdout`; `broken` (its file may no longer grant) and `closed`
//! (`onFailure: "block"`). `second` contains entries of the second run on a rewritten input. `want` is the complete
//! verdict without what is silent. Every case is also run with its entries reversed.

use crate::common::{cases, event, report, text};
use becket_model::fold::{Entry, FoldOptions, fold, second_look};
use becket_model::interpret::{self, HandlerOutput, Interpretation, OutputOrigin};
use becket_model::table::EventSpec;
use becket_model::{
    Attributed, Enforcement, Failure, HandlerOrigin, ObservedAnswer, OnFailure, Privileges, Ruling, Source,
    Verdict,
};
use serde_json::{Map, Value, json};
use std::time::Duration;

fn source(word: &str) -> Source {
    match word.split_once(':') {
        Some(("plugin", name)) => Source::Plugin(name.into()),
        Some(("skill", name)) => Source::Skill(name.into()),
        Some(("agent", name)) => Source::Agent(name.into()),
        _ => match word {
            "policy" => Source::Policy,
            "user" => Source::User,
            "project" => Source::Project,
            "local" => Source::Local,
            "callback" => Source::Callback,
            "function" => Source::Function,
            "flag" => Source::Flag,
            other => panic!("no source `{other}`"),
        },
    }
}

fn take(spec: &EventSpec, entry: &Value) -> Interpretation {
    if let Some(object) = entry["json"].as_object() {
        return interpret::object(spec, &object.clone().into(), OnFailure::Continue);
    }
    match entry["failure"].as_str() {
        Some("timeout") => interpret::failed(Failure::TimedOut { limit: Duration::from_secs(60) }),
        Some("callback") => interpret::failed(Failure::Callback { message: "boom".into() }),
        Some("cancelled") => interpret::failed(Failure::Cancelled),
        Some(other) => panic!("no failure `{other}`"),
        None => interpret::printed(
            spec,
            &HandlerOutput {
                exit: entry["exit"].as_i64().unwrap_or(0) as i32,
                stdout: entry["stdout"].as_str().unwrap_or("").as_bytes(),
                stderr: entry["stderr"].as_str().unwrap_or("").as_bytes(),
                ..HandlerOutput::nothing(OutputOrigin::Command)
            },
        ),
    }
}

fn privileges(entry: &Value) -> Privileges {
    match (entry["broken"] == true, entry["untrusted"] == true) {
        (_, true) => Privileges::Untrusted,
        (true, false) => Privileges::BrokenGuard,
        (false, false) => Privileges::Full,
    }
}

fn enforcement(entry: &Value) -> Enforcement {
    Enforcement::ALL.into_iter().find(|mode| entry["mode"] == mode.as_str()).unwrap_or_default()
}

fn entries(spec: &EventSpec, list: &Value) -> Vec<Entry> {
    let list = list.as_array().unwrap();
    let entry = |(index, entry): (usize, &Value)| {
        let taken = take(spec, entry);
        let source = source(text(entry, "source"));
        let on_failure = match (&source, entry["closed"] == true) {
            (_, true) => OnFailure::Block,
            (Source::Callback | Source::Function, false) => OnFailure::of_callback(spec),
            (_, false) => OnFailure::Continue,
        };
        let position = entry["at"].as_u64().unwrap_or(index as u64);
        Entry {
            place: HandlerOrigin {
                position,
                label: format!("h{position}").into(),
                source,
                privileges: privileges(entry),
                on_failure,
                enforcement: enforcement(entry),
            },
            reply: taken.reply,
            failure: taken.failure,
        }
    };
    list.iter().enumerate().map(entry).collect()
}

fn verdict(case: &Value, reversed: bool) -> Verdict {
    let spec = event(case).spec();
    let options = FoldOptions {
        interactive: case["interactive"] == true,
        context_on_deny: case["agent_profile"] != true,
    };
    let mut first = entries(spec, &case["entries"]);
    if reversed {
        first.reverse();
    }
    let first = fold(spec, options, first);
    if case["second"].is_null() {
        return first;
    }
    second_look(spec, options, first, entries(spec, &case["second"]))
}

fn words(verdict: &Verdict) -> Value {
    let mut words = Map::new();
    let mut put = |key: &str, value: Value| {
        let silent = value.is_null() || value == false || value == json!([]) || value == json!("none");
        if !silent {
            words.insert(key.to_owned(), value);
        }
    };
    put("ruling", json!(verdict.ruling.word()));
    put("reason", json!(verdict.joined_reason()));
    put("blocks", json!(verdict.blocks()));
    put("asks", json!(verdict.asks_or_defers()));
    match &verdict.ruling {
        Ruling::RequestAllow { updated_input, updated_permissions } => {
            put("input", json!(updated_input.as_ref().map(|one| &one.what)));
            put("permissions", labelled(updated_permissions.iter().map(|one| (&one.label, json!(one.what)))));
        }
        Ruling::RequestDeny { interrupt, .. } => put("interrupt", json!(interrupt)),
        Ruling::Elicitation { content, .. } => put("content", json!(content.as_ref().map(|one| &one.what))),
        Ruling::Worktree(path) => put("path", json!(path.what)),
        Ruling::None | Ruling::Permission { .. } | Ruling::Block(_) | Ruling::WorktreeFailed(_) => {}
    }
    put("stop", json!(verdict.stop.as_ref().map(|stop| stop.what.reason.clone().unwrap_or("yes".into()))));
    put("context", json!(verdict.joined_context()));
    put("messages", labelled(verdict.messages.iter().map(|one| (&one.label, json!(one.what)))));
    put("notices", labelled(verdict.notices.iter().map(|one| (&one.label, json!(one.what.text)))));
    put("failures", labelled(verdict.failures.iter().map(|one| (&one.label, json!(one.what.to_string())))));
    put("unchecked", json!(verdict.unchecked().count()));
    put("warnings", json!(verdict.warnings));
    let observed = |one: &Attributed<ObservedAnswer>| {
        let reason = one.what.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        format!("{}: {}{reason}", one.label, one.what.effect.as_str())
    };
    put("observed", json!(verdict.observed.iter().map(observed).collect::<Vec<_>>()));
    put_fields(verdict, &mut put);
    if words["unchecked"] == 0 {
        words.shift_remove("unchecked");
    }
    Value::Object(words)
}

fn put_fields(verdict: &Verdict, put: &mut impl FnMut(&str, Value)) {
    let fields = &verdict.fields;
    put("updatedInput", json!(fields.updated_input.as_ref().map(|one| &one.what)));
    put("updatedToolOutput", json!(fields.updated_tool_output.as_ref().map(|one| &one.what)));
    put("proposedInput", json!(fields.proposed_input.as_ref().map(|one| &one.what)));
    put("updatedMCPToolOutput", json!(fields.updated_mcp_tool_output.as_ref().map(|one| &one.what)));
    put("displayContent", json!(fields.display_content.as_ref().map(|one| &one.what)));
    put("sessionTitle", json!(fields.session_title.as_ref().map(|one| &one.what)));
    put("initialUserMessage", json!(fields.initial_user_message.as_ref().map(|one| &one.what)));
    put("watchPaths", fields.watch_paths.as_ref().map_or(Value::Null, |paths| json!({ "all": paths })));
    put("retry", json!(fields.retry));
    put("reloadSkills", json!(fields.reload_skills));
    put("suppressOriginalPrompt", json!(fields.suppress_original_prompt));
    put("classifierContext", json!(fields.classifier_context));
}

fn labelled<'a>(all: impl Iterator<Item = (&'a std::sync::Arc<str>, Value)>) -> Value {
    all.map(|(label, what)| {
        json!(format!("{label}: {}", what.as_str().map_or(what.to_string(), str::to_owned)))
    })
    .collect()
}

#[test]
fn replies_fold_as_the_rules_say_in_any_order() {
    // rules: D1, D2, D4, D5, D6, D7, D8, D9, D10, D11, C6, C7b, O10, H9
    let cases = cases("fold.json");
    let mut failed = Vec::new();
    for case in &cases {
        for reversed in [false, true] {
            let got = words(&verdict(case, reversed));
            if got != case["want"] {
                failed.push(format!(
                    "[{}] {}\n  want {}\n  got  {got}",
                    case["rule"],
                    text(case, "name"),
                    case["want"]
                ));
                break;
            }
        }
    }
    report(failed, cases.len(), 60);
}

#[test]
fn notes_for_the_classifier_are_cut_at_2000_characters_not_bytes() {
    // rule: D11
    let note = "é".repeat(1500);
    let entry = json!({"source": "user", "json": {"hookSpecificOutput": {"hookEventName": "PostToolUse", "classifierContext": note}}});
    let case = json!({"event": "PostToolUse", "entries": [entry, entry]});
    let joined = verdict(&case, false).fields.classifier_context.unwrap();
    assert_eq!(joined.chars().count(), 2000);
    assert_eq!(joined.chars().nth(1500), Some('\n'));
}

#[test]
fn a_host_that_refuses_a_rewritten_output_loses_the_note_beside_it() {
    // rule: D11
    let answer = |own: Value| json!({"source": "user", "json": {"hookSpecificOutput": own}});
    let case = json!({"event": "PostToolUse", "entries": [
        answer(json!({"hookEventName": "PostToolUse", "updatedToolOutput": 1, "classifierContext": "beside"})),
        answer(json!({"hookEventName": "PostToolUse", "classifierContext": "alone"})),
    ]});
    let mut verdict = verdict(&case, false);
    assert_eq!(verdict.fields.classifier_context.as_deref(), Some("beside\nalone"));
    verdict.fields.refuse_tool_output();
    assert_eq!(verdict.fields.classifier_context.as_deref(), Some("alone"));
    assert!(verdict.fields.updated_tool_output.is_none());
}
