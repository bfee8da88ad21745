//! Damage in the lines of a transcript is reported with file and line, and the rest is loaded.

use crate::conversation::moves::answer;
use crate::transcript::fixture::{Home, a_session, cwd, refused, text, whole};
use becket_agent::conversation::Next;
use std::fs;

/// The lines of a session, without their newlines.
fn lines(home: &Home) -> Vec<String> {
    let mut log = home.create();
    drop(a_session(&mut log));
    drop(log);
    fs::read_to_string(home.path()).unwrap().lines().map(str::to_owned).collect()
}

/// Returns the store's reports on these lines.
fn reports(home: &Home, lines: &[String]) -> Vec<String> {
    home.put(lines.join("\n").as_bytes());
    let (_, restored) = home.resume();
    assert_eq!(refused(&restored.stored), None);
    let path = format!("{}:", home.path().display());
    restored.damage.iter().map(|damage| damage.to_string().strip_prefix(&path).unwrap().to_owned()).collect()
}

// rule: L2
#[test]
fn each_kind_of_damage_is_named() {
    let home = Home::new();
    let lines = lines(&home);
    assert_eq!(lines.len(), 13);
    let at = |kind: &str| lines.iter().position(|line| line.contains(kind)).unwrap();
    let (called, result) = (at("\"tool_use\""), at("\"tool_result\""));

    let mut garbage = lines.clone();
    garbage[result] = "garbage \u{fffd}".into();
    let damage = reports(&home, &garbage);
    assert!(
        damage[0].starts_with("8: a line that is not a JSON object is left out: expected value"),
        "{damage:?}"
    );
    assert!(
        damage[1].starts_with("9: the line `") && damage[1].ends_with("` before it is lost"),
        "{damage:?}"
    );
    assert_eq!(damage.len(), 2);

    let mut lost = lines.clone();
    lost.remove(called);
    let damage = reports(&home, &lost);
    let misfits = damage.iter().filter(|line| line.contains("it does not fit what stands before it")).count();
    assert_eq!(misfits, 2, "both results: {damage:?}");
    assert!(damage.iter().any(|line| line.contains("no call `b` is open")), "{damage:?}");

    let mut twice = lines.clone();
    twice.insert(result, lines[result].clone());
    let damage = reports(&home, &twice);
    assert!(damage.len() == 1 && damage[0].contains("is there twice: the second is left out"), "{damage:?}");

    let mut lacking = lines.clone();
    lacking[called] = r#"{"type": "assistant", "uuid": "x"}"#.into();
    let damage = reports(&home, &lacking);
    assert_eq!(damage[0], "7: an answer without its message: it is left out");
    let array = vec![lines[0].clone(), "[1]".into(), lines[1].clone(), "{\"type\"".into()];
    let damage = reports(&home, &array);
    assert!(
        damage[0].starts_with("2: a line that is not a JSON object")
            && damage[1].starts_with("4: a torn line")
    );
}

// rule: L2
#[test]
fn nothing_is_wrong_with_padding_and_lines_of_others() {
    let home = Home::new();
    let lines = lines(&home);
    let expected = whole(home.resume().1).messages();
    let mut padded = lines;
    padded[3] = format!("\0\0\0{}\0", padded[3]);
    padded.insert(5, String::new());
    padded.insert(6, "\0".repeat(4_096));
    padded.insert(7, r#"{"type": "file-history-snapshot", "snapshot": {}}"#.into());
    padded.insert(
        8,
        r#"{"type": "user", "isSidechain": true, "message": {"role": "user", "content": "aside"}}"#.into(),
    );
    padded.push("\0".repeat(100));
    assert_eq!(reports(&home, &padded), Vec::<String>::new());
    assert_eq!(whole(home.resume().1).messages(), expected);
}

// rule: L2
#[test]
fn a_half_line_is_ended_before_the_next() {
    let home = Home::new();
    let lines = lines(&home);
    home.put(format!("{}\n{{\"type\":\"user\",\"mess", lines[..8].join("\n")).as_bytes());
    let (mut log, restored) = home.resume();
    let mut conversation = whole(restored);
    conversation.say(text("go on")).unwrap();
    let Next::Done(mut conversation) = conversation.answered(answer(text("yes"), 0)) else {
        panic!("no calls")
    };
    log.append(conversation.take_entries(), cwd()).unwrap();
    drop(log);
    let written = fs::read_to_string(home.path()).unwrap();
    assert_eq!(written.lines().nth(8), Some("{\"type\":\"user\",\"mess"));
    assert!(written.ends_with("}\n"));
    let (_, again) = home.resume();
    assert_eq!(again.damage.len(), 1, "{:?}", again.damage);
    assert_eq!(whole(again).messages(), conversation.messages());
}
