//! Narrow and wide terminals.

use super::place::{Place, is_done};
use serde_json::json;

const WORDS: &str = "Becket holds the agent at each point of its lifecycle, runs the hooks that people have written and \
    gives the agent one verdict that provably holds whoever else may have said anything at all about it";

// The words are long: if one is broken, neither part is a word of the text.
#[test]
fn prose_breaks_between_words_at_every_width() {
    for columns in [40, 80, 200] {
        let text = format!("{WORDS}\n\n- {WORDS}");
        let place = Place::new(&json!({}), &json!([{"text": text}]));
        let walk = place.walk();
        walk.resizes(columns);
        walk.starts("");
        walk.says("go");
        let screen = walk.sees(is_done);
        let known: Vec<&str> = WORDS.split_whitespace().collect();
        let prose =
            screen.split("> go").nth(1).and_then(|after| after.split("done  ").next()).expect("it is there");
        assert!(
            prose.split_whitespace().all(|word| word == "•" || known.contains(&word)),
            "{columns}: {screen}"
        );
        let hangs = prose.lines().skip_while(|line| !line.starts_with('•')).skip(1);
        assert!(
            hangs.filter(|line| !line.is_empty()).all(|line| line.starts_with("  ")),
            "{columns}: {screen}"
        );
        walk.leaves();
    }
}

#[test]
fn what_went_wrong_is_said_between_words_and_once() {
    let place = Place::new(&json!({}), &json!([{"text": "One."}]));
    let walk = place.walk();
    walk.resizes(50);
    walk.starts("");
    walk.says("/nope");
    let screen = walk.sees(|screen| screen.contains("error:") && screen.trim_end().ends_with("\n>"));
    let said = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("there is no command `/nope`; `/help` lists all commands"), "{screen}");
    walk.says("/hooks PreTolUse");
    let screen = walk.sees(|screen| screen.contains("PreToolUse") && screen.trim_end().ends_with("\n>"));
    let said = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("did you mean `PreToolUse`? `/hooks` lists the events that have hooks"),
        "{screen}"
    );
    walk.says("?");
    let screen = walk.sees(|screen| screen.contains("/clear") && screen.trim_end().ends_with("\n>"));
    assert!(!screen.contains("done  ") && !screen.contains("session "), "{screen}");
    walk.leaves();
}
