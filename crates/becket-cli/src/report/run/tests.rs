//! Events, and the output that reports them.

use super::*;
use becket_agent::turn::{DeferredCall, Denial, EndReason, ErrorClass, TurnEnd};
use becket_agent::update::{Level, Notice, Origin, StopSummary, Update, UpdateKind};
use becket_llm::{Block, Delta, StopReason, Usage};
use becket_model::EventKind;
use becket_tools::tasks::TaskKind;
use serde_json::{Value, json};
use std::time::Duration;

fn init() -> Init {
    Init {
        cwd: "/work".into(),
        session_id: "s1".into(),
        tools: vec!["Bash".into()],
        mcp_servers: vec![Server { name: "notes".into(), status: "connected" }],
        model: "haiku".into(),
        permission_mode: "default".into(),
        slash_commands: vec!["review".into()],
        api_key_source: "none".into(),
        becket_version: "0.1.0",
        claude_code_version: "2.1.332",
        output_style: "default".into(),
        agents: vec!["Explore".into()],
        skills: Vec::new(),
        plugins: vec![Plugin { name: "p".into(), path: "/p".into(), source: "p@m".into() }],
        capabilities: vec!["interrupt_receipt_v1"],
        warnings: Vec::new(),
    }
}

fn opened() -> SessionEvent {
    SessionEvent::Opened(Box::new(PromptStart { init: init(), prompt: "tidy up".into() }))
}

fn main_says(what: UpdateKind) -> SessionEvent {
    SessionEvent::Update(Box::new(Update { of: Origin::Main, what }))
}

fn answered(content: Vec<Block>, displayed: Option<&str>) -> UpdateKind {
    UpdateKind::Answered {
        message_id: "msg_1".into(),
        model: "haiku".into(),
        content,
        displayed: displayed.map(str::to_owned),
        usage: Usage { input_tokens: 5, output_tokens: 7, cache_read: 2, cache_write: 1 },
        uuid: None,
    }
}

fn call(id: &str, command: &str) -> Block {
    let input = json!({"command": command}).as_object().cloned().unwrap();
    Block::ToolUse { id: id.into(), name: "Bash".into(), input }
}

fn result(id: &str, text: &str, is_error: bool) -> Block {
    Block::ToolResult { tool_use_id: id.into(), content: vec![Block::Text(text.into())], is_error }
}

fn notice(hook: Option<&str>, text: &str, unchecked: bool) -> UpdateKind {
    let hook = hook.map(str::to_owned);
    UpdateKind::Notice(Notice { level: Level::Notice, hook, text: text.into(), unchecked })
}

fn end(reason: EndReason, text: &str) -> TurnEnd {
    TurnEnd {
        reason,
        text: text.into(),
        answers: 3,
        usage: Usage { input_tokens: 5, output_tokens: 7, cache_read: 2, cache_write: 1 },
        took: Duration::from_millis(1500),
        took_model: Duration::from_millis(900),
        cost_usd: None,
        denials: Vec::new(),
        structured_output: None,
        in_calls: false,
    }
}

fn of_end(end: &TurnEnd) -> RunResult {
    RunResult::new(end, None, "s1".into(), "uuid".into())
}

/// Returns the only line about an event.
fn line(wanted: StreamOptions, shown: &SessionEvent) -> String {
    let mut stream = Stream::new(wanted, Ids::fixed());
    drop(stream.lines(&opened()));
    let lines = stream.lines(shown);
    assert!(lines.is_empty() || lines.ends_with('\n') && lines.lines().count() == 1, "{lines}");
    lines.trim_end().to_owned()
}

#[test]
fn each_kind_of_line_has_its_fields_in_their_order() {
    let usage = r#""usage":{"input_tokens":5,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"output_tokens":7}"#;
    let tail = r#""uuid":"uuid","session_id":"s1"}"#;
    for (shown, expected) in [
        (
            opened(),
            concat!(
                r#"{"type":"system","subtype":"init","cwd":"/work","session_id":"s1","tools":["Bash"],"#,
                r#""mcp_servers":[{"name":"notes","status":"connected"}],"model":"haiku","permissionMode":"default","#,
                r#""slash_commands":["review"],"apiKeySource":"none","becket_version":"0.1.0","#,
                r#""claude_code_version":"2.1.332","#,
                r#""output_style":"default","agents":["Explore"],"skills":[],"#,
                r#""plugins":[{"name":"p","path":"/p","source":"p@m"}],"capabilities":["interrupt_receipt_v1"],"uuid":"uuid"}"#
            )
            .to_owned(),
        ),
        (
            main_says(answered(vec![Block::Text("hi".into()), call("t1", "ls")], None)),
            format!(
                "{}{usage}{}",
                concat!(
                    r#"{"type":"assistant","message":{"model":"haiku","id":"msg_1","type":"message","role":"assistant","#,
                    r#""content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"t1","name":"Bash","#,
                    r#""input":{"command":"ls"}}],"stop_reason":null,"stop_sequence":null,"#
                ),
                r#"},"parent_tool_use_id":null,"session_id":"s1","uuid":"uuid"}"#
            ),
        ),
        (
            main_says(UpdateKind::UserMessage { content: vec![result("t1", "no", true)], hidden: false }),
            concat!(
                r#"{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","#,
                r#""content":"no","is_error":true}]},"parent_tool_use_id":null,"session_id":"s1","uuid":"uuid"}"#
            )
            .to_owned(),
        ),
        (
            main_says(UpdateKind::UserMessage { content: vec![Block::Text("go on".into())], hidden: true }),
            concat!(
                r#"{"type":"user","message":{"role":"user","content":[{"type":"text","text":"go on"}]},"#,
                r#""parent_tool_use_id":null,"isSynthetic":true,"session_id":"s1","uuid":"uuid"}"#
            )
            .to_owned(),
        ),
        (
            main_says(notice(Some("PreToolUse:Bash"), "hello", false)),
            format!(
                r#"{{"type":"system","subtype":"informational","content":"PreToolUse:Bash says: hello","level":"notice",{tail}"#
            ),
        ),
        // rule: O10
        (
            main_says(notice(Some("PreToolUse:Bash"), "not checked", true)),
            format!(
                r#"{{"type":"system","subtype":"informational","content":"not checked","level":"notice","tag":"hook_no_verdict",{tail}"#
            ),
        ),
        (
            main_says(UpdateKind::Compacted { trigger: "auto".into(), tokens_before: 9 }),
            format!(
                r#"{{"type":"system","subtype":"compact_boundary","compact_metadata":{{"trigger":"auto","pre_tokens":9}},{tail}"#
            ),
        ),
        (
            main_says(UpdateKind::Retrying {
                attempt: 2,
                max_retries: 10,
                after: Duration::from_secs(1),
                status: Some(529),
                class: ErrorClass::Overloaded,
                because: "busy".into(),
            }),
            format!(
                r#"{{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":1000,"error_status":529,"error":"overloaded","message":"busy",{tail}"#
            ),
        ),
    ] {
        assert_eq!(line(StreamOptions::default(), &shown), expected);
    }
}

#[test]
fn what_hooks_at_the_end_did_is_one_line() {
    // rule: L8
    let summary = StopSummary {
        event: EventKind::Stop,
        hooks: vec![("tests.sh".into(), Duration::from_millis(12))],
        errors: vec!["exit 3".into()],
        prevented: Some("enough".into()),
        had_output: true,
        id: "sum".into(),
    };
    let value: Value =
        serde_json::from_str(&line(StreamOptions::default(), &main_says(UpdateKind::StopHooks(summary))))
            .unwrap();
    assert_eq!(
        value,
        json!({"type": "system", "subtype": "stop_hook_summary", "hook_event": "Stop", "hook_count": 1,
            "hooks": [{"command": "tests.sh", "duration_ms": 12}], "hook_errors": ["exit 3"],
            "prevented_continuation": true, "stop_reason": "enough", "has_output": true, "summary_id": "sum",
            "uuid": "uuid", "session_id": "s1"})
    );
}

#[test]
fn pieces_come_only_where_they_are_wanted() {
    let index = 0;
    let all = [
        Delta::Start { id: "m1".into(), model: "haiku".into() },
        Delta::Usage(Usage { input_tokens: 5, ..Usage::default() }),
        Delta::BlockStart { index, block: Block::Text(String::new()) },
        Delta::Text { index, text: "he".into() },
        Delta::BlockStop { index },
        Delta::BlockStart { index: 1, block: call("t1", "ls") },
        Delta::Usage(Usage { input_tokens: 5, output_tokens: 7, ..Usage::default() }),
        Delta::Stop(StopReason::ToolUse),
    ];
    let lines = |wanted: StreamOptions| -> Vec<Value> {
        let mut stream = Stream::new(wanted, Ids::fixed());
        stream.lines(&opened());
        let shown = all.iter().map(|delta| stream.lines(&main_says(UpdateKind::Piece(delta.clone()))));
        shown.collect::<String>().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert!(lines(StreamOptions::default()).is_empty());
    let seen = lines(StreamOptions { pieces: true, ..StreamOptions::default() });
    assert!(
        seen.iter().all(|line| line["type"] == "stream_event" && line["session_id"] == "s1"),
        "{seen:#?}"
    );
    let tokens = |input: u64, output: u64| json!({"input_tokens": input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": output});
    let delta =
        |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let events: Vec<&Value> = seen.iter().map(|line| &line["event"]).collect();
    let expected = [
        json!({"type": "message_start", "message": {"id": "m1", "type": "message", "role": "assistant", "model": "haiku",
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": tokens(5, 0)}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        delta(0, json!({"type": "text_delta", "text": "he"})),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}}),
        delta(1, json!({"type": "input_json_delta", "partial_json": "{\"command\":\"ls\"}"})),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": null}, "usage": tokens(5, 7)}),
        json!({"type": "message_stop"}),
    ];
    assert_eq!(events, expected.iter().collect::<Vec<_>>());
}

#[test]
fn an_answer_that_failed_begins_again_and_subagents_do_not_mix() {
    let start = |id: &str| UpdateKind::Piece(Delta::Start { id: id.into(), model: "haiku".into() });
    let begun = UpdateKind::Piece(Delta::BlockStart { index: 0, block: Block::Text(String::new()) });
    let stop = UpdateKind::Piece(Delta::Stop(StopReason::EndTurn));
    let mut stream = Stream::new(
        StreamOptions { pieces: true, subagents: true, ..StreamOptions::default() },
        Ids::fixed(),
    );
    let of = || Origin::Subagent { id: "a1".into(), tool_use_id: "t9".into() };
    let sub = |what| SessionEvent::Update(Box::new(Update { of: of(), what }));
    let shown = [
        main_says(start("m1")),
        main_says(begun.clone()),
        sub(start("m2")),
        main_says(start("m3")),
        sub(begun),
        main_says(stop.clone()),
        sub(stop),
    ];
    let lines: String = shown.iter().map(|shown| stream.lines(shown)).collect();
    let of = |parent: Value| -> Vec<String> {
        let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let kind = |line: Value| line["event"]["type"].as_str().unwrap().to_owned();
        lines.filter(|line| line["parent_tool_use_id"] == parent).map(kind).collect()
    };
    let (start, block, end) = ("message_start", "content_block_start", ["message_delta", "message_stop"]);
    assert_eq!(of(Value::Null), [start, block, start, end[0], end[1]]);
    assert_eq!(of(json!("t9")), [start, block, "content_block_stop", end[0], end[1]]);
}

#[test]
fn background_tasks_are_listed_as_they_come_and_go() {
    let mut stream = Stream::new(StreamOptions::default(), Ids::fixed());
    stream.lines(&opened());
    let task = |status: &str| UpdateKind::Task {
        id: "a1".into(),
        status: status.into(),
        kind: TaskKind::Agent { agent_type: "Explore".into() },
        description: "looks".into(),
        output_file: "/t/a1".into(),
    };
    let of = Origin::Subagent { id: "a1".into(), tool_use_id: "t9".into() };
    let works = UpdateKind::CallStarted { tool_use_id: "t2".into(), tool: "Grep".into() };
    let works = SessionEvent::Update(Box::new(Update { of, what: works }));
    let shown = [main_says(task("running")), works, main_says(task("killed"))];
    let lines: String = shown.iter().map(|shown| stream.lines(shown)).collect();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let subtypes: Vec<&str> = lines.iter().map(|line| line["subtype"].as_str().unwrap()).collect();
    assert_eq!(
        subtypes,
        [
            "background_tasks_changed",
            "task_started",
            "task_progress",
            "task_updated",
            "task_notification",
            "background_tasks_changed"
        ]
    );
    assert_eq!(
        lines[0]["tasks"],
        json!([{"task_id": "a1", "task_type": "local_agent", "subagent_type": "Explore", "description": "looks"}])
    );
    assert_eq!((&lines[1]["task_type"], &lines[1]["is_backgrounded"]), (&json!("local_agent"), &json!(true)));
    assert_eq!((&lines[2]["last_tool_name"], &lines[2]["usage"]["tool_uses"]), (&json!("Grep"), &json!(1)));
    assert_eq!((&lines[3]["patch"]["status"], &lines[4]["status"]), (&json!("killed"), &json!("stopped")));
    assert_eq!((&lines[4]["usage"]["tool_uses"], &lines[5]["tasks"]), (&json!(1), &json!([])));
}

#[test]
fn a_cleared_conversation_is_reset_under_its_old_id() {
    let value: Value = serde_json::from_str(&line(
        StreamOptions::default(),
        &main_says(UpdateKind::Cleared { session: "s2".into() }),
    ))
    .unwrap();
    assert_eq!(
        value,
        json!({"type": "conversation_reset", "new_conversation_id": "s2", "trigger": "clear", "session_id": "s1", "uuid": "uuid"})
    );
}

#[test]
fn what_a_subagent_does_names_the_call_that_started_it() {
    // rule: N4
    let of = Origin::Subagent { id: "a1".into(), tool_use_id: "t9".into() };
    let shown =
        SessionEvent::Update(Box::new(Update { of, what: answered(vec![Block::Text("hi".into())], None) }));
    let wanted = StreamOptions { subagents: true, ..StreamOptions::default() };
    let value: Value = serde_json::from_str(&line(wanted, &shown)).unwrap();
    assert_eq!(value["parent_tool_use_id"], "t9");
    assert_eq!(line(StreamOptions::default(), &shown), "", "what a subagent says is left out by default");
}

#[test]
fn what_a_hook_puts_in_the_place_of_a_text_is_the_text_that_is_shown() {
    // rule: D11
    let content = vec![Block::Text("the key is 1234".into()), call("t1", "ls"), Block::Text("1234".into())];
    let shown = line(StreamOptions::default(), &main_says(answered(content, Some("the key is ****"))));
    let value: Value = serde_json::from_str(&shown).unwrap();
    let blocks = value["message"]["content"].as_array().unwrap();
    assert!(!shown.contains("1234") && blocks.len() == 2, "{shown}");
    assert_eq!(blocks[0], json!({"type": "text", "text": "the key is ****"}));
}

#[test]
fn every_end_has_its_words_and_says_whether_it_is_an_error() {
    let because = || "because".to_owned();
    let deferred = DeferredCall { id: "t1".into(), name: "Bash".into(), input: serde_json::Map::new() };
    for (reason, subtype, terminal, stop, error) in [
        (EndReason::Completed, "success", "completed", json!("end_turn"), None),
        (EndReason::Capped { cap: 8 }, "success", "capped", json!("end_turn"), None),
        (
            EndReason::HookStopped { because: because(), by: None },
            "success",
            "hook_stopped",
            json!(because()),
            None,
        ),
        (
            EndReason::Deferred { calls: vec![deferred] },
            "success",
            "tool_deferred",
            json!("tool_deferred"),
            None,
        ),
        (
            EndReason::DeferredUnavailable { tool_name: "Gone".into() },
            "error_during_execution",
            "tool_deferred_unavailable",
            json!("tool_deferred_unavailable"),
            Some("`Gone`"),
        ),
        (EndReason::MaxTurns { limit: 3 }, "error_max_turns", "max_turns", Value::Null, Some("3 answers")),
        (
            EndReason::Interrupted,
            "error_during_execution",
            "aborted_streaming",
            Value::Null,
            Some("interrupted"),
        ),
        (
            EndReason::PromptRejected { because: because(), by: None },
            "error_during_execution",
            "prompt_rejected",
            Value::Null,
            Some("because"),
        ),
        (
            EndReason::ApiError {
                class: "rate_limit".into(),
                message: "slow down".into(),
                status: Some(429),
            },
            "success",
            "api_error",
            Value::Null,
            Some("(rate_limit): slow down"),
        ),
        (
            EndReason::TooLong { message: "too long".into() },
            "error_during_execution",
            "prompt_too_long",
            Value::Null,
            Some("too long"),
        ),
        (
            EndReason::DeniedTooOften { times: 3 },
            "error_during_execution",
            "denied_too_often",
            Value::Null,
            Some("3 calls"),
        ),
    ] {
        let value = serde_json::to_value(of_end(&end(reason, ""))).unwrap();
        assert_eq!((&value["subtype"], &value["terminal_reason"]), (&json!(subtype), &json!(terminal)));
        assert_eq!(
            (&value["is_error"], &value["stop_reason"]),
            (&json!(error.is_some()), &stop),
            "{terminal}"
        );
        let told = value["errors"][0].as_str();
        assert_eq!(told.is_some(), error.is_some(), "{terminal}");
        assert!(told.unwrap_or_default().contains(error.unwrap_or_default()), "{terminal}: {told:?}");
        assert_eq!(
            value["result"].as_str().unwrap().is_empty(),
            error.is_none() && terminal != "hook_stopped"
        );
    }
}

#[test]
fn a_result_is_one_object_in_the_order_that_scripts_know() {
    let denial = Denial {
        tool_name: "Bash".into(),
        tool_use_id: "t1".into(),
        tool_input: json!({"command": "rm -rf /"}).as_object().cloned().unwrap(),
        because: "no".into(),
    };
    let done = TurnEnd { denials: vec![denial], ..end(EndReason::Completed, "done") };
    assert_eq!(
        line(StreamOptions::default(), &SessionEvent::Ended(Box::new(of_end(&done)))),
        concat!(
            r#"{"type":"result","subtype":"success","is_error":false,"duration_ms":1500,"duration_api_ms":900,"#,
            r#""num_turns":3,"result":"done","stop_reason":"end_turn","session_id":"s1","total_cost_usd":null,"#,
            r#""usage":{"input_tokens":5,"cache_creation_input_tokens":1,"cache_read_input_tokens":2,"output_tokens":7},"#,
            r#""modelUsage":{},"permission_denials":[{"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"rm -rf /"}}],"#,
            r#""terminal_reason":"completed","uuid":"uuid"}"#
        )
    );
}

#[test]
fn deferred_calls_are_all_told_and_the_last_apart() {
    // rule: D10
    let call = |id: &str| DeferredCall { id: id.into(), name: "Bash".into(), input: serde_json::Map::new() };
    let reason = EndReason::Deferred { calls: vec![call("t1"), call("t2")] };
    let value = serde_json::to_value(of_end(&end(reason, "wait"))).unwrap();
    assert_eq!(value["deferred_tool_use"], json!({"id": "t2", "name": "Bash", "input": {}}));
    assert_eq!(value["deferred_tool_uses"].as_array().unwrap().len(), 2);
}

#[test]
fn lines_that_are_read_are_messages_or_say_what_is_wrong() {
    let text = |line: &str| read_line(line).unwrap();
    let message = |content, verbatim| {
        let (sent, ignored) = (MessageMetadata::default(), Vec::new());
        Line::Message { content, verbatim, queries: true, sent, ignored }
    };
    let words = || vec![Block::Text("hi".to_owned())];
    let hi = || Some(message(words(), false));
    assert_eq!(text(r#"{"type":"user","message":{"role":"user","content":"hi"},"session_id":""}"#), hi());
    assert_eq!(text(r#"{"type":"user","message":{"content":[{"type":"text","text":"hi"}]}}"#), hi());
    for (composed, expected) in
        [("true", true), ("false", false), ("null", false), ("1", true), ("\"no\"", true)]
    {
        let line = format!(r#"{{"type":"user","message":{{"content":"hi"}},"client_composed":{composed}}}"#);
        assert_eq!(text(&line), Some(message(words(), expected)), "{line}");
    }
    assert_eq!(text("  \n"), None);
    let image = r#"{"type":"user","message":{"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]}}"#;
    let image = text(image).unwrap();
    let block = Block::Image { media_type: "image/png".into(), data: "AA==".into() };
    assert_eq!(image, message(vec![block], false));
    let blank = text(r#"{"type":"user","message":{"content":" "}}"#);
    assert_eq!(blank, Some(message(vec![Block::Text(" ".to_owned())], false)));
    assert_eq!(text(r#"{"type":"user","message":{"content":[]}}"#), Some(message(Vec::new(), false)));
    // rule: O11
    let half = text(r#"{"type":"user","message":{"content":"cut \ud83d"}}"#);
    assert_eq!(half, Some(message(vec![Block::Text("cut \u{fffd}".to_owned())], false)));
    let more = r#"{"type":"user","message":{"content":"hi"},"shouldQuery":false,"priority":"now","timestamp":"t",
        "parent_tool_use_id":"t1","colour":false}"#;
    let Some(Line::Message { queries, ignored, .. }) = text(more) else { panic!("it is a message") };
    assert_eq!((queries, ignored), (false, vec!["priority".to_owned(), "parent_tool_use_id".to_owned()]));
    let request = text(r#"{"type":"control_request","request_id":"r1"}"#).unwrap();
    assert!(matches!(request, Line::Control(fields) if fields["request_id"] == "r1"));
    for (line, said) in [
        ("{", "is not valid JSON"),
        ("[]", "must be a JSON object"),
        (r#"{"type":"assistant"}"#, "`type` is `\"assistant\"`"),
        ("{}", "`type` is missing"),
        (r#"{"type":"user"}"#, "no `message`"),
        (r#"{"type":"user","message":{"role":"assistant","content":"x"}}"#, "`message.role`"),
        (r#"{"type":"user","message":{"content":7}}"#, "no `message`"),
        (r#"{"type":"user","message":{"content":"x"},"shouldQuery":"no"}"#, "`shouldQuery` is `\"no\"`"),
        (r#"{"type":"user","message":{"content":[{"type":"text","text":"a"},7]}}"#, "block 2"),
        (r#"{"type":"user","message":{"content":[{"type":"text"}]}}"#, "has no `text`"),
        (r#"{"type":"user","message":{"content":[{"type":"video"}]}}"#, "neither"),
        // rule: L2
        (
            r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}"#,
            "only the agent makes those",
        ),
    ] {
        let error = read_line(line).unwrap_err().to_string();
        assert!(error.contains(said), "{line}: {error}");
    }
}

/// Returns everything that a user sees of the events: stderr, then stdout.
fn seen(telling: Verbosity, all: &[SessionEvent]) -> (String, String) {
    let mut live = Live::new(telling);
    let (mut err, mut out) = (String::new(), String::new());
    for shown in all {
        let page = live.page(shown);
        err.push_str(&page.stderr);
        out.push_str(&page.stdout);
    }
    (anstream::adapter::strip_str(&err).to_string(), out)
}

fn a_session() -> Vec<SessionEvent> {
    let started = |id: &str| UpdateKind::CallStarted { tool_use_id: id.into(), tool: "Bash".into() };
    let ended = SessionEvent::Ended(Box::new(of_end(&end(EndReason::Completed, "All tidy."))));
    let mut session = vec![opened()];
    session.extend(
        [
            answered(vec![Block::Text("I look.".into()), call("t1", "ls"), call("t2", "rm -rf /")], None),
            started("t1"),
            started("t2"),
            UpdateKind::UserMessage {
                content: vec![result("t1", "a", false), result("t2", "denied: no", true)],
                hidden: false,
            },
            notice(Some("PreToolUse:Bash"), "mind the \u{1b}[2Jgap", false),
            answered(vec![Block::Text("Done?".into())], None),
            answered(vec![Block::Text("All tidy.".into())], None),
        ]
        .map(main_says),
    );
    session.push(ended);
    session
}

#[test]
fn a_person_sees_each_call_once_and_the_last_answer_on_stdout() {
    let (err, out) = seen(Verbosity::Work, &a_session());
    assert_eq!(out, "All tidy.\n");
    assert_eq!(
        err,
        "> tidy up  haiku\n\
         I look.\n\
         Bash  ls\n\
         Bash  rm -rf /\n\
         \u{20} denied: no\n\
         PreToolUse:Bash mind the \\u{1b}[2Jgap\n\
         Done?\n\
         done  3 answers · 2 calls · 15 + 21 tokens · 1.5 s · session s1\n"
    );
}

#[test]
fn a_script_sees_the_answer_and_what_must_not_be_missed() {
    let (err, out) = seen(Verbosity::Needed, &a_session());
    assert_eq!((err.as_str(), out.as_str()), ("PreToolUse:Bash mind the \\u{1b}[2Jgap\n", "All tidy.\n"));
    let failed =
        end(EndReason::ApiError { class: "overloaded".into(), message: "529".into(), status: Some(529) }, "");
    let (err, out) = seen(Verbosity::Needed, &[opened(), SessionEvent::Ended(Box::new(of_end(&failed)))]);
    assert_eq!((err.as_str(), out.as_str()), ("error: the model gave no answer (overloaded): 529\n", ""));
}
