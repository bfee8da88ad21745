//! Typing prompts and reading answers.

use super::place::{Place, WORKS, hook, is_asking_for_a_prompt, is_done};
use becket_testkit::messages_api::Turn;
use becket_testkit::proc::wait_until;
use serde_json::json;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

#[test]
fn answers_are_rendered_and_the_session_goes_on_until_somebody_leaves() {
    // rule: L0
    let text = "# Plan\nThis is **bold**.\n- one\n```sh\nls **\n```\nbad \u{1b}[2J bytes";
    let settings = hook("SessionEnd", "cat >>end.json");
    let place = Place::new(&settings, &json!([{"text": text}, {"text": "Again.", "expect": ["and now?"]}]));
    let walk = place.walk();
    walk.starts("");
    walk.says("what is open?");
    let screen = walk.sees(is_done);
    for line in ["\nPlan\n", "This is bold.\n", "• one\n", "ls **\n", "bad \\u{1b}[2J bytes\n"] {
        assert!(screen.contains(line), "{line:?}: {screen}");
    }
    let styled = walk.terminal.screen();
    assert!(styled.contains("\u{1b}[1mbold"), "{styled:?}");
    walk.says("and now?");
    walk.sees(|screen| screen.contains("Again.") && is_done(screen));
    walk.says("/exit");
    walk.is_over(0);
    assert!(place.text("project/end.json").contains(r#""reason":"prompt_input_exit""#));
}

#[test]
fn without_colour_an_answer_stands_as_it_was_written() {
    let place = Place::new(&json!({}), &json!([{"text": "# Plan\n**bold** \u{1b}[31m"}]));
    let walk = place.walk();
    walk.starts("--color never");
    walk.says("hi");
    let screen = walk.sees(is_done);
    assert!(screen.contains("# Plan\n**bold** \\u{1b}[31m"), "{screen}");
}

#[test]
fn lines_are_shown_as_they_come() {
    let answer = Turn::text("first line\nsecond **line**\n".repeat(20)).drip(Duration::from_millis(120));
    let place = Place::served(&json!({}), vec![answer]);
    let walk = place.walk();
    walk.starts("");
    walk.says("go");
    let screen = walk.sees_words("first line");
    assert!(screen.contains(WORKS) && !is_done(&screen), "{screen}");
    walk.sees(is_done);
    walk.leaves();
}

#[test]
fn a_prompt_of_the_command_comes_first_and_an_empty_line_is_none() {
    let place = Place::new(&json!({}), &json!([{"text": "Yes.", "expect": ["from the shell"]}]));
    let walk = place.walk();
    walk.begins("'from the shell'");
    walk.sees(|screen| screen.contains("> from the shell\n") && screen.contains("Yes.") && is_done(screen));
    let prompts = |screen: &str| screen.lines().filter(|line| line.trim_end() == ">").count();
    for number in 2..=3 {
        walk.terminal.presses(&["Enter"]);
        walk.sees(|screen| prompts(screen) == number);
    }
    walk.leaves();
}

#[test]
fn prompts_are_remembered_for_their_owner_alone() {
    let place = Place::new(&json!({}), &json!([{"text": "One."}, {"text": "Two."}]));
    let walk = place.walk();
    walk.starts("");
    walk.says("tell me one");
    walk.sees(is_done);
    walk.says(" a secret");
    walk.sees(|screen| screen.contains("Two.") && is_done(screen));
    walk.leaves();
    let file = place.env.root().join("home/.becket/history");
    assert_eq!(place.text("home/.becket/history"), "tell me one\n");
    let mode = fs::metadata(file).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "{mode:o}");
    walk.starts("");
    walk.terminal.presses(&["Up"]);
    walk.sees(|screen| screen.trim_end().ends_with("> tell me one"));
    walk.leaves_a_line();
}

#[test]
fn a_question_beside_the_conversation_leaves_it_untouched() {
    let guard = "grep -q secret && { echo 'no secrets here' >&2; exit 2; }; true";
    let turns = json!([
        {"text": "It listens on port 4711."},
        {"text": "On the port, 4711.", "expect": ["It listens on port 4711.", "which one was it?"]},
        {"text": "Mended."}
    ]);
    let place = Place::new(&hook("UserPromptSubmit", guard), &turns);
    let walk = place.walk();
    walk.starts("");
    walk.says("start it");
    walk.sees(is_done);
    walk.says("/btw which one was it?");
    walk.sees(|screen| screen.contains("On the port, 4711.") && screen.trim_end().ends_with("\n>"));
    // The guards of prompts apply to this one as well.
    walk.says("/btw what is the secret?");
    walk.sees(|screen| screen.contains("no secrets here") && screen.trim_end().ends_with("\n>"));
    walk.says("/btw");
    walk.sees(|screen| screen.contains("ask something, as in") && screen.trim_end().ends_with("\n>"));
    walk.says("mend it");
    walk.sees(|screen| screen.contains("Mended.") && is_done(screen));
    walk.leaves();
    let stored = |words: &str| {
        let home = place.env.root().join("home/.claude/projects");
        let found = Command::new("grep").args(["-rlF", words]).arg(home).output().expect("grep is there");
        !found.stdout.is_empty()
    };
    assert!(stored("mend it") && !stored("which one was it?") && !stored("On the port"));
}

// rule: L7
#[test]
fn a_prompt_is_suggested_on_an_empty_line_where_that_is_wanted() {
    let turns = [
        json!({"text": "One."}),
        json!({"text": "Two."}),
        json!({"text": "Three.", "when": ["run the tests please"]}),
        json!({"text": "run the tests", "when": ["Say in at most twelve words"]}),
        json!({"text": "A title", "when": ["Give this conversation a title"]}),
    ];
    let turns = turns.into_iter().map(|turn| serde_json::from_value(turn).expect("a turn")).collect();
    let place = Place::served(&json!({}), turns);
    let walk = place.walk();
    walk.terminal.types("export CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION=1");
    walk.sees_words("ended 0");
    walk.starts("");
    walk.says("go");
    walk.sees(|screen| screen.contains("One.") && is_done(screen));
    walk.says("go on");
    walk.sees(|screen| screen.contains("Two.") && screen.trim_end().ends_with("\n> run the tests"));
    walk.types("x");
    walk.sees(|screen| screen.trim_end().ends_with("\n> x"));
    walk.terminal.presses(&["BSpace", "Tab"]);
    walk.types(" please");
    walk.sees(|screen| screen.trim_end().ends_with("\n> run the tests please"));
    walk.terminal.presses(&["Enter"]);
    walk.sees_words("Three.");
    walk.leaves();
}

#[test]
fn names_are_completed() {
    let place = Place::new(&json!({}), &json!([]));
    place.env.write("project/.claude/commands/greet.md", "Greet.");
    let walk = place.walk();
    walk.starts("");
    walk.types("/gre");
    walk.terminal.presses(&["Tab"]);
    walk.sees(|screen| screen.trim_end().ends_with("> /greet"));
    walk.terminal.presses(&["C-c"]);
    walk.sees(is_asking_for_a_prompt);
    walk.types("read @scr");
    walk.terminal.presses(&["Tab"]);
    walk.sees(|screen| screen.trim_end().ends_with("> read @script.json"));
}

#[test]
fn several_lines_are_one_prompt_and_a_cleared_session_has_a_cleared_screen() {
    let place = Place::new(&hook("UserPromptSubmit", "cat >prompt.json"), &json!([{"text": "Both."}]));
    let walk = place.walk();
    walk.starts("");
    walk.types("one");
    walk.terminal.presses(&["M-Enter"]);
    walk.says("two");
    walk.sees(|screen| screen.contains("Both.") && is_done(screen));
    assert!(place.text("project/prompt.json").contains(r#""prompt":"one\ntwo""#));
    walk.says("/clear");
    let screen = walk.sees(|screen| !screen.contains("Both.") && screen.trim_end().ends_with('>'));
    assert!(!is_asking_for_a_prompt(&screen), "{screen}");
    walk.leaves();
}

#[test]
fn a_narrow_terminal_shows_all_and_leaves_no_traces_of_what_moved() {
    let words = "word ".repeat(30);
    let settings = json!({"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command",
        "command": "touch waits; until test -e go; do sleep 0.05; done",
        "statusMessage": "asking the whole department whether this may be said aloud at all"}]}]}});
    let place = Place::new(&settings, &json!([{"text": format!("{words}end")}]));
    let walk = place.walk();
    walk.starts("");
    walk.says("go");
    walk.sees_words("asking the whole department");
    for columns in [40, 60, 40] {
        walk.resizes(columns);
        walk.sees_words("asking the whole dep");
    }
    assert!(wait_until(|| place.has("waits")));
    place.env.write("project/go", "");
    let screen = walk.sees(is_done);
    assert!(!screen.contains("asking"), "{screen}");
    assert_eq!(screen.split_whitespace().filter(|one| *one == "word").count(), 30, "{screen}");
    walk.leaves();
}

#[test]
fn what_is_typed_while_a_turn_works_comes_next_and_not_after_an_interrupt() {
    let waits = json!({"tool_uses": [{"id": "t1", "name": "Bash", "input": {"command": "until test -e now; do sleep 0.05; done"}}]});
    let settings = json!({"permissions": {"allow": ["Bash"]}});
    let turns = json!([waits, {"text": "One."}, {"text": "Two.", "expect": ["and then"]}, {"text": "Three.", "expect": ["half and half"]}]);
    let place = Place::new(&settings, &turns);
    let walk = place.walk();
    walk.starts("");
    walk.says("go");
    walk.sees_words(WORKS);
    walk.says("and then");
    walk.types("half");
    walk.sees(|screen| screen.contains("next: and then") && screen.contains("❯ half"));
    place.env.write("project/now", "");
    walk.sees(|screen| {
        screen.contains("> and then\n") && screen.contains("Two.") && screen.contains("> half")
    });
    walk.says(" and half");
    walk.sees(|screen| screen.contains("Three.") && is_done(screen));
    walk.leaves();
    let place = Place::new(&settings, &json!([waits, {"text": "Gone on."}]));
    let walk = place.walk();
    walk.starts("");
    walk.says("go");
    walk.sees_words(WORKS);
    walk.says("delete it");
    walk.sees_words("next: delete it");
    walk.terminal.presses(&["Escape"]);
    let screen = walk.sees(|screen| screen.contains("\n> delete it") && !screen.contains("next:"));
    assert!(!screen.contains("Gone on."), "{screen}");
    walk.leaves_a_line();
}
