//! Interrupting and leaving: no process is left, and the terminal is restored.

use super::place::{Place, WORKS, Walk, hook, is_asking_for_a_prompt, is_done};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};

fn sleeps(command: &str) -> Value {
    json!([
        {"text": "I wait.", "tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": command}}]},
        {"text": "Back again."}
    ])
}

fn place() -> Place {
    let settings = json!({"permissions": {"allow": ["Bash"]}});
    Place::new(&settings, &sleeps("touch sleeps; sleep 1000"))
}

fn begins_to_sleep(place: &Place, walk: &Walk<'_>) {
    walk.says("wait");
    assert!(wait_until(|| place.has("sleeps")));
    walk.sees_words(WORKS);
}

// rule: L6
#[test]
fn one_key_interrupts_the_turn_and_the_session_goes_on() {
    for key in ["Escape", "C-c"] {
        let place = place();
        let walk = place.walk();
        walk.starts("");
        begins_to_sleep(&place, &walk);
        let before = place.marker.alive().len();
        walk.terminal.presses(&[key]);
        let screen = walk.sees(|screen| screen.contains("interrupted") && screen.trim_end().ends_with('>'));
        assert!(!screen.contains("Back again."), "{key}: {screen}");
        assert!(wait_until(|| place.marker.alive().len() < before), "{key}");
        walk.says("and now?");
        walk.sees(|screen| screen.contains("Back again.") && is_done(screen));
        walk.terminal.presses(&["C-c"]);
        walk.sees_words("Ctrl-C again leaves");
        walk.terminal.presses(&["C-c"]);
        walk.is_over(0);
    }
}

#[test]
fn one_key_clears_the_line_and_leaves_only_twice_on_an_empty_one() {
    let place = Place::new(&json!({}), &json!([{"text": "Still here."}]));
    let walk = place.walk();
    walk.starts("");
    let hints = |screen: &str| screen.matches("Ctrl-C again leaves").count();
    for words in ["not this", "nor this"] {
        walk.types(words);
        walk.sees_words(words);
        walk.terminal.presses(&["C-c"]);
        let screen = walk.sees(|screen| is_asking_for_a_prompt(screen) && !screen.contains(words));
        assert_eq!(hints(&screen), 0, "{screen}");
    }
    walk.says("but this");
    walk.sees(|screen| screen.contains("Still here.") && is_done(screen));
    // A key in between means that the user stays.
    walk.terminal.presses(&["C-c"]);
    walk.sees(|screen| hints(screen) == 1 && is_done(screen));
    walk.types("x");
    walk.sees_words("> x");
    walk.terminal.presses(&["C-c"]);
    walk.sees(|screen| hints(screen) == 1 && is_done(screen));
    walk.terminal.presses(&["C-c"]);
    walk.sees(|screen| hints(screen) == 2 && is_done(screen));
    walk.terminal.presses(&["C-c"]);
    walk.is_over(0);
}

#[test]
fn what_people_type_to_leave_leaves() {
    for words in ["exit", "quit", "/quit"] {
        let place = Place::new(&json!({}), &json!([]));
        let walk = place.walk();
        walk.starts("");
        walk.says(words);
        walk.is_over(0);
    }
}

// rule: L0
#[test]
fn a_session_that_is_logged_out_of_ends_for_that_reason() {
    let place = Place::new(&hook("SessionEnd", "cat >end.json"), &json!([]));
    let walk = place.walk();
    walk.starts("");
    walk.says("/logout it");
    walk.sees(|screen| screen.contains("`it`") && screen.trim_end().ends_with("\n>"));
    walk.says("/logout");
    walk.is_over(0);
    assert!(
        place.text("project/end.json").contains(r#""reason":"logout""#),
        "{}",
        place.text("project/end.json")
    );
}

#[test]
fn a_session_is_suspended_and_goes_on() {
    let turns = json!([
        {"tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "touch it"}}]}, {"text": "Enough."}
    ]);
    let place = Place::new(&json!({}), &turns);
    let walk = place.walk();
    walk.starts("");
    walk.types("half a pro");
    walk.sees_words("> half a pro");
    let is_stopped = |screen: &str| screen.contains("topped");
    walk.terminal.presses(&["C-z"]);
    walk.sees(is_stopped);
    assert_eq!(walk.terminal.settings(), walk.before, "the shell has its terminal");
    walk.says("clear; fg");
    walk.sees(|screen| !is_stopped(screen) && screen.trim_end().ends_with("> half a pro"));
    walk.says("mpt");
    walk.sees_words("command: touch it");
    walk.answers(&["C-z"]);
    walk.sees(is_stopped);
    walk.says("clear; fg");
    let screen = walk.sees(|screen| !is_stopped(screen) && screen.contains("❯ 1. yes"));
    assert!(screen.contains("command: touch it"), "{screen}");
    walk.answers(&["Enter"]);
    walk.sees(|screen| screen.contains("Enough.") && is_done(screen));
    assert!(place.has("it"));
    walk.terminal.presses(&["C-d"]);
    // The shell continued with its line when the session was first suspended.
    place.marker.wait_for(0);
    assert!(wait_until(|| walk.terminal.settings() == walk.before));
}

// rule: L6
#[test]
fn a_signal_ends_all_and_restores_the_terminal() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130), ("-HUP", 129)] {
        let place = place();
        place.env.write("project/.claude/settings.local.json", hook("SessionEnd", "touch end").to_string());
        let walk = place.walk();
        walk.starts("");
        walk.types("half a pro");
        walk.signals(signal);
        walk.is_over(code);
        walk.starts("");
        begins_to_sleep(&place, &walk);
        walk.signals(signal);
        walk.is_over(code);
        assert!(place.has("end"), "{signal}");
    }
}

// rule: A4
#[test]
fn a_hook_wakes_the_model_while_somebody_types() {
    let wakes = "read line; until test -e now; do sleep 0.05; done; echo 'the build is red' >&2; exit 2";
    let settings = json!({"hooks": {"SessionStart": [{"hooks": [
        {"type": "command", "command": wakes, "asyncRewake": true}]}]}});
    let place = Place::new(&settings, &json!([{"text": "I see to it.", "expect": ["the build is red"]}]));
    let walk = place.walk();
    walk.starts("");
    walk.types("half a pro");
    walk.sees_words("> half a pro");
    place.env.write("project/now", "");
    let screen =
        walk.sees(|screen| screen.contains("I see to it.") && screen.trim_end().ends_with("> half a pro"));
    assert!(screen.contains("a hook wakes the model: the build is red"), "{screen}");
    assert_eq!(screen.matches("half a pro").count(), 1, "{screen}");
    assert!(!is_asking_for_a_prompt(&screen));
    walk.leaves_a_line();
}

// rule: A4
#[test]
fn the_end_of_a_background_task_wakes_the_model_while_somebody_types() {
    let call = json!({"command": "until test -e now; do sleep 0.05; done", "run_in_background": true});
    let place = Place::new(
        &json!({}),
        &json!([
            {"tool_uses": [{"id": "t1", "name": "Bash", "input": call}]},
            {"text": "It is being built."},
            {"text": "I see to it.", "expect": ["completed (exit code 0)"]},
        ]),
    );
    let walk = place.walk();
    walk.starts("--allowedTools Bash");
    walk.says("build it");
    walk.sees(is_done);
    walk.types("half a pro");
    walk.sees_words("> half a pro");
    place.env.write("project/now", "");
    let screen =
        walk.sees(|screen| screen.contains("I see to it.") && screen.trim_end().ends_with("> half a pro"));
    assert!(screen.contains("a background task has ended"), "{screen}");
    walk.leaves_a_line();
}
