//! Questions to the user by calls, hooks and models.

use super::place::{Place, WORKS, is_done};
use becket_testkit::proc::{holds_for, wait_until};
use serde_json::{Value, json};
use std::time::Duration;

fn touches(names: &[&str]) -> Value {
    let call =
        |name: &&str| json!({"id": name, "name": "Bash", "input": {"command": format!("touch {name}")}});
    let calls: Vec<Value> = names.iter().map(call).collect();
    json!([
        {"text": "I touch.", "tool_uses": calls},
        {"text": "Once more.", "tool_uses": [{"id": "t9", "name": "Bash", "input": {"command": "touch last"}}]},
        {"text": "Enough."}
    ])
}

// rule: P11
#[test]
fn a_person_says_yes_or_no_and_no_answer_is_a_no() {
    for (keys, expected) in [
        (&["1", "Enter"][..], true),
        (&["Enter"], true),
        (&["3", "Enter"], false),
        (&["Escape"], false),
        (&["C-d"], false),
        (&["Up", "Up", "Enter"], false),
    ] {
        let turns = json!([
            {"tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "touch it"}}]},
            {"text": "Enough."}
        ]);
        let place = Place::new(&json!({}), &turns);
        let walk = place.walk();
        walk.begins("go");
        let screen = walk.sees_words("permission: Bash");
        for words in [
            "command: touch it",
            "asked because:",
            "with \"don't ask again\":\n    allow `Bash(touch it)` (here, for you)",
            "1. yes\n",
            "2. yes, and don't ask again (applies the changes above)",
        ] {
            assert!(screen.contains(words), "{words}: {screen}");
        }
        assert!(!place.has("it"));
        walk.answers(keys);
        let screen = walk.sees(|screen| screen.contains("Enough.") && is_done(screen));
        assert_eq!(place.has("it"), expected, "{keys:?}: {screen}");
        walk.leaves();
    }
}

// rule: P13
#[test]
fn a_yes_may_be_remembered_and_a_no_may_say_why() {
    let place = Place::new(&json!({}), &touches(&["last"]));
    let walk = place.walk();
    walk.begins("go");
    walk.sees_words("command: touch last");
    // A digit alone selects.
    walk.answers(&["2"]);
    walk.sees_words("❯ 2. yes, and");
    assert!(!place.has("last"));
    walk.terminal.presses(&["Enter"]);
    let screen = walk.sees(is_done);
    assert!(place.has("last"), "{screen}");
    assert!(place.text("project/.claude/settings.local.json").contains("Bash(touch last)"));
    assert_eq!(screen.matches("permission: Bash").count(), 1, "{screen}");
    walk.leaves();
    let turns = json!([
        {"tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "touch one"}}]},
        {"text": "I see.", "expect": ["the user said no, and: use the other file"]}
    ]);
    let place = Place::new(&json!({}), &turns);
    let walk = place.walk();
    walk.begins("go");
    walk.sees_words("command: touch one");
    walk.answers(&["4", "Enter"]);
    walk.sees_words("What should be done instead?");
    walk.types("use the other filee");
    walk.terminal.presses(&["BSpace"]);
    walk.answers(&["Enter"]);
    walk.sees(|screen| screen.contains("I see.") && is_done(screen));
    assert!(!place.has("one"));
    walk.leaves();
}

#[test]
fn calls_of_one_answer_are_asked_for_one_after_another() {
    let place = Place::new(&json!({}), &touches(&["one", "two"]));
    let walk = place.walk();
    walk.begins("go");
    let screen = walk.sees_words("command: touch one");
    assert!(!screen.contains("command: touch two"), "{screen}");
    walk.answers(&["1", "Enter"]);
    walk.sees_words("command: touch two");
    walk.answers(&["3", "Enter"]);
    walk.sees_words("command: touch last");
    walk.answers(&["C-c"]);
    let screen = walk.sees(|screen| screen.contains("interrupted") && screen.trim_end().ends_with('>'));
    assert!(place.has("one") && !place.has("two") && !place.has("last"), "{screen}");
    assert!(!screen.contains("Enough."), "{screen}");
    walk.leaves();
}

// rule: D1
#[test]
fn a_prompt_says_which_hook_asks_and_why() {
    let ask = json!({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask",
        "permissionDecisionReason": "it is \u{1b}[31mFriday"}});
    let settings = json!({
        "permissions": {"allow": ["Bash"]},
        "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": format!("echo '{ask}'")}]}]}
    });
    let place = Place::new(&settings, &touches(&["one"]));
    let walk = place.walk();
    walk.begins("go");
    let screen = walk.sees_words("permission: Bash");
    assert!(screen.contains("it is \\u{1b}[31mFriday") && screen.contains("project"), "{screen}");
    walk.signals("-TERM");
    walk.is_over(143);
    assert!(!place.has("one"));
}

// rules: Q1, Q2
#[test]
fn a_hook_asks_and_is_named() {
    for (keys, expected) in [
        (&["2", "Enter"][..], r#""selected":"n""#),
        (&["Enter"], r#""selected":"y""#),
        (&["Escape"], r#""selected":null"#),
    ] {
        let question = json!({"prompt": "deploy", "message": "Really?", "options": [
            {"key": "y", "label": "Sure"}, {"key": "n", "label": "Better not", "description": "not today"}]});
        let command = format!("read input; echo '{question}'; read answer; echo \"$answer\" >answer");
        let settings = json!({"hooks": {"UserPromptSubmit": [{"hooks": [
            {"type": "command", "command": command, "questions": true}]}]}});
        let place = Place::new(&settings, &json!([{"text": "Hello."}]));
        let walk = place.walk();
        walk.starts("");
        walk.says("go");
        let screen = walk.sees_words("Really?");
        assert!(screen.contains("asks\n") && screen.contains("2. Better not  (not today)"), "{screen}");
        walk.answers(keys);
        walk.sees(|screen| screen.contains("Hello.") && is_done(screen));
        assert!(
            place.text("project/answer").replace(' ', "").contains(expected),
            "{}",
            place.text("project/answer")
        );
        walk.leaves();
    }
}

// rule: D3
#[test]
fn a_model_asks_and_hears_the_answers() {
    let options = json!([{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]);
    let questions = json!([
        {"question": "Which colour?", "header": "Colour", "options": options},
        {"question": "Which others?", "header": "Others", "options": options, "multiSelect": true},
        {"question": "Anything?", "header": "Else", "options": options}
    ]);
    let turns = json!([
        {"tool_uses": [{"id": "t1", "name": "AskUserQuestion", "input": {"questions": questions}}]},
        {"text": "Good.", "expect": ["Blue", "Red, Blue", "green as grass"]}
    ]);
    let place = Place::new(&json!({}), &turns);
    let walk = place.walk();
    walk.begins("go");
    let screen = walk.sees_words("Which colour?");
    assert!(!screen.contains("AskUserQuestion") && !screen.contains("Which others?"), "{screen}");
    walk.answers(&["2", "Enter"]);
    walk.sees_words("Which others?");
    walk.answers(&["1", "2", "Enter"]);
    walk.sees_words("Anything?");
    walk.answers(&["3", "Enter"]);
    walk.sees_words("In your words:");
    walk.types("green as grass");
    walk.answers(&["Enter"]);
    walk.sees(|screen| screen.contains("Good.") && is_done(screen));
    walk.leaves();
}

// rule: H13
#[test]
fn a_question_that_comes_while_somebody_types_is_not_answered_by_what_they_type() {
    let question = json!({"prompt": "p", "message": "Really?", "options": [{"key": "y", "label": "Sure"}]});
    let command = format!(
        "read input; until test -e now; do sleep 0.02; done; echo '{question}'; read answer; echo \"$answer\" >answer"
    );
    let settings = json!({"hooks": {"SessionStart": [{"hooks": [
        {"type": "command", "command": "true"}]}], "Notification": [{"hooks": [{"type": "command", "command": "true"}]}],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": command, "questions": true}]}]}});
    let place = Place::new(&settings, &json!([{"text": "Hello."}]));
    let walk = place.walk();
    walk.starts("");
    walk.says("go");
    walk.sees_words(WORKS);
    place.env.write("project/now", "");
    // Holding keys down answers nothing, even once the question is visible.
    assert!(holds_for(Duration::from_millis(800), || {
        walk.terminal.presses(&["Enter"]);
        !place.has("answer")
    }));
    walk.sees_words("Really?");
    walk.answers(&["1", "Enter"]);
    assert!(wait_until(|| place.text("project/answer").contains('y')));
    walk.sees(|screen| screen.contains("Hello.") && is_done(screen));
    walk.leaves();
}

// rule: L3
#[test]
fn what_teammates_have_to_say_is_heard_while_nothing_is_typed() {
    let spawn = json!([{"id": "s1", "name": "Agent", "input": {"description": "ann works", "prompt": "Work.", "name": "ann"}}]);
    let turns = [
        json!({"tool_uses": spawn}),
        json!({"text": "She works."}),
        json!({"text": "It is done.", "when": ["You are the teammate `ann`"]}),
        json!({"text": "Well done, ann."}),
        json!({"text": "A title", "when": ["Give this conversation a title"]}),
    ];
    let turns = turns.into_iter().map(|turn| serde_json::from_value(turn).expect("a turn")).collect();
    let place = Place::served(&json!({}), turns);
    let walk = place.walk();
    walk.starts("--team trio");
    walk.says("go");
    let screen = walk.sees_words("Well done, ann.");
    assert!(screen.contains("the team has news"), "{screen}");
    walk.leaves();
}
