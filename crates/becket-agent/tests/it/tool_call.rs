//! Single tool calls as data: hooks, rules, mode and person in, the end and the executed input out.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::calls::{Does, Judge, Person, Place, Probe, Says, call_of, run};
use becket_agent::permission::AutoMode;
use becket_agent::tool_call::{CallEnd, DeniedBy, Report, ToolCalls};
use becket_engine::{Effect, ToolServer, ToolSet};
use serde_json::{Map, Value, json};

/// Returns the hook of a case: a command, or the fields of an answer.
fn command(event: &str, hook: &Value) -> String {
    if let Some(command) = hook.as_str() {
        return command.to_owned();
    }
    let mut answer = hook.clone();
    if hook.get("continue").is_none() {
        answer["hookEventName"] = event.into();
        answer = json!({"hookSpecificOutput": answer});
    }
    format!("cat <<'END'\n{answer}\nEND")
}

/// Returns the group of a hook: with `hook` it also has keys of its handler and of the group.
fn group(event: &str, hook: &Value) -> Value {
    let mut handler = json!({"type": "command", "command": command(event, hook.get("hook").unwrap_or(hook))});
    for key in ["onFailure", "timeout", "if"] {
        if let (Some(value), true) = (hook.get(key), hook.get("hook").is_some()) {
            handler[key] = value.clone();
        }
    }
    json!({"matcher": hook["matcher"], "hooks": [handler]})
}

fn settings(case: &Value) -> Value {
    let mut hooks = Map::new();
    for (event, list) in case["hooks"].as_object().into_iter().flatten() {
        let groups = list.as_array().unwrap().iter().map(|hook| group(event, hook));
        hooks.insert(event.clone(), groups.collect());
    }
    let permissions = case["permissions"].as_object().cloned().unwrap_or_default();
    let mut settings = json!({"hooks": hooks, "permissions": permissions});
    for (key, value) in case["settings"].as_object().into_iter().flatten() {
        settings[key] = value.clone();
    }
    settings
}

/// Returns the tool of a case.
fn probe(case: &Value) -> Probe {
    let other_name = if case["also"] == true { Some("Probe_before") } else { kept(&case["also"]) };
    let server = case["server"].as_str().map(|name| ToolServer::new(name, "project"));
    Probe {
        name: kept(&case["tool"]),
        does: case["fails"].as_str().map(|error| Does::Fails(error.into())).unwrap_or_default(),
        effect: effect(case["effect"].as_str()),
        requires_user: case["requires_user"] == true,
        other_name,
        server,
        ..Probe::default()
    }
}

/// Returns a text that outlives the test, since names of tools are borrowed.
fn kept(text: &Value) -> Option<&'static str> {
    text.as_str().map(|text| &*text.to_owned().leak())
}

fn effect(name: Option<&str>) -> Option<Effect> {
    name.map(|name| match name {
        "reads" => Effect::Reads,
        "edits" => Effect::Edits,
        "edits elsewhere" => Effect::EditsElsewhere,
        "edits protected" => Effect::EditsProtected,
        "acts and edits" => Effect::ActsAndEdits,
        other => panic!("no effect `{other}`"),
    })
}

fn ended(report: &Report) -> String {
    let by = |by| match by {
        DeniedBy::Hook => "hook",
        DeniedBy::Rule => "rule",
        DeniedBy::Mode => "mode",
        DeniedBy::Rewrite => "rewrite",
        DeniedBy::Person => "person",
        DeniedBy::Classifier => "classifier",
        DeniedBy::Nobody => "nobody",
    };
    match &report.ended {
        CallEnd::Done { .. } => "done".into(),
        CallEnd::Failed { .. } => "failed".into(),
        CallEnd::Denied { by: who, .. } => format!("denied by {}", by(*who)),
        CallEnd::Stopped { .. } => "stopped".into(),
        CallEnd::Deferred => "deferred".into(),
        CallEnd::Invalid { .. } => "invalid".into(),
        CallEnd::Cancelled { .. } => "cancelled".into(),
    }
}

fn person(case: &Value) -> Option<Person> {
    let says = match case["person"].as_str()? {
        "yes" => Says::Yes,
        "no" => Says::No,
        "panics" => Says::Panics,
        "silent" => Says::Nothing,
        "silent, then no" => Says::NothingThenNo,
        other => panic!("no person `{other}`"),
    };
    Some(Person::new(says))
}

async fn check(case: &Value) -> Result<(), String> {
    let place = Place::new();
    let probe = probe(case);
    let person = person(case);
    let known = if case["unknown"] == true { ToolSet::default() } else { probe.toolbox() };
    let engine = place.engine(&settings(case), person.is_some() || case["interactive"] == true, &known);
    let mut tools = ToolCalls::new(engine, probe.toolbox());
    if let Some(person) = &person {
        tools = tools.with_person(person.clone());
    }
    let judge = case["classifier"].as_str().map(|says| Judge::new(says.to_owned().leak()));
    if let Some(judge) = &judge {
        tools = tools.with_auto_mode(AutoMode::new(judge.clone()));
    }
    let input = if case["input"].is_null() { json!({"n": 1}) } else { case["input"].clone() };
    let call = call_of(probe.name.unwrap_or("Probe"), input.clone());
    let report = run(&tools, &place.session(case["mode"].as_str()), call).await;
    let (content, _) = report.for_model();
    let told =
        [content.iter().filter_map(|block| block.as_text()).collect(), report.beside().join("\n")].join("\n");
    let ran: Vec<Value> =
        if case["ran"] == true { vec![input] } else { case.get("ran").cloned().into_iter().collect() };
    let expect = |what: &str, got: &Value, wanted: &Value| {
        if got == wanted { Ok(()) } else { Err(format!("{what}: {got}, not {wanted}; told: {told}")) }
    };
    expect("ended", &json!(ended(&report)), &case["ended"])?;
    expect("ran", &json!(probe.ran()), &json!(ran))?;
    expect(
        "asked",
        &json!(person.map_or(0, |person| person.asked())),
        &json!(case["asked"].as_u64().unwrap_or(0)),
    )?;
    expect(
        "classified",
        &json!(judge.map_or(0, |judge| judge.asked().len())),
        &json!(case["classified"].as_u64().unwrap_or(0)),
    )?;
    expect("warned", &json!(report.warnings.len()), &json!(case["warned"].as_u64().unwrap_or(0)))?;
    expect("stop", &json!(report.stop().is_some()), &json!(case["stop"] == true))?;
    expect("interrupt", &json!(report.interrupt), &json!(case["interrupt"] == true))?;
    expect("updates", &json!(report.updates.len()), &json!(case["updates"].as_u64().unwrap_or(0)))?;
    for file in case["absent"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        expect(file, &json!(place.dir.join(file).exists()), &json!(false))?;
    }
    for says in case["says"].as_array().into_iter().flatten() {
        let says = says.as_str().unwrap();
        if !told.contains(says) {
            return Err(format!("it does not say `{says}`: {told}"));
        }
    }
    Ok(())
}

// The rules are in the cases.
#[tokio::test]
async fn calls_end_as_the_cases_say() {
    all(include_str!("../cases/tool_call.json")).await;
}

// The rules are in the cases.
#[tokio::test]
async fn nothing_gets_round_a_no_or_a_question() {
    all(include_str!("../cases/tool_call_attacks.json")).await;
}

// The rules are in the cases.
#[tokio::test]
async fn the_classifier_judges_what_nobody_else_decides() {
    all(include_str!("../cases/tool_call_auto.json")).await;
}

/// Returns the outcome of a call in a mode: `run`, `ask` (a person who denies), `deny` (without a prompt) or `judge`
/// (the classifier of mode `auto`, which allows).
async fn in_mode(row: &Value, mode: &str) -> String {
    let place = Place::new();
    let probe = Probe { effect: effect(row["effect"].as_str()), ..Probe::default() };
    let (person, judge) = (Person::new(Says::No), Judge::new("allow"));
    let mut settings = json!({"hooks": {
        "PreToolUse": [group("PreToolUse", row.get("hook").unwrap_or(&json!("cat >/dev/null")))],
        "PermissionRequest": [group("PermissionRequest", &json!("cat >/dev/null"))],
    }});
    if let Some(list) = row["rule"].as_str() {
        // A deny rule for the whole tool would remove it.
        let rule = if list == "allow" { "Probe" } else { "Probe(n:1)" };
        settings["permissions"] = json!({ list: [rule] });
    }
    let engine = place.engine(&settings, true, &probe.toolbox());
    let tools = ToolCalls::new(engine, probe.toolbox()).with_person(person.clone());
    let tools = tools.with_auto_mode(AutoMode::new(judge.clone()));
    let report = run(&tools, &place.session(Some(mode)), call_of("Probe", json!({"n": 1}))).await;
    let ran = probe.ran().len() == 1;
    match (ran, person.asked(), judge.asked().len()) {
        (true, 0, 0) => "run".into(),
        (true, 0, 1) => "judge".into(),
        (false, 1, 0) => "ask".into(),
        (false, 0, 0) => "deny".into(),
        other => format!("{other:?}: {:?}", report.ended),
    }
}

// rules: P14, P11, D3
#[tokio::test]
async fn each_mode_does_what_the_table_says() {
    let rows: Vec<Value> = serde_json::from_str(include_str!("../cases/modes.json")).unwrap();
    let mut wrong = Vec::new();
    for row in &rows {
        for mode in ["default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions"] {
            let got = in_mode(row, mode).await;
            if row[mode] != got.as_str() {
                wrong.push(format!("{row} in {mode}: {got}"));
            }
        }
    }
    assert!(rows.len() >= 20 && wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

async fn all(cases: &str) {
    let cases: Vec<Value> = serde_json::from_str(cases).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        if let Err(why) = check(case).await {
            wrong.push(format!("{}: {why}", case["name"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
