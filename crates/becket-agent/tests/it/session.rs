//! A session from its first event to its last: start, resume, clear, compaction, end.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test picks one kind of update among many")]

use crate::support::session::{At, never, settings, within};
use becket_agent::compact::Window;
use becket_agent::session::{OpenError, Prompt, SetupTrigger, Start};
use becket_agent::transcript::Store;
use becket_agent::turn::EndReason;
use becket_agent::update::UpdateKind;
use becket_agent::worktree::{WorktreeError, WorktreeName};
use becket_agent::{Agent, AgentBuilder};
use becket_llm::{Script, ScriptedModel};
use becket_model::event::PermissionMode;
use becket_tools::tasks::Tasks;
use serde_json::{Value, json};
use std::sync::Arc;

const ID: &str = "11111111-2222-4333-8444-555555555555";

fn stored(at: &At) -> AgentBuilder {
    at.builder().store(Store::new(at.dir.join("store")))
}

async fn send_prompt(agent: &Agent, prompt: &str) -> EndReason {
    within(agent.prompt(Prompt::text(prompt), &never())).await.reason
}

fn texts(n: usize) -> Value {
    (0..n)
        .map(|n| json!({"text": format!("answer {n}"), "usage": {"input_tokens": 100, "output_tokens": 1}}))
        .collect()
}

fn hook(event: &str, fields: &Value) -> String {
    let mut fields = fields.clone();
    fields["hookEventName"] = event.into();
    format!("cat <<'END'\n{}\nEND", json!({"hookSpecificOutput": fields}))
}

// rule: L0
#[tokio::test]
async fn setup_comes_before_the_start_and_no_request_is_needed() {
    let hooks = json!({"Setup": [hook("Setup", &json!({"additionalContext": "installed"}))],
        "SessionStart": ["true"], "SessionEnd": ["true"]});
    let at = At::new(&settings(&hooks, &json!({})), &texts(1));
    let agent = at.builder().setup(SetupTrigger::Init).open().await.unwrap();
    within(agent.close("other")).await;
    assert_eq!(at.events(), ["Setup", "SessionStart", "SessionEnd"]);
    assert_eq!(at.noted()[0]["trigger"], "init");
    assert!(at.requests().is_empty());
    let agent = at.builder().setup(SetupTrigger::Maintenance).open().await.unwrap();
    send_prompt(&agent, "go").await;
    let told = at.requests().pop().unwrap();
    assert!(told.contains("setup:maintenance hook additional context: installed"), "{told}");
}

// rule: L0
#[tokio::test]
async fn what_a_start_hook_wants_of_the_session_is_done() {
    let wanted =
        json!({"sessionTitle": "Tidying", "initialUserMessage": "begin", "watchPaths": ["/etc/hosts"]});
    let at =
        At::new(&settings(&json!({"SessionStart": [hook("SessionStart", &wanted)]}), &json!({})), &texts(1));
    let agent = stored(&at).open().await.unwrap();
    let info = agent.info();
    assert_eq!((info.title.as_deref(), info.watched), (Some("Tidying"), vec!["/etc/hosts".into()]));
    assert_eq!(agent.initial_prompt().await, Some(Prompt::text("begin")));
    assert_eq!(agent.initial_prompt().await, None, "it is the first turn, once");
    within(agent.close("other")).await;
    let transcript = std::fs::read_to_string(info.transcript_path).unwrap();
    assert!(transcript.contains("Tidying"), "{transcript}");
}

// rule: L0
#[tokio::test]
async fn a_prompt_hook_names_the_session() {
    let named = hook("UserPromptSubmit", &json!({"sessionTitle": "Named"}));
    let hooks = json!({"UserPromptSubmit": [named], "SessionStart": ["true"]});
    let at = At::new(&settings(&hooks, &json!({})), &texts(2));
    let agent = stored(&at).id(ID).open().await.unwrap();
    send_prompt(&agent, "go").await;
    within(agent.close("other")).await;
    drop(agent);
    let agent = stored(&at).start(Start::Resume { id: ID.into() }).open().await.unwrap();
    assert_eq!(agent.info().title.as_deref(), Some("Named"));
    assert_eq!(at.noted().last().unwrap()["session_title"], "Named");
}

// rule: L0
#[tokio::test]
async fn a_session_is_resumed_continued_and_forked() {
    let at = At::new(&settings(&json!({"SessionStart": ["true"], "Stop": ["true"]}), &json!({})), &texts(4));
    let agent = stored(&at).id(ID).mode(PermissionMode::AcceptEdits).open().await.unwrap();
    assert_eq!(send_prompt(&agent, "one").await, EndReason::Completed);
    let taken = stored(&at).start(Start::Resume { id: ID.into() }).open().await;
    assert!(matches!(taken, Err(OpenError::Store(_))), "a session has one writer");
    within(agent.close("other")).await;
    drop(agent);
    for (start, source, same) in [
        (Start::Resume { id: ID.into() }, "resume", true),
        (Start::Continue, "resume", true),
        (Start::Fork { id: ID.into() }, "fork", false),
    ] {
        let agent = stored(&at).start(start).open().await.unwrap();
        let noted = at.noted().pop().unwrap();
        assert_eq!(noted["source"], source);
        assert!(noted["seconds_since_last_response"].is_f64() && noted["context_tokens"].as_u64() > Some(0));
        assert_eq!(noted["prompt_cache_likely_expired"], false);
        assert_eq!(noted.get("model"), None, "a session without a screen does not name it");
        let info = agent.info();
        assert_eq!((info.id == ID, info.mode), (same, PermissionMode::AcceptEdits));
        assert_eq!(send_prompt(&agent, source).await, EndReason::Completed);
        assert!(at.requests().pop().unwrap().starts_with("user: one\nassistant: answer 0\nuser: "));
        within(agent.close("other")).await;
    }
}

#[tokio::test]
async fn what_is_not_there_is_not_resumed() {
    let at = At::new(&settings(&json!({}), &json!({})), &json!([]));
    for (builder, start) in [
        (stored(&at), Start::Resume { id: ID.into() }),
        (stored(&at), Start::Fork { id: "../x".into() }),
        (at.builder(), Start::Continue),
    ] {
        assert!(builder.start(start.clone()).open().await.is_err(), "{start:?}");
    }
    let agent = stored(&at).start(Start::Continue).open().await.unwrap();
    assert!(
        agent.info().transcript_path.starts_with(at.dir.join("store")),
        "nothing to resume: a new session"
    );
}

// rule: L0
#[tokio::test]
async fn clear_ends_a_session_with_its_id_and_begins_another() {
    let hooks = json!({"SessionStart": ["echo from $HERE"], "SessionEnd": ["true"], "Stop": ["true"]});
    let at = At::new(&settings(&hooks, &json!({})), &texts(2));
    let agent = stored(&at).id(ID).open().await.unwrap();
    send_prompt(&agent, "one").await;
    within(agent.clear()).await.unwrap();
    send_prompt(&agent, "two").await;
    within(agent.close("other")).await;
    let noted = at.noted();
    let of = |n: usize| {
        let reason = noted[n]["source"].as_str().or(noted[n]["reason"].as_str()).unwrap_or_default();
        (noted[n]["hook_event_name"].as_str().unwrap(), reason, noted[n]["session_id"] == ID)
    };
    let seen: Vec<_> = (0..noted.len()).map(of).collect();
    assert_eq!(
        seen,
        [
            ("SessionStart", "startup", true),
            ("Stop", "", true),
            ("SessionEnd", "clear", true),
            ("SessionStart", "clear", false),
            ("Stop", "", false),
            ("SessionEnd", "other", false),
        ]
    );
    assert_eq!(noted[3].get("prompt_id"), None);
    let told = at.requests().pop().unwrap();
    assert!(!told.contains("one") && told.contains("sessionstart:clear hook success"), "{told}");
    assert_ne!(noted[3]["transcript_path"], noted[0]["transcript_path"]);
}

const DEFERS: &str = r#"case "$in" in *t2*) ;; *) [ -e $HERE/now ] || { cat <<'END'
{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer"}}
END
};; esac"#;

fn deferred() -> At {
    let hooks = json!({"PreToolUse": [DEFERS], "PostToolBatch": ["true"], "Stop": ["true"]});
    let calls = json!({"tool_uses": [
        {"id": "t1", "name": "Probe", "input": {"n": 1}}, {"id": "t2", "name": "Probe", "input": {"n": 2}}]});
    At::new(&settings(&hooks, &json!({})), &json!([calls, {"text": "done"}]))
}

// rule: D10
#[tokio::test]
async fn deferred_calls_are_taken_up_when_the_session_is() {
    let at = deferred();
    let agent = stored(&at).id(ID).open().await.unwrap();
    let EndReason::Deferred { calls } = send_prompt(&agent, "go").await else { panic!("it waits") };
    assert_eq!(calls.iter().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["t1"]);
    within(agent.close("other")).await;
    drop(agent);
    let agent = stored(&at).start(Start::Resume { id: ID.into() }).open().await.unwrap();
    assert!(agent.has_deferred().await);
    let again = within(agent.resume_deferred(&never())).await;
    assert!(matches!(again.reason, EndReason::Deferred { .. }), "without limit: {again:?}");
    std::fs::write(at.dir.join("now"), "").unwrap();
    let end = within(agent.resume_deferred(&never())).await;
    assert_eq!((end.reason, end.text.as_str()), (EndReason::Completed, "done"));
    assert_eq!(*at.done.ran.lock().unwrap(), [json!({"n": 2}), json!({"n": 1})]);
    let told = at.requests().pop().unwrap();
    assert!(told.ends_with("user: result t1: did 1 | result t2: did 2"), "{told}");
    assert_eq!(
        at.events(),
        ["PreToolUse", "PreToolUse", "PreToolUse", "PreToolUse", "PostToolBatch", "Stop"]
    );
    let ids: Vec<Value> =
        at.noted().into_iter().filter_map(|noted| noted.get("tool_use_id").cloned()).collect();
    assert_eq!(ids, ["t1", "t2", "t1", "t1"]);
}

// rule: D10
#[tokio::test]
async fn a_deferred_call_whose_tool_is_gone_is_told_before_any_hook() {
    let at = deferred();
    let agent = stored(&at).id(ID).open().await.unwrap();
    send_prompt(&agent, "go").await;
    at.toolbox.replace([]);
    let before = at.noted().len();
    let end = within(agent.resume_deferred(&never())).await;
    assert_eq!(end.reason, EndReason::DeferredUnavailable { tool_name: "Probe".into() });
    assert_eq!(at.noted().len(), before);
    assert!(agent.has_deferred().await, "it waits on");
}

// rule: L0
#[tokio::test]
async fn a_conversation_is_compacted_at_the_users_word() {
    let hooks = json!({"PreCompact": ["true"], "SessionStart": ["echo afresh"], "PostCompact": ["true"]});
    let summary = json!({"text": "<summary>we said one</summary>"});
    let at = At::new(&settings(&hooks, &json!({})), &json!([{"text": "first"}, summary, {"text": "last"}]));
    let agent = stored(&at).open().await.unwrap();
    send_prompt(&agent, "one").await;
    within(agent.compact(Some("be brief"), &never())).await.unwrap();
    send_prompt(&agent, "two").await;
    assert_eq!(at.events(), ["SessionStart", "PreCompact", "SessionStart", "PostCompact"]);
    let noted = at.noted();
    assert_eq!((&noted[2]["source"], &noted[2]["model"]), (&json!("compact"), &json!("scripted")));
    assert!(noted[2]["prompt_id"].is_string() && noted[1]["custom_instructions"] == "be brief");
    let told = at.requests().pop().unwrap();
    assert!(told.contains("we said one") && !told.contains("first"), "{told}");
    assert!(told.contains("sessionstart:compact hook success: afresh"), "{told}");
    assert_eq!(at.happened(|what| matches!(what, UpdateKind::Compacted { .. }).then_some(())).len(), 1);
}

// rule: L5
#[tokio::test]
async fn a_compaction_that_was_forbidden_is_not_tried_again_when_stop_sends_the_model_back() {
    let stop = r#"case "$in" in *'active":true'*) ;; *) echo more >&2; exit 2;; esac"#;
    let hooks = json!({"PreCompact": ["echo never >&2; exit 2"], "Stop": [stop]});
    let at = At::new(&settings(&hooks, &json!({})), &texts(4));
    let agent = at.builder().window(Window::of(1)).open().await.unwrap();
    assert_eq!(send_prompt(&agent, "one").await, EndReason::Completed);
    assert_eq!(at.events(), ["PreCompact", "Stop", "Stop"]);
    assert_eq!(send_prompt(&agent, "two").await, EndReason::Completed);
    assert_eq!(at.events().iter().filter(|event| *event == "PreCompact").count(), 2, "the next turn may");
}

// rule: L5
#[tokio::test]
async fn a_conversation_that_the_api_refuses_is_compacted_once() {
    let too_long = json!({"error": {"kind": "bad_request", "message": "prompt is too long: 9 tokens > 8"}});
    let summary = json!({"text": "<summary>short</summary>"});
    let hooks = json!({"PreCompact": ["true"], "StopFailure": ["true"], "Stop": ["true"]});
    for (turns, expected, events) in [
        (json!([too_long, summary, {"text": "done"}]), "completed", vec!["PreCompact", "Stop"]),
        (json!([too_long, summary, too_long]), "prompt_too_long", vec!["PreCompact", "StopFailure"]),
    ] {
        let at = At::new(&settings(&hooks, &json!({})), &turns);
        let agent = at.builder().open().await.unwrap();
        assert_eq!(send_prompt(&agent, "a long one").await.as_str(), expected);
        within(agent.close("other")).await;
        assert_eq!(at.events(), events);
    }
}

// rule: L3
#[tokio::test]
async fn the_end_gives_hooks_that_were_left_their_time_and_then_ends_them() {
    let hooks =
        json!({"StopFailure": ["sleep 0.4; touch $HERE/heard", "exec sleep 600"], "SessionEnd": ["true"]});
    let at = At::new(&settings(&hooks, &json!({})), &json!([{"error": {"kind": "unauthorized"}}]));
    let agent = at.builder().tasks(Tasks::new(at.dir.join("tasks"))).open().await.unwrap();
    send_prompt(&agent, "go").await;
    within(agent.close("other")).await;
    assert!(at.dir.join("heard").exists(), "it had its time");
    assert!(at.notices().is_empty(), "that the other was ended is not reported: {:?}", at.notices());
}

// rule: A5
#[tokio::test]
async fn the_end_gives_hooks_in_the_background_their_time_and_then_ends_them() {
    let background = |command: &str| json!({"command": command, "async": true});
    let hooks = json!({
        "SessionStart": [background("sleep 0.5; touch $HERE/began")],
        "Stop": [background("sleep 0.4; touch $HERE/heard"), background("exec sleep 600")],
        "SessionEnd": ["true"],
    });
    let at = At::new(&settings(&hooks, &json!({})), &texts(1));
    let agent = at.open().await;
    send_prompt(&agent, "go").await;
    within(agent.close("other")).await;
    assert!(at.dir.join("began").exists() && at.dir.join("heard").exists(), "they had their time");
    assert!(at.engine.host().background().is_empty());
}

// rule: L2
#[tokio::test]
async fn what_can_not_be_stored_is_told_once_and_the_turn_goes_on() {
    let at = At::new(&settings(&json!({}), &json!({})), &texts(3));
    let agent = stored(&at).open().await.unwrap();
    let path = agent.info().transcript_path;
    send_prompt(&agent, "one").await;
    let away = at.dir.join("away");
    std::fs::rename(at.dir.join("store"), &away).unwrap();
    std::fs::write(at.dir.join("store"), "in the way").unwrap();
    assert_eq!(send_prompt(&agent, "two").await, EndReason::Completed);
    let told = || at.notices().iter().filter(|text| text.contains("without being stored")).count();
    // Some systems still write to the file that was moved; then there is nothing to report.
    assert!(told() <= 1, "{:?}", at.notices());
    std::fs::remove_file(at.dir.join("store")).unwrap();
    std::fs::rename(away, at.dir.join("store")).unwrap();
    assert_eq!(send_prompt(&agent, "three").await, EndReason::Completed);
    within(agent.close("other")).await;
    let transcript = std::fs::read_to_string(path).unwrap();
    for text in ["one", "two", "three", "answer 2"] {
        assert!(transcript.contains(text), "{text} in {transcript}");
    }
}

// rule: L0
#[tokio::test]
async fn a_session_that_is_cleared_after_it_has_moved_is_stored_where_it_began() {
    let moves = json!([
        {"tool_uses": [{"id": "t1", "name": "Probe", "input": {"moves": "sub"}}]}, {"text": "moved"}, {"text": "again"},
    ]);
    let at = At::new(&settings(&json!({}), &json!({})), &moves);
    let agent = stored(&at).id(ID).mode(PermissionMode::Plan).open().await.unwrap();
    send_prompt(&agent, "one").await;
    let before = agent.info();
    assert_eq!(before.cwd, at.dir.join("sub"));
    within(agent.clear()).await.unwrap();
    let after = agent.info();
    assert_eq!(after.transcript_path.parent(), before.transcript_path.parent());
    send_prompt(&agent, "two").await;
    within(agent.close("other")).await;
    drop(agent);
    // It is found by its directory, and in its mode.
    let again = stored(&at).start(Start::Continue).open().await.unwrap().info();
    assert_eq!((again.id, again.mode), (after.id, PermissionMode::Plan));
}

/// Returns turns of a model that is overloaded this many times, and then gives these answers.
fn overloaded(times: usize, then: &[&str]) -> Value {
    let error = json!({"error": {"kind": "overloaded", "message": "busy", "retry_after_s": 0}});
    let then = then.iter().map(|text| json!({"text": text}));
    std::iter::repeat_n(error, times).chain(then).collect()
}

fn another(turns: &Value) -> Arc<ScriptedModel> {
    let script = json!({"name": "another", "turns": turns}).to_string();
    Arc::new(ScriptedModel::new(Script::from_text(&script, "another").unwrap()))
}

// rules: L3, L5
#[tokio::test]
async fn a_fallback_is_over_with_its_turn() {
    let at = At::new(&settings(&json!({}), &json!({})), &overloaded(3, &["a summary"]));
    let other = another(&json!([{"text": "in its place"}]));
    let agent = at.builder().fallback(other.clone(), "another").open().await.unwrap();
    assert_eq!(send_prompt(&agent, "one").await, EndReason::Completed);
    assert_eq!(other.requests().len(), 1);
    within(agent.compact(None, &never())).await.unwrap();
    assert_eq!((at.requests().len(), other.requests().len()), (4, 1), "its own model sums up");
}

// rules: L3, D11
#[tokio::test]
async fn a_hook_that_keeps_the_model_is_asked_once_in_a_turn() {
    let hooks = json!({"PreModelSwitch": ["echo no >&2; exit 2"]});
    let at = At::new(&settings(&hooks, &json!({})), &overloaded(6, &["at last", "and again"]));
    let other = another(&json!([]));
    let agent = at.builder().fallback(other.clone(), "another").open().await.unwrap();
    assert_eq!(send_prompt(&agent, "one").await, EndReason::Completed);
    assert_eq!((at.requests().len(), at.events()), (7, vec!["PreModelSwitch".to_owned()]));
    assert_eq!((send_prompt(&agent, "two").await, other.requests().len()), (EndReason::Completed, 0));
}

// rule: L0
#[tokio::test]
async fn a_worktree_that_nobody_can_make_is_no_session_in_the_main_tree() {
    let at = At::new(&settings(&json!({"SessionStart": ["true"]}), &json!({})), &texts(1));
    let name = WorktreeName::new("x").unwrap();
    let opened = at.builder().in_worktree(name, |_| String::new()).open().await;
    assert!(matches!(opened, Err(OpenError::Worktree(WorktreeError::NotLent))));
    assert!(at.events().is_empty());
}
