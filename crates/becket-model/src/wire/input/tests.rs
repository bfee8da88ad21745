use super::*;
use crate::event::agents::SubagentStart;
use crate::event::lifecycle::{SessionStart, UserPromptSubmit};
use crate::event::tool::PreToolUse;
use crate::event::{Agent, Effort, Session};
use serde_json::json;

fn session() -> Session {
    let mut session = Session::new("s1", "/t.jsonl", "/w");
    session.prompt_id = Some("p1".into());
    session.permission_mode = Some(PermissionMode::Default);
    session.effort = Some(Effort("medium".into()));
    session
}

fn bash(input: Value) -> PreToolUse {
    PreToolUse::new("Bash".into(), input.as_object().cloned().unwrap(), "toolu_1".into())
}

fn text(event: &Event) -> String {
    String::from_utf8(to_bytes(event)).unwrap()
}

#[test]
fn common_fields_come_first_and_in_the_protocols_order() {
    // rule: N1
    let event = Event::new(session(), bash(json!({"command": "ls\nls", "b": 1, "a": 2})));
    assert_eq!(
        text(&event),
        r#"{"session_id":"s1","transcript_path":"/t.jsonl","cwd":"/w","prompt_id":"p1","permission_mode":"default","effort":{"level":"medium"},"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls\nls","b":1,"a":2},"tool_use_id":"toolu_1"}"#
    );
}

#[test]
fn optional_common_fields_follow_the_table() {
    // rule: N1
    let event = Event::new(session(), UserPromptSubmit::new("hi".into()));
    assert!(text(&event).contains("permission_mode") && !text(&event).contains("effort"));
}

#[test]
fn inside_a_subagent_both_agent_fields_stand_before_the_event_name() {
    // rule: N4
    let mut session = session();
    session.agent = Some(Agent { id: Some("a1".into()), kind: Some("reviewer".into()) });
    let event = Event::new(session, bash(json!({})));
    assert!(
        text(&event)
            .contains(r#""permission_mode":"default","agent_id":"a1","agent_type":"reviewer","effort""#)
    );
}

#[test]
fn the_agent_of_a_hook_has_an_id_and_no_type() {
    // rules: H8, N4
    let mut session = session();
    session.agent = Some(Agent { id: Some("hook-agent-1".into()), kind: None });
    let event = Event::new(session, bash(json!({})));
    assert!(text(&event).contains(r#""agent_id":"hook-agent-1""#));
    assert!(!text(&event).contains("agent_type"));
    assert_eq!(from_value(to_value(&event)).unwrap(), event);
}

#[test]
fn an_event_about_an_agent_names_that_agent_once() {
    // rules: N1, N4
    let body = SubagentStart::new("a2".into(), "Explore".into());
    let event = Event::new(session(), body);
    assert!(
        text(&event)
            .ends_with(r#""agent_id":"a2","agent_type":"Explore","hook_event_name":"SubagentStart"}"#)
    );
    assert_eq!(from_value(to_value(&event)).unwrap().body, event.body);
}

#[test]
fn a_hosts_own_fields_pass_unchanged_but_never_stand_twice() {
    // rule: N5
    let mut event = Event::new(session(), bash(json!({})));
    event.extra.insert("x_host".into(), json!({"deep": [1, 2]}));
    event.extra.insert("cwd".into(), json!("/elsewhere"));
    let written = text(&event);
    assert!(written.ends_with(r#","x_host":{"deep":[1,2]}}"#), "{written}");
    assert_eq!(written.matches("\"cwd\"").count(), 1);
    assert_eq!(
        from_value(serde_json::from_str(&written).unwrap()).unwrap().extra["x_host"],
        json!({"deep": [1, 2]})
    );
}

#[test]
fn what_is_written_is_read_back() {
    let mut start = session();
    start.agent = Some(Agent { id: None, kind: Some("reviewer".into()) });
    start.permission_mode = None;
    start.effort = None;
    let body: SessionStart = serde_json::from_value(json!({"source": "fork", "context_tokens": 12})).unwrap();
    let event = Event::new(start, body);
    assert_eq!(from_value(to_value(&event)).unwrap(), event);
}

#[test]
fn a_wrong_field_is_named() {
    let base = json!({"session_id": "s", "transcript_path": "/t", "cwd": "/", "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": ["ls"], "tool_use_id": "x"});
    let error = from_value(base.clone()).unwrap_err().to_string();
    assert_eq!(error, "`tool_input` must be object, but is a list in the input of `PreToolUse`");
    let mut missing = base.clone();
    missing.as_object_mut().unwrap().remove("tool_name");
    missing["tool_input"] = json!({});
    assert_eq!(
        from_value(missing).unwrap_err().to_string(),
        "`tool_name` is missing in the input of `PreToolUse`"
    );
    assert_eq!(
        from_value(json!([])).unwrap_err().to_string(),
        "a hook input is a JSON object, but this is a list"
    );
}

#[test]
fn an_input_is_put_together_in_any_order_and_the_last_word_counts() {
    // rule: N1
    let mut fields = Fields::new(EventKind::PreToolUse);
    fields.put("host", json!(1));
    fields.put("tool_use_id", json!("toolu_0"));
    fields.put("hook_event_name", json!("Stop"));
    fields.put("cwd", Value::Null);
    assert_eq!(fields.get("cwd"), Some(&Value::Null));
    assert_eq!(fields.get("tool_name"), None);
    fields.extend([
        ("cwd".to_owned(), json!("/w")),
        ("tool_use_id".to_owned(), json!("toolu_1")),
        ("tool_input".to_owned(), json!({"command": "ls"})),
        ("tool_name".to_owned(), json!("Bash")),
        ("transcript_path".to_owned(), json!("/t.jsonl")),
    ]);
    let missing = fields.clone().into_event().unwrap_err();
    assert_eq!(missing, InputError::Missing { field: "session_id", event: Some(EventKind::PreToolUse) });
    fields.put("session_id", json!("s1"));
    let mut event = Event::new(Session::new("s1", "/t.jsonl", "/w"), bash(json!({"command": "ls"})));
    event.extra.insert("host".into(), json!(1));
    assert_eq!(fields.into_event(), Ok(event));
}
