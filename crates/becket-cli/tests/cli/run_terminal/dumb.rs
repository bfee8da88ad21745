//! A terminal that does not support escape sequences.

use super::place::{Place, hook};
use becket_testkit::proc::wait_until_every;
use serde_json::json;
use std::time::Duration;

#[test]
fn a_dumb_terminal_is_written_plain_lines_and_asks_by_number() {
    let turns = json!([
        {"text": "**I** touch.", "tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "touch it"}}]},
        {"text": "Enough."},
        {"text": "Again."}
    ]);
    let place = Place::new(&hook("SessionStart", "sleep 0.3"), &turns);
    let walk = place.walk();
    walk.records("bytes");
    walk.terminal.types("export TERM=dumb");
    walk.sees_words("ended 0");
    walk.starts("");
    walk.says("go");
    walk.sees_words("a number and Enter answer");
    // Lines that arrive too early have no effect except for a message.
    assert!(wait_until_every(Duration::from_millis(100), || {
        walk.says("1");
        place.has("it")
    }));
    walk.sees_words("Enough.");
    walk.says("/hooks");
    walk.sees_words("SessionStart");
    walk.says("exit");
    walk.is_over(0);
    let bytes = place.text("project/bytes");
    let session = bytes.split("becket scripted").nth(1).expect("the session was recorded");
    let session = session.split("ended 0").next().unwrap_or_default();
    let question =
        session.split("permission: Bash").nth(1).and_then(|rest| rest.split("answers nothing: ").nth(1));
    let answer = question.and_then(|rest| rest.lines().next()).unwrap_or_default().trim();
    assert!(
        answer.is_empty() || answer == "1",
        "nothing is written between a question and its answer: {answer:?}"
    );
    assert!(!session.contains('\u{1b}') && session.contains("Enough."), "{session:?}");
}
