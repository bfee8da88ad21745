//! The host as the responder to questions of MCP servers.

use super::host::Host;
use super::place;
use becket_testkit::env::TestEnv;
use becket_testkit::proc::eventually;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

/// Returns the answer of the host's server before its tool is called.
fn response(message: &Value) -> Value {
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({"protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}}, "serverInfo": {"name": "desk", "version": "1"}}),
        "tools/list" => json!({"tools": [{"name": "book", "inputSchema": {"type": "object"}}]}),
        _ => json!({}),
    };
    json!({"mcp_response": {"jsonrpc": "2.0", "id": message["id"], "result": result}})
}

/// Serves until a line matches.
fn serves(host: &mut Host, is_it: impl Fn(&Value) -> bool) -> Value {
    loop {
        let line = host.until(|line| line["request"]["subtype"] == "mcp_message" || is_it(line));
        if is_it(&line) {
            return line;
        }
        let answer = response(&line["request"]["message"]);
        host.answers(&line, answer);
    }
}

fn desk(settings: &Value) -> TestEnv {
    let turns =
        json!([{"tool_uses": [{"id": "t1", "name": "mcp__desk__book", "input": {}}]}, {"text": "Done."}]);
    let mut settings = settings.clone();
    settings["permissions"] = json!({"allow": ["mcp__desk__book"]});
    place(BECKET, &settings, &turns)
}

fn form() -> Value {
    let schema = json!({"type": "object", "properties": {"when": {"type": "string"}, "seats": {"type": "integer", "minimum": 1}}, "required": ["when"]});
    json!({"mode": "form", "message": "Which table?", "requestedSchema": schema})
}

/// A question of the server during a call of its tool: the host's request, if there is one; then the server's answer.
struct Elicitation {
    host: Host,
    call: Value,
}

impl Elicitation {
    fn of(env: &TestEnv, question: &Value) -> Self {
        let mut host = Host::start(env, &[]);
        let id = host.request("initialize", json!({"sdkMcpServers": ["desk"]}));
        serves(&mut host, |line| line["response"]["request_id"] == id.as_str());
        host.prompt("book");
        let call = serves(&mut host, |line| line["request"]["message"]["method"] == "tools/call");
        let message = json!({"jsonrpc": "2.0", "id": 77, "method": "elicitation/create", "params": question});
        host.request("mcp_message", json!({"server_name": "desk", "message": message}));
        Elicitation { host, call }
    }

    fn question(&mut self) -> Value {
        serves(&mut self.host, |line| line["request"]["subtype"] == "elicitation")
    }

    /// Returns the answer that the server receives.
    fn answer(&mut self) -> Value {
        let line = serves(&mut self.host, |line| line["request"]["message"]["id"] == 77);
        self.host.answers(&line, json!({}));
        line["request"]["message"]["result"].clone()
    }

    /// Lets the call be answered and the turn end.
    fn ends(mut self) {
        let result = json!({"content": [{"type": "text", "text": "booked"}]});
        let answer = json!({"jsonrpc": "2.0", "id": self.call["request"]["message"]["id"], "result": result});
        self.host.answers(&self.call, json!({"mcp_response": answer}));
        let result = serves(&mut self.host, |line| line["type"] == "result");
        assert_eq!(result["result"], "Done.", "{:#?}", self.host.seen);
    }
}

// rule: X6
#[test]
fn a_form_goes_to_the_host_and_its_answer_to_the_server() {
    let env = desk(&json!({"hooks": {
        "Elicitation": [{"hooks": [{"type": "command", "command": "touch before"}]}],
        "ElicitationResult": [{"hooks": [{"type": "command", "command": "cat > after.json"}]}]
    }}));
    let mut asked = Elicitation::of(&env, &form());
    let question = asked.question();
    let request = &question["request"];
    assert!(env.project().join("before").exists(), "hooks are asked first");
    assert_eq!(request["mcp_server_name"], "desk");
    assert_eq!((&request["message"], &request["mode"]), (&json!("Which table?"), &json!("form")));
    assert_eq!(request["requested_schema"], form()["requestedSchema"]);
    assert_eq!(request["property_order"], json!(["when", "seats"]));
    // An invalid answer is requested again, with the reason.
    asked.host.answers(&question, json!({"action": "accept", "content": {"when": "noon", "seats": 0}}));
    let again = asked.question();
    assert!(again["request"]["message"].as_str().is_some_and(|said| said.contains("seats")), "{again}");
    asked.host.answers(&again, json!({"action": "accept", "content": {"when": "noon", "seats": 2}}));
    assert_eq!(asked.answer(), json!({"action": "accept", "content": {"when": "noon", "seats": 2}}));
    let after = std::fs::read_to_string(env.project().join("after.json")).expect("the hook has run");
    assert!(after.contains(r#""action":"accept""#) && after.contains("noon"), "{after}");
    asked.ends();
}

/// Returns the names of an input's fields, in order.
fn keys(input: &Value) -> Vec<&str> {
    input.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

// rules: X6, D11, N1
#[test]
fn hooks_may_change_what_the_host_has_answered() {
    let output = r#"{"hookSpecificOutput":{"hookEventName":"ElicitationResult","action":"accept","content":{"when":"one"}}}"#;
    let declines = r#"{"hookSpecificOutput":{"hookEventName":"ElicitationResult","action":"decline"}}"#;
    for (does, expected) in [
        (
            format!("cat > after.json; echo '{output}'"),
            json!({"action": "accept", "content": {"when": "one"}}),
        ),
        (format!("cat > after.json; echo '{declines}'"), json!({"action": "decline"})),
        ("cat > after.json; echo 'not there' >&2; exit 2".to_owned(), json!({"action": "decline"})),
    ] {
        let env = desk(
            &json!({"hooks": {"ElicitationResult": [{"hooks": [{"type": "command", "command": does}]}]}}),
        );
        let mut asked = Elicitation::of(&env, &form());
        let question = asked.question();
        asked.host.answers(&question, json!({"action": "accept", "content": {"when": "noon", "seats": 2}}));
        assert_eq!(asked.answer(), expected, "{does}");
        let after = std::fs::read_to_string(env.project().join("after.json")).expect("the hook has run");
        let after: Value = serde_json::from_str(&after).expect("JSON");
        let common = ["session_id", "transcript_path", "cwd", "prompt_id", "permission_mode"];
        let own = ["hook_event_name", "mcp_server_name", "action", "mode", "content"];
        assert_eq!(keys(&after), [common, own].concat());
        assert_eq!(after["content"], json!({"when": "noon", "seats": 2}));
        asked.ends();
    }
}

// rules: X6, H9
#[test]
fn only_a_yes_that_is_understood_whole_is_one() {
    for (answer, expected) in [
        (json!({"action": "decline"}), "decline"),
        (json!({"action": "cancel"}), "cancel"),
        (json!({"action": "accept", "content": ["noon"]}), "cancel"),
        (json!({"action": "yes", "content": {"when": "noon"}}), "cancel"),
        (json!({}), "cancel"),
        (Value::Null, "cancel"),
    ] {
        let mut asked = Elicitation::of(&desk(&json!({})), &form());
        let question = asked.question();
        asked.host.answers(&question, answer.clone());
        assert_eq!(asked.answer()["action"], expected, "{answer}");
        asked.ends();
    }
    let mut asked = Elicitation::of(&desk(&json!({})), &form());
    let question = asked.question();
    asked.host.fails(&question, "there is nobody");
    assert_eq!(asked.answer()["action"], "cancel");
    asked.ends();
}

// rule: X6
#[test]
fn an_address_goes_to_the_host_with_its_id() {
    let mut asked = Elicitation::of(
        &desk(&json!({})),
        &json!({"mode": "url", "message": "Pay", "url": "https://pay.example/1", "elicitationId": "e1"}),
    );
    let question = asked.question();
    assert_eq!(
        (&question["request"]["mode"], &question["request"]["url"], &question["request"]["elicitation_id"]),
        (&json!("url"), &json!("https://pay.example/1"), &json!("e1"))
    );
    asked.host.answers(&question, json!({"action": "accept"}));
    assert_eq!(asked.answer()["action"], "accept");
    asked.ends();
}

// rules: X6, D11
#[test]
fn a_hook_that_answers_leaves_the_host_unasked() {
    let says = r#"echo '{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}'"#;
    let env = desk(&json!({"hooks": {"Elicitation": [{"hooks": [{"type": "command", "command": says}]}]}}));
    let mut asked = Elicitation::of(&env, &form());
    assert_eq!(asked.answer()["action"], "decline");
    assert!(!asked.host.seen.iter().any(|line| line["request"]["subtype"] == "elicitation"));
    asked.ends();
}

/// Returns Notification hooks that append their input to `told`, one line each.
fn tells() -> Value {
    json!({"hooks": {"Notification": [
        {"matcher": "elicitation_*", "hooks": [{"type": "command", "command": "tr -d '\\n' >> told; echo >> told"}]}
    ]}})
}

/// Returns the inputs of these hooks, once there are this many.
fn told(env: &TestEnv, count: usize) -> Vec<Value> {
    eventually(&format!("{count} notifications"), || {
        let text = std::fs::read_to_string(env.project().join("told")).unwrap_or_default();
        let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        (lines.len() >= count).then_some(lines)
    })
}

fn completed(asked: &mut Elicitation, id: &str) {
    let message = json!({"jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": {"elicitationId": id}});
    asked.host.request("mcp_message", json!({"server_name": "desk", "message": message}));
}

// rules: X6, N1
#[test]
fn hooks_of_notification_hear_what_the_user_has_answered_and_never_what_with() {
    for (answer, action) in [
        (json!({"action": "accept", "content": {"when": "noon"}}), "accept"),
        (json!({"action": "decline"}), "decline"),
        (json!({"action": "cancel"}), "cancel"),
    ] {
        let env = desk(&tells());
        let mut asked = Elicitation::of(&env, &form());
        let question = asked.question();
        assert!(!env.project().join("told").exists(), "nobody has answered yet");
        asked.host.answers(&question, answer);
        assert_eq!(asked.answer()["action"], action);
        let told = told(&env, 1).remove(0);
        let common = ["session_id", "transcript_path", "cwd", "prompt_id"];
        assert_eq!(keys(&told), [&common[..], &["hook_event_name", "message", "notification_type"]].concat());
        assert_eq!(told["notification_type"], "elicitation_response");
        assert_eq!(told["message"], format!("The MCP server `desk` was answered: {action}"));
        asked.ends();
    }
}

// rules: X6, D11
#[test]
fn an_answer_of_a_hook_is_none_of_the_user() {
    let mut settings = tells();
    let says = r#"echo '{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}'"#;
    settings["hooks"]["Elicitation"] = json!([{"hooks": [{"type": "command", "command": says}]}]);
    let env = desk(&settings);
    let mut asked = Elicitation::of(&env, &form());
    assert_eq!(asked.answer()["action"], "decline");
    asked.ends();
    assert!(!env.project().join("told").exists());
}

// rules: X6, N1
#[test]
fn a_visit_that_is_done_is_told_once_to_hooks_and_the_host() {
    let env = desk(&tells());
    let mut asked = Elicitation::of(
        &env,
        &json!({"mode": "url", "message": "Pay", "url": "https://pay.example/1", "elicitationId": "e1"}),
    );
    let question = asked.question();
    asked.host.answers(&question, json!({"action": "accept"}));
    assert_eq!(asked.answer()["action"], "accept");
    assert_eq!(told(&env, 1)[0]["notification_type"], "elicitation_response");
    for id in ["never asked", "e1", "e1"] {
        completed(&mut asked, id);
    }
    let line = serves(&mut asked.host, |line| line["subtype"] == "elicitation_complete");
    let names: Vec<&str> = keys(&line);
    assert_eq!(names, ["type", "subtype", "mcp_server_name", "elicitation_id", "uuid", "session_id"]);
    assert_eq!((&line["mcp_server_name"], &line["elicitation_id"]), (&json!("desk"), &json!("e1")));
    let last = told(&env, 2).pop().expect("two of them");
    assert_eq!(last["notification_type"], "elicitation_complete");
    assert_eq!(last["message"], "The MCP server `desk` says that `e1` is complete");
    asked.ends();
    assert_eq!(told(&env, 2).len(), 2, "the others are nothing that anybody asked for");
}
