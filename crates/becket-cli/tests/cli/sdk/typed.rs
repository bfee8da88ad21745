//! The program's own commands, as a host forwards them.

use super::host::Host;
use super::{bash, place};
use serde_json::json;

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

#[test]
fn the_commands_are_told_and_a_task_is_listed_and_ended() {
    let mut call = bash("t1", "sleep 300");
    call["input"]["run_in_background"] = json!(true);
    let turns = json!([{"tool_uses": [call]}, {"text": "It sleeps."}]);
    let env = place(BECKET, &json!({"permissions": {"allow": ["Bash"]}}), &turns);
    let mut host = Host::start(&env, &[]);
    let answer = host.asks("initialize", json!({}));
    let commands = answer["response"]["commands"].as_array().expect("a list");
    let tasks = commands.iter().find(|command| command["name"] == "tasks").expect("there is one");
    assert_eq!(tasks["argumentHint"], "[stop ID]");
    host.prompt("sleep");
    assert_eq!(host.result()["result"], "It sleeps.");
    host.prompt("/tasks");
    let listed = host.result()["result"].as_str().expect("a text").to_owned();
    let id = listed.split_whitespace().next().expect("an id").to_owned();
    assert!(
        listed.contains("running") && listed.contains("sleep 300") && listed.contains("/tasks/"),
        "{listed}"
    );
    host.prompt(&format!("/tasks stop {id}"));
    assert_eq!(host.result()["result"], format!("`{id}` has ended: killed"));
    host.prompt(&format!("/tasks stop {id}"));
    assert_eq!(host.result()["result"], format!("`{id}` had ended before: killed"));
    host.prompt("/tasks stop nobody");
    let result = host.result();
    assert!(
        result["is_error"] == false
            && result["result"].as_str().is_some_and(|said| said.contains("`nobody`")),
        "{result}"
    );
}
