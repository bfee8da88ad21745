//! The state of a resumed session.

use crate::conversation::moves::answer;
use crate::transcript::fixture::{CWD, Home, ID, a_session, call, cwd, text, whole};
use becket_agent::conversation::{Conversation, Next, OpenCalls, StoredConversation};
use becket_agent::transcript::{Log, Note, StoredSession};
use becket_engine::{Conversations, Transcripts};
use becket_llm::{Block, Role, Usage};
use std::fs;
use std::path::Path;
use std::time::Duration;

// rules: L0, L2
#[test]
fn the_facts_of_the_session_come_back() {
    let home = Home::new();
    let mut log = home.create();
    let mut conversation = a_session(&mut log);
    log.note(&Note::Title("Later".into()), Path::new("/elsewhere")).unwrap();
    drop(log);
    let (mut log, restored) = home.resume();
    assert_eq!(restored.title.as_deref(), Some("Later"));
    assert_eq!(restored.mode.as_ref().map(|mode| mode.as_str()), Some("acceptEdits"));
    assert_eq!(restored.model.as_deref(), Some("m"));
    assert_eq!(restored.cwd.as_deref(), Some(Path::new("/elsewhere")));
    assert_eq!(restored.usage, Usage { input_tokens: 3_000, output_tokens: 1_500, ..Usage::default() });
    assert_eq!((restored.prompts, restored.damage.len()), (1, 0));
    let last = restored.last_answer.unwrap();
    assert_eq!(restored.since_last_answer(last + Duration::from_secs(90)), Some(Duration::from_secs(90)));
    assert_eq!(restored.since_last_answer(last - Duration::from_secs(1)), Some(Duration::ZERO));
    log.note(&Note::Model("provider::big".into()), cwd()).unwrap();
    let again = whole(restored);
    assert_eq!((again.messages(), again.tokens()), (conversation.messages(), conversation.tokens()));
    assert!(conversation.take_entries().is_empty());
    drop(log);
    assert_eq!(home.resume().1.model.as_deref(), Some("provider::big"));
}

// rule: L7
#[test]
fn a_given_title_counts_before_a_generated_one_whichever_is_newer() {
    let home = Home::new();
    let mut log = home.create();
    drop(a_session(&mut log));
    log.note(&Note::GeneratedTitle("Generated".into()), cwd()).unwrap();
    drop(log);
    assert_eq!(home.resume().1.title.as_deref(), Some("Tidy \"up\""));
    assert_eq!(home.store.list(cwd()).unwrap()[0].title.as_deref(), Some("Tidy \"up\""));
    let text = fs::read_to_string(home.path()).unwrap();
    assert!(text.contains(r#""type":"ai-title","aiTitle":"Generated""#), "as SDKs read it: {text}");
    let without: String =
        text.lines().filter(|line| !line.contains("custom-title")).map(|line| format!("{line}\n")).collect();
    fs::write(home.path(), without).unwrap();
    assert_eq!(home.resume().1.title.as_deref(), Some("Generated"));
    assert_eq!(home.store.list(cwd()).unwrap()[0].title.as_deref(), Some("Generated"));
}

fn two_calls(log: &mut Log) -> OpenCalls {
    let mut conversation = Conversation::default();
    conversation.say(text("go")).unwrap();
    let Next::Calls(mut calls) = conversation.answered(answer(vec![call("a"), call("b")], 0)) else {
        panic!("calls")
    };
    log.append(calls.take_entries(), cwd()).unwrap();
    calls
}

fn results(restored: StoredSession) -> Vec<(String, String, bool)> {
    let messages = whole(restored).messages();
    let result = |block: &Block| match block {
        Block::ToolResult { tool_use_id, content, is_error } => {
            Some((tool_use_id.clone(), content[0].as_text().unwrap().to_owned(), *is_error))
        }
        _ => None,
    };
    messages.iter().flat_map(|message| &message.content).filter_map(result).collect()
}

// rule: D10
#[test]
fn calls_that_were_put_off_wait_until_they_are_resumed_or_cancelled() {
    let home = Home::new();
    let mut log = home.create();
    let mut calls = two_calls(&mut log);
    calls.answer("b", text("two"), false).unwrap();
    let mut deferred = calls.defer(&["a"], "stopped").unwrap();
    log.append(deferred.take_entries(), cwd()).unwrap();
    drop((log, deferred));
    for _ in 0..2 {
        let StoredConversation::Deferred(deferred) = home.resume().1.stored else {
            panic!("they don't wait")
        };
        assert_eq!(deferred.calls()[0].id, "a");
    }
    let before = fs::read(home.path()).unwrap();

    let (mut log, restored) = home.resume();
    let StoredConversation::Deferred(deferred) = restored.stored else { panic!("they don't wait") };
    let mut conversation = deferred.cancelled();
    log.append(conversation.take_entries(), cwd()).unwrap();
    drop(log);
    let cancelled = results(home.resume().1);
    assert!(cancelled[0].1.contains("cancelled by another prompt") && cancelled[0].2, "{cancelled:?}");
    assert_eq!(cancelled[1], ("b".into(), "two".into(), false));

    home.put(&before);
    let (mut log, restored) = home.resume();
    let StoredConversation::Deferred(deferred) = restored.stored else { panic!("they don't wait") };
    let mut calls = deferred.resume();
    log.append(calls.take_entries(), cwd()).unwrap();
    drop((log, calls));
    // The process died while the call may have been running: it never runs twice.
    let crashed = results(home.resume().1);
    assert!(crashed[0].1.contains("it may have run in part") && crashed[0].2, "{crashed:?}");
}

// rule: L2
#[test]
fn a_crash_while_calls_run_answers_them_and_keeps_the_results_there_are() {
    let home = Home::new();
    let mut log = home.create();
    let mut calls = two_calls(&mut log);
    calls.answer("b", text("two"), false).unwrap();
    log.append(calls.take_entries(), cwd()).unwrap();
    drop((log, calls));
    let (mut log, restored) = home.resume();
    let mut conversation = whole(restored);
    let repairs = conversation.take_entries();
    assert_eq!(repairs.len(), 1, "{repairs:?}");
    log.append(repairs, cwd()).unwrap();
    drop(log);
    let (_, again) = home.resume();
    assert_eq!(again.damage, []);
    let results = results(again);
    assert!(results[0].0 == "a" && results[0].2 && results[0].1.starts_with("the session ended before"));
    assert_eq!(results[1], ("b".into(), "two".into(), false));
}

// rule: H7
#[test]
fn hooks_that_ask_a_model_read_it() {
    let home = Home::new();
    let mut log = home.create();
    drop(a_session(&mut log));
    let session = becket_model::Session::new(ID, log.path(), CWD);
    let stop = becket_model::event::lifecycle::Stop::new(false);
    let event = becket_model::Event::new(session, stop);
    let messages = Transcripts.of(&event).unwrap();
    let texts = format!("{messages:?}");
    for said in ["tidy up", "I look.", "lines", "Stop hook feedback", "hook success: hello", "done"] {
        assert!(texts.contains(said), "{said}: {texts}");
    }
    assert_eq!(messages.iter().filter(|message| message.role == Role::Assistant).count(), 2);
}

// rule: N4
#[test]
fn a_subagent_has_a_transcript_of_its_own() {
    let home = Home::new();
    let log = home.create();
    let (mut side, restored) = log.subagent("a1b2").unwrap();
    assert!(whole(restored).is_empty());
    let mut conversation = a_session(&mut side);
    let path = home.path().with_extension("").join("subagents/agent-a1b2.jsonl");
    assert_eq!(side.path(), path);
    drop(side);
    let first = fs::read_to_string(&path).unwrap();
    let line: serde_json::Value = serde_json::from_str(first.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&line["isSidechain"], &line["agentId"], &line["sessionId"]),
        (&true.into(), &"a1b2".into(), &ID.into())
    );
    let (mut side, again) = log.subagent("a1b2").unwrap();
    assert_eq!(whole(again).messages(), conversation.messages());
    conversation.say(text("more")).unwrap();
    side.append(conversation.take_entries(), cwd()).unwrap();
    for wrong in ["", "..", "a/b"] {
        assert!(log.subagent(wrong).is_err(), "{wrong}");
    }
}
