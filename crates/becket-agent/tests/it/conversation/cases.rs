//! Single conversations, as data, and errors that types alone can't prevent.

use crate::conversation::checker::refusal;
use crate::conversation::moves::answer;
use becket_agent::conversation::{AnswerError, Conversation, Next, OpenCalls, SayError};
use becket_llm::{Block, Message, Object, Role};
use serde_json::{Value, json};

const CASES: &str = include_str!("../../cases/conversation.json");

enum At {
    Whole(Conversation),
    Open(OpenCalls),
}

// rules: L2, L4, D10
#[test]
fn the_messages_of_each_case() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    for case in &cases {
        let mut at = At::Whole(Conversation::default());
        for step in case["steps"].as_array().unwrap() {
            at = step_of(at, step.as_object().unwrap());
        }
        let At::Whole(conversation) = at else { panic!("{}: calls are open", case["name"]) };
        let messages = conversation.messages();
        let shown: Vec<String> = messages.iter().map(shown).collect();
        let expected: Vec<&str> =
            case["messages"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(shown, expected, "{}", case["name"]);
        assert_eq!(refusal(&messages), None, "{}", case["name"]);
    }
    assert!(cases.len() >= 20);
}

fn step_of(at: At, step: &Object) -> At {
    let (name, with) = step.iter().next().unwrap();
    let text = with.as_str().unwrap_or_default();
    match (at, name.as_str()) {
        (At::Whole(mut conversation), "say") => {
            conversation.say(blocks(with)).unwrap();
            At::Whole(conversation)
        }
        (At::Whole(mut conversation), "beside") => {
            conversation.beside(text);
            At::Whole(conversation)
        }
        (At::Whole(mut conversation), "feedback") => {
            conversation.feedback(text);
            At::Whole(conversation)
        }
        (At::Whole(mut conversation), "summary") => {
            conversation.replace_by_summary("sum", usize::try_from(with.as_u64().unwrap()).unwrap()).unwrap();
            At::Whole(conversation)
        }
        (At::Whole(conversation), "answered") => match conversation.answered(answer(blocks(with), 0)) {
            Next::Done(conversation) => At::Whole(conversation),
            Next::Calls(calls) => At::Open(calls),
        },
        (At::Open(calls), _) => open_step(calls, name, with),
        (At::Whole(_), other) => panic!("`{other}` of a whole conversation"),
    }
}

fn open_step(mut calls: OpenCalls, name: &str, with: &Value) -> At {
    match name {
        "result" | "error" => {
            calls.answer(with[0].as_str().unwrap(), blocks(&with[1]), name == "error").unwrap();
        }
        "beside_call" => calls.beside_call(with[0].as_str().unwrap(), with[1].as_str().unwrap()).unwrap(),
        "beside" => calls.beside(with.as_str().unwrap()),
        "close" => return At::Whole(calls.close(with.as_str().unwrap())),
        "defer_then_resume" | "defer_then_cancel" => {
            let ids: Vec<&str> = with.as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let deferred = calls.defer(&ids, "not put off").unwrap();
            return if name.ends_with("resume") {
                At::Open(deferred.resume())
            } else {
                At::Whole(deferred.cancelled())
            };
        }
        "calls" => {
            let open: Vec<Value> = calls.calls().into_iter().map(|call| Value::from(call.id)).collect();
            assert_eq!(with, &Value::from(open));
        }
        other => panic!("`{other}` of open calls"),
    }
    At::Open(calls)
}

/// Parses a text, or blocks in short form: `["call", id, name]`, `["text", …]`, `["thought", text, signature]`,
/// `["image", type]`; an object is an unknown block.
fn blocks(value: &Value) -> Vec<Block> {
    let Some(list) = value.as_array() else { return vec![Block::Text(value.as_str().unwrap().into())] };
    let block = |block: &Value| {
        let text = |at: usize| block[at].as_str().unwrap_or_default().to_owned();
        match block[0].as_str() {
            None => Block::Other(block.clone()),
            Some("text") => Block::Text(text(1)),
            Some("call") => Block::ToolUse { id: text(1), name: text(2), input: Object::new() },
            Some("thought") => Block::Thinking { text: text(1), signature: text(2) },
            Some("image") => Block::Image { media_type: text(1), data: "AAAA".into() },
            Some(other) => panic!("no block is called {other}"),
        }
    };
    list.iter().map(block).collect()
}

fn shown(message: &Message) -> String {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "model",
    };
    let blocks: Vec<String> = message.content.iter().map(shown_block).collect();
    format!("{role}: {}", blocks.join(" | "))
}

fn shown_block(block: &Block) -> String {
    match block {
        Block::Text(text) => text.replace("<system-reminder>\n", "<<").replace("\n</system-reminder>", ">>"),
        Block::Image { media_type, .. } => format!("[{media_type}]"),
        Block::ToolUse { id, name, .. } => format!("{name}({id})"),
        Block::ToolResult { tool_use_id, content, is_error } => {
            let content: Vec<String> = content.iter().map(shown_block).collect();
            format!("{tool_use_id}{} {}", if *is_error { "!" } else { ":" }, content.join(", "))
        }
        Block::Thinking { text, .. } => format!("({text})"),
        Block::RedactedThinking { .. } => "(redacted)".into(),
        Block::Other(value) => value["type"].as_str().unwrap_or("?").to_owned(),
    }
}

fn call(id: &str) -> Block {
    Block::ToolUse { id: id.into(), name: "Bash".into(), input: Object::new() }
}

fn open(content: Vec<Block>) -> OpenCalls {
    let mut conversation = Conversation::default();
    conversation.say(vec![Block::Text("go".into())]).unwrap();
    match conversation.answered(answer(content, 0)) {
        Next::Calls(calls) => calls,
        Next::Done(_) => panic!("no calls"),
    }
}

// rule: L2
#[test]
fn a_wrong_result_is_named_and_changes_nothing() {
    let mut calls = open(vec![call("a"), call("b")]);
    calls.answer("a", vec![Block::Text("first".into())], false).unwrap();
    let twice = calls.answer("a", vec![Block::Text("second".into())], true);
    assert_eq!(twice, Err(AnswerError::AlreadyAnswered { id: "a".into() }));
    let unknown = AnswerError::Unknown { id: "c".into() };
    assert_eq!(calls.answer("c", Vec::new(), false), Err(unknown.clone()));
    assert_eq!(calls.beside_call("c", "text"), Err(unknown));
    assert!(!calls.are_answered());
    let messages = calls.close("stopped").messages();
    assert_eq!(shown(&messages[2]), "user: a: first | b! stopped");
}

// rule: D10
#[test]
fn only_open_calls_can_be_put_off() {
    let mut calls = open(vec![call("a"), call("b")]);
    calls.answer("a", Vec::new(), false).unwrap();
    let error = calls.defer(&["b", "a"], "stopped").unwrap_err();
    assert_eq!(error.id.as_deref(), Some("a"));
    let error = error.calls.defer::<&str>(&[], "stopped").unwrap_err();
    assert_eq!(error.to_string(), "no call is named: close the calls instead");
    let deferred = error.calls.defer(&["b"], "stopped").unwrap();
    let ids: Vec<String> = deferred.calls().into_iter().map(|call| call.id).collect();
    assert_eq!(ids, ["b"]);
}

// rule: L2
#[test]
fn a_user_cannot_say_a_result() {
    let mut conversation = Conversation::default();
    let result = Block::ToolResult { tool_use_id: "a".into(), content: Vec::new(), is_error: false };
    let said = conversation.say(vec![Block::Text("hi".into()), result]);
    assert_eq!(said, Err(SayError::NotForUsers { kind: "tool_result".into() }));
    assert_eq!(conversation.say(vec![Block::Text(" \n".into())]), Err(SayError::Empty));
    assert_eq!(conversation.say(Vec::new()), Err(SayError::Empty));
    assert_eq!(conversation.replace_by_summary("\n", 0), Err(SayError::Empty));
    assert!(conversation.is_empty() && conversation.take_entries().is_empty());
}

// rule: L2
#[test]
fn a_user_sends_an_image_as_data_by_its_address_or_by_its_id() {
    let image = |source: Value| Block::Other(json!({"type": "image", "source": source}));
    for source in
        [json!({"type": "url", "url": "https://x.example/i"}), json!({"type": "file", "file_id": "f1"})]
    {
        let mut conversation = Conversation::default();
        assert_eq!(conversation.say(vec![image(source.clone())]), Ok(()), "{source}");
    }
    for source in
        [json!({"type": "url"}), json!({"type": "url", "url": ""}), json!({"type": "x", "x": "y"}), json!(7)]
    {
        let mut conversation = Conversation::default();
        let said = conversation.say(vec![image(source.clone())]);
        assert_eq!(said, Err(SayError::NotForUsers { kind: "image".into() }), "{source}");
    }
}

// rule: L2
#[test]
fn a_thousand_calls_are_answered_in_their_order() {
    let ids: Vec<String> = (0..1_000).map(|number| format!("t{number}")).collect();
    let mut calls = open(ids.iter().map(|id| call(id)).collect());
    for id in ids.iter().rev().skip(3) {
        calls.answer(id, vec![Block::Text(id.clone())], false).unwrap();
    }
    let messages = calls.close("interrupted").messages();
    assert_eq!(refusal(&messages), None);
    let errors = |block: &&Block| matches!(block, Block::ToolResult { is_error: true, .. });
    assert_eq!(messages[2].content.iter().filter(errors).count(), 3);
}

#[test]
fn the_size_is_what_the_api_told_and_a_guess_for_the_rest() {
    let mut conversation = Conversation::default();
    conversation.say(vec![Block::Text("x".repeat(400))]).unwrap();
    assert_eq!(conversation.tokens(), 100);
    let Next::Done(mut conversation) = conversation.answered(answer(vec![Block::Text("y".repeat(40))], 0))
    else {
        panic!("no calls");
    };
    assert_eq!(conversation.tokens(), 110, "a provider that tells nothing");
    conversation.say(vec![Block::Text("x".into())]).unwrap();
    let Next::Done(mut conversation) = conversation.answered(answer(vec![Block::Text("y".into())], 2_000))
    else {
        panic!("no calls");
    };
    assert_eq!(conversation.tokens(), 3_000, "input and output");
    conversation.say(vec![Block::Text("z".repeat(80))]).unwrap();
    assert_eq!(conversation.tokens(), 3_020);
    conversation.replace_by_summary("s".repeat(40), 1).unwrap();
    assert_eq!(conversation.tokens(), 30, "the summary and the message that stayed");
}
