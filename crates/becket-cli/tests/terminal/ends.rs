//! Interrupting and leaving: nothing is left, and the terminal is as it was.

use crate::place::{Place, Walk, hook, is_asking_for_a_prompt, is_done};
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
    walk.sees_words("Esc interrupts");
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
fn one_key_clears_the_line_and_does_not_leave() {
    let place = Place::new(&json!({}), &json!([{"text": "Still here."}]));
    let walk = place.walk();
    walk.starts("");
    walk.types("not this");
    walk.terminal.presses(&["C-c"]);
    walk.sees(|screen| screen.contains("Ctrl-C again leaves") && is_asking_for_a_prompt(screen));
    walk.says("but this");
    walk.sees(|screen| screen.contains("Still here.") && is_done(screen));
    walk.leaves();
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
