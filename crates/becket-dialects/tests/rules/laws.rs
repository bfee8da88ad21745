//! Laws of every dialect.

use crate::fixtures::{payload, payload_if_any, resolution};
use becket_dialects::{
    ALL, Ability, Action, Asks, Dialect, Effect, Facts, Fate, Reply, Resolution, answer, fates, read, refuse,
};
use becket_model::EventKind;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn dialects() -> impl Strategy<Value = &'static Dialect> {
    proptest::sample::select(ALL.to_vec())
}

fn asks() -> impl Strategy<Value = Asks> {
    prop_oneof![Just(Asks::Auto), Just(Asks::Deny), Just(Asks::Pass)]
}

/// Generates an answer of a hook that denies or asks, with any other fields.
fn restrictions() -> impl Strategy<Value = Map<String, Value>> {
    let own = (
        proptest::sample::select(vec!["deny", "ask", "defer"]),
        proptest::option::of("[ -~\n]{0,40}"),
        proptest::option::of("[ -~\n]{0,40}"),
        any::<bool>(),
    );
    (own, any::<bool>(), proptest::option::of("[ -~]{0,20}")).prop_map(
        |((decision, reason, context, rewrites), stops, message)| {
            let mut own = json!({"hookEventName": "PreToolUse", "permissionDecision": decision});
            if let Some(reason) = reason {
                own["permissionDecisionReason"] = json!(reason);
            }
            if let Some(context) = context {
                own["additionalContext"] = json!(context);
            }
            if rewrites {
                own["updatedInput"] = json!({"command": "true"});
            }
            let mut top = Map::from_iter([("hookSpecificOutput".to_owned(), own)]);
            if stops {
                top.insert("continue".to_owned(), json!(false));
            }
            if let Some(message) = message {
                top.insert("systemMessage".to_owned(), json!(message));
            }
            top
        },
    )
}

fn json_values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::hash_map("[a-z_]{1,10}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    // rules: D1, D3, D6
    #[test]
    fn no_deny_and_no_ask_becomes_an_answer_that_runs_the_call(
        dialect in dialects(), json in restrictions(), asks in asks()
    ) {
        let incoming = read(dialect, payload(dialect, "shell"), &Facts::new("/work")).unwrap();
        let is_ask = json["hookSpecificOutput"]["permissionDecision"] != "deny" && !json.contains_key("continue");
        let mut restricted = resolution(EventKind::PreToolUse, &json);
        // The answer of the protocol itself is passed on as it is.
        if dialect.name == "claude" && is_ask && asks != Asks::Deny {
            restricted.json["hookSpecificOutput"]["permissionDecision"] = json!("ask");
        }
        let reply = answer(dialect, &incoming, vec![restricted], asks);
        let effect = dialect.effect_of(&reply.answer);
        prop_assert_ne!(effect, Effect::Runs, "{:?}", reply);
        if !is_ask || asks == Asks::Deny {
            prop_assert_ne!(effect, Effect::Asks, "{:?}", reply);
        }
    }

    // rule: D1
    #[test]
    fn one_deny_of_several_calls_denies_all(dialect in dialects(), at in 0_usize..3, allows in any::<bool>()) {
        let incoming = read(dialect, payload(dialect, "shell"), &Facts::new("/work")).unwrap();
        let other = || Resolution {
            action: if allows { Action::Allow } else { Action::Proceed }, ..Resolution::default()
        };
        let mut all = vec![other(), other(), other()];
        all[at] = Resolution::denied("no");
        let reply = answer(dialect, &incoming, all, Asks::Auto);
        prop_assert_ne!(dialect.effect_of(&reply.answer), Effect::Runs, "{:?}", reply);
    }

    // rules: D4, D9
    #[test]
    fn the_models_own_input_does_not_run_where_a_hook_rewrote_it(dialect in dialects(), asks in asks()) {
        prop_assume!(dialect.name != "claude");
        let incoming = read(dialect, payload(dialect, "shell"), &Facts::new("/work")).unwrap();
        let rewrite = json!({"command": "something else"}).as_object().cloned();
        let reply = answer(dialect, &incoming, vec![Resolution { rewrite, ..Resolution::default() }], asks);
        let is_kept = reply.answer.stdout.contains("something else");
        prop_assert!(is_kept || dialect.effect_of(&reply.answer) != Effect::Runs, "{:?}", reply);
    }

    // rules: O10, C7b
    #[test]
    fn reading_is_total_and_what_is_not_understood_is_refused(dialect in dialects(), noise in json_values()) {
        let mut broken = payload(dialect, "shell");
        for field in ["tool_name", "tool_input", "tool_call", "tool_info", "command"] {
            if broken.get(field).is_some() {
                broken[field] = noise.clone();
            }
        }
        for payload in [noise, broken] {
            if let Err(error) = read(dialect, payload.clone(), &Facts::new("/work")) {
                let refused = refuse(dialect, &payload, &error.to_string());
                prop_assert_ne!(dialect.effect_of(&refused), Effect::Runs, "{:?}", refused);
            }
        }
    }

    // rule: N5
    #[test]
    fn a_call_without_an_id_has_the_same_one_before_and_after(command in "[ -~]{0,40}") {
        let gemini = becket_dialects::dialect("gemini").unwrap();
        let payload = |event: &str, input: Value| json!({
            "hook_event_name": event, "session_id": "s", "cwd": "/work", "tool_name": "run_shell_command",
            "tool_input": input, "tool_response": "x",
        });
        let id = |payload| read(gemini, payload, &Facts::new("/")).unwrap().call.unwrap().id;
        let before = id(payload("BeforeTool", json!({"command": command, "description": "d"})));
        let after = id(payload("AfterTool", json!({"description": "d", "command": command})));
        prop_assert_eq!(before, after);
    }
}

// rules: N1, N3
#[test]
fn a_prompt_without_text_is_an_event_unless_the_agent_repeats_it() {
    // The payloads of Cline have no prompt.
    for dialect in ALL.into_iter().filter(|dialect| dialect.name != "cline") {
        let text = payload(dialect, "prompt").to_string().replace("hello", "");
        let incoming = read(dialect, serde_json::from_str(&text).unwrap(), &Facts::new("/work")).unwrap();
        let expected = if dialect.name == "qwen" { 0 } else { 1 };
        assert_eq!(incoming.events.len(), expected, "{}", dialect.name);
    }
}

// rules: D5, D11
#[test]
fn the_documented_fates_are_those_of_the_answers() {
    for dialect in ALL.into_iter().filter(|dialect| dialect.name != "claude") {
        let incoming = read(dialect, payload(dialect, "shell"), &Facts::new("/work")).unwrap();
        let context = Resolution { context: Some("CONTEXT".to_owned()), ..Resolution::default() };
        let reply = answer(dialect, &incoming, vec![context], Asks::Auto);
        let fate = fates(dialect, EventKind::PreToolUse);
        let fate = fate.iter().find(|(ability, _)| *ability == Ability::Context).unwrap().1;
        let found =
            (reply.answer.stdout.contains("CONTEXT"), reply.carried.is_some(), !reply.lost.is_empty());
        let expected = match fate {
            Fate::Kept => (true, false, false),
            Fate::Weakened(_) => (false, true, false),
            Fate::Lost(_) => (false, false, true),
        };
        assert_eq!(found, expected, "{}", dialect.name);
    }
}

/// Returns the answer of a dialect's event to one answer of a hook, and the fate of an ability there.
fn answered(dialect: &'static Dialect, name: &str, json: &Value, ability: Ability) -> Option<(Reply, Fate)> {
    let incoming = read(dialect, payload_if_any(dialect, name)?, &Facts::new("/work")).ok()?;
    let kind = incoming.row?.kind;
    let (_, fate) = fates(dialect, kind).into_iter().find(|(known, _)| *known == ability)?;
    let reply = answer(dialect, &incoming, vec![resolution(kind, json.as_object()?)], Asks::Auto);
    Some((reply, fate))
}

// rules: D6, L4
#[test]
fn a_stop_holds_back_what_an_agent_would_go_on_with() {
    let stop = json!({"continue": false, "stopReason": "STOP"});
    let others = || ALL.into_iter().filter(|dialect| dialect.name != "claude");
    let mut blocked = 0;
    for (dialect, name) in others().flat_map(|dialect| ["prompt", "result"].map(|name| (dialect, name))) {
        let Some((reply, fate)) = answered(dialect, name, &stop, Ability::Stop) else { continue };
        let is_said = reply.answer.stdout.contains("STOP") || reply.answer.stderr.contains("STOP");
        let is_block = reply.refusal.as_deref() == Some("STOP");
        let context = format!("{} {name}: {reply:?}", dialect.name);
        match fate {
            Fate::Kept => assert!(is_said && !is_block, "{context}"),
            Fate::Weakened("a block") => assert!(is_said && is_block, "{context}"),
            Fate::Weakened(_) => assert!(is_said, "{context}"),
            Fate::Lost(_) => assert_eq!(reply.lost, ["a block"], "{context}"),
        }
        blocked += usize::from(is_block);
    }
    assert!(blocked > 10, "{blocked}");
    // At the end of a turn a block would continue it.
    let both = json!({"continue": false, "stopReason": "STOP", "decision": "block", "reason": "go on"});
    for (dialect, json) in others().flat_map(|dialect| [&stop, &both].map(|json| (dialect, json))) {
        let Some((reply, fate)) = answered(dialect, "stop", json, Ability::Stop) else { continue };
        let is_stopped = reply.answer.stdout.contains("STOP") || reply.refusal.is_none();
        assert!(fate == Fate::Kept && is_stopped, "{}: {reply:?}", dialect.name);
    }
}

// rule: D8
#[test]
fn a_replaced_output_that_an_agent_does_not_take_is_reported() {
    let replaced =
        json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "NEW"}});
    for dialect in ALL {
        let Some((reply, fate)) = answered(dialect, "result", &replaced, Ability::Output) else { continue };
        let told = format!("{}{}", reply.answer.stdout, reply.answer.stderr);
        let is_lost = matches!(fate, Fate::Lost(_));
        assert_eq!(is_lost, told.contains("shows the model the original"), "{}: {told}", dialect.name);
        assert_eq!(!is_lost, told.contains("NEW"), "{}: {told}", dialect.name);
        assert_eq!(is_lost, !reply.lost.is_empty(), "{}", dialect.name);
        // It blocks nothing, even if it has the form of a block.
        assert_eq!(reply.refusal, None, "{}", dialect.name);
    }
}

// rule: P7
#[test]
fn a_search_is_read_as_what_its_input_says() {
    let hermes = becket_dialects::dialect("hermes").unwrap();
    for (target, expected) in [
        (json!(null), vec!["Grep"]),
        (json!("content"), vec!["Grep"]),
        (json!("files"), vec!["Glob"]),
        (json!("find"), vec!["Glob"]),
        (json!("both"), vec!["Grep", "Glob"]),
        (json!(["files"]), vec!["Grep", "Glob"]),
    ] {
        let mut payload = payload(hermes, "shell");
        payload["tool_name"] = json!("search_files");
        payload["tool_input"] = json!({"pattern": "*.py", "target": target, "path": "src"});
        let read = read(hermes, payload, &Facts::new("/work")).unwrap();
        let tools: Vec<_> = read.events.iter().filter_map(|event| Some(event.body.tool_call()?.0)).collect();
        assert_eq!(tools, expected, "{target}");
    }
}
