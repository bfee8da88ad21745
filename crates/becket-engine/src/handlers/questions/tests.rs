//! Lines, limits and turns, without a process.

use super::desk::Desk;
use crate::host::questions::answer::{Answer, line};
use crate::host::questions::lines::{
    LONGEST_LINE, LineQuestion, MOST_ANSWERS, MOST_BYTES, MOST_QUESTIONS, Splitter,
};
use crate::host::questions::parse::{ParsedQuestion, Wrong};
use crate::host::questions::question::{AskUser, Choice, Question};
use crate::host::questions::split_output;
use becket_process::CancellationToken;
use bytes::Bytes;
use futures_util::future::{BoxFuture, join_all};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const CASES: &str = include_str!("../../../tests/cases/questions.json");

/// Returns one value for each question that is found.
fn told(found: &[LineQuestion]) -> Vec<Value> {
    let one = |found: &LineQuestion| match found {
        Ok(asked) => json!({"id": asked.id, "message": asked.message, "options": asked.options.len()}),
        Err(bad) => json!({"id": bad.id, "wrong": bad.to_string()}),
    };
    found.iter().map(one).collect()
}

/// Returns everything that a splitter finds, fed in chunks of `size` bytes.
fn fed(stdout: &[u8], size: usize) -> Vec<LineQuestion> {
    let mut splitter = Splitter::default();
    let mut found: Vec<LineQuestion> = stdout.chunks(size).flat_map(|chunk| splitter.feed(chunk)).collect();
    found.extend(splitter.finish());
    found
}

/// Returns the text of a case: a string, or a list of strings and `[text, times]`.
fn text(value: &Value) -> String {
    if let Some(text) = value.as_str() {
        return text.to_owned();
    }
    let parts = value.as_array().unwrap().iter();
    let whole = parts.map(|part| match part.as_array() {
        Some(repeated) => {
            let times = usize::try_from(repeated[1].as_u64().unwrap()).unwrap();
            repeated[0].as_str().unwrap().repeat(times)
        }
        None => part.as_str().unwrap().to_owned(),
    });
    whole.collect()
}

#[test]
fn every_case_is_read_as_written() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    assert!(cases.len() >= 35, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let stdout = Bytes::from(text(&case["stdout"]));
        let taken = split_output(&stdout);
        let expected = case.get("asked").cloned().unwrap_or_else(|| json!([]));
        let rest = case.get("rest").map_or_else(|| String::from_utf8(stdout.to_vec()).unwrap(), text);
        for (what, actual) in [
            ("taken out", json!(told(&taken.questions))),
            ("fed whole", json!(told(&fed(&stdout, usize::MAX)))),
            ("fed by the byte", json!(told(&fed(&stdout, 1)))),
        ] {
            if actual != expected {
                wrong.push(format!("{}: {what}: expected {expected}, got {actual}", case["name"]));
            }
        }
        if taken.rest != rest {
            wrong.push(format!("{}: rest: expected {rest:?}, got {:?}", case["name"], taken.rest));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const ONE: &str = r#"{"prompt": "q", "message": "Go?", "options": [{"key": "y", "label": "Yes"}]}"#;

// rule: Q1
#[test]
fn a_line_may_be_64_kib_long_and_no_longer() {
    let padded = |length: usize| {
        let blanks = " ".repeat(length - ONE.len());
        format!("{}{blanks}}}\n", &ONE[..ONE.len() - 1])
    };
    for (end, length, count) in [("\n", 0, 1), ("\n", 1, 0), ("\r\n", 0, 1), ("\r\n", 1, 0)] {
        let stdout = padded(LONGEST_LINE + length).replace('\n', end);
        for size in [usize::MAX, 1, 4096] {
            assert_eq!(fed(stdout.as_bytes(), size).len(), count, "{end:?} {length} {size}");
        }
        let taken = split_output(&Bytes::from(stdout.clone()));
        assert_eq!((taken.questions.len(), taken.rest.is_empty()), (count, count == 1));
    }
    // The line after a long one counts again.
    let stdout = format!("{}{ONE}\n", padded(LONGEST_LINE * 3));
    assert_eq!(fed(stdout.as_bytes(), 1000).len(), 1);
}

// rule: Q1
#[test]
fn nothing_is_copied_where_nothing_is_asked() {
    for stdout in ["", "plain text", r#"{"decision": "block", "reason": "say \"prompt\""}"#, "{\"prompt\": "]
    {
        let stdout = Bytes::from(stdout.to_owned());
        let taken = split_output(&stdout);
        assert_eq!(taken.rest.as_ptr(), stdout.as_ptr());
        assert!(taken.questions.is_empty() && taken.first_question().is_none());
    }
}

// rule: Q1
#[test]
fn questions_are_counted_and_a_flood_is_not_answered() {
    let numbered = |n: usize| ONE.replace("\"q\"", &format!("\"q{n}\"")) + "\n";
    let stdout: String = (0..MOST_ANSWERS + 50).map(numbered).collect();
    let found = fed(stdout.as_bytes(), 777);
    let count = |wrong: fn(&Wrong) -> bool| {
        found.iter().filter(|found| found.as_ref().is_err_and(|bad| wrong(&bad.why))).count()
    };
    assert_eq!(found.iter().filter(|found| found.is_ok()).count(), MOST_QUESTIONS);
    assert_eq!(count(|why| matches!(why, Wrong::TooMany(_))), MOST_ANSWERS - MOST_QUESTIONS);
    assert_eq!(count(|why| matches!(why, Wrong::Flood(_))), 50);
    assert!(split_output(&Bytes::from(stdout)).rest.is_empty());
}

// rule: Q1
#[test]
fn a_few_large_questions_are_a_flood_too() {
    let large = |n: usize, blanks: usize| {
        let message = format!("Go?{}", " ".repeat(blanks));
        ONE.replace("\"q\"", &format!("\"q{n}\"")).replace("Go?", &message) + "\n"
    };
    // Too long to be shown, so each is reported and answered as refused.
    let stdout: String = (0..40).map(|n| large(n, LONGEST_LINE / 2)).collect();
    let found = fed(stdout.as_bytes(), 4096);
    let held: usize =
        found.iter().map(|found| found.as_ref().map_or_else(|bad| bad.message.len(), |_| 0)).sum();
    assert_eq!(found.len(), 40);
    assert!((1..=MOST_BYTES).contains(&held), "{held}");
    let is_flood = |found: &LineQuestion| found.as_ref().is_err_and(|bad| matches!(bad.why, Wrong::Flood(_)));
    assert!(is_flood(&found[39]) && !is_flood(&found[0]));
}

// rule: Q1
#[test]
fn answers_are_one_line_each_whatever_the_id() {
    for id in ["plain", "a \"quote\"", "two\nlines", "\u{2028}\u{0}\\", ""] {
        for selected in [Some("y\n\"es\""), None] {
            let answer = line(&json!(id), selected);
            assert_eq!(answer.iter().filter(|byte| **byte == b'\n').count(), 1);
            assert!(answer.ends_with(b"\n"));
            let read: Value = serde_json::from_slice(&answer).unwrap();
            assert_eq!(read, json!({"prompt_response": id, "selected": selected}));
        }
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(ONE.to_owned()),
        Just(ONE.replace("\"q\"", "\"ä€😀\"")),
        Just(ONE.replace("\"y\"", "7")),
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just("{\"continue\": false}".to_owned()),
        Just("\u{feff}".to_owned()),
        Just("\"".to_owned()),
        Just("\\".to_owned()),
        Just(" ".repeat(LONGEST_LINE - 40)),
        ".{0,6}",
    ];
    proptest::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    // rules: Q1, O1
    #[test]
    fn chunks_and_the_whole_are_read_alike(stdout in pieces(), cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let bytes = stdout.as_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.sort_unstable();
        let mut splitter = Splitter::default();
        let mut found = Vec::new();
        let mut from = 0;
        for to in cuts.into_iter().chain([bytes.len()]) {
            found.extend(splitter.feed(&bytes[from..to]));
            from = to;
        }
        found.extend(splitter.finish());
        let taken = split_output(&Bytes::from(stdout.clone()));
        prop_assert_eq!(&found, &taken.questions);
        // The questions are whole lines, and the rest contains all other lines in their order.
        let mut kept = taken.rest.split_inclusive(|byte| *byte == b'\n');
        let mut next = kept.next();
        let mut gone = 0;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if next == Some(line) { next = kept.next() } else { gone += 1 }
        }
        prop_assert!(next.is_none());
        prop_assert_eq!(gone, taken.questions.len());
    }

    // rules: Q1, O1
    #[test]
    fn an_answer_in_several_lines_is_never_touched(message in "[a-z]{0,5}", depth in 0usize..4) {
        let inner = format!("{}\n{ONE}\n{}", "[".repeat(depth), "]".repeat(depth));
        let answer = format!("{{\"reason\": \"{message}\", \"x\": {{\"y\":\n{inner}\n}}}}\n");
        let taken = split_output(&Bytes::from(answer.clone()));
        prop_assert_eq!(taken.rest, answer.as_bytes());
        prop_assert!(taken.questions.is_empty());
    }
}

/// A fake user that never asks: its answer depends on the question's id.
#[derive(Default)]
struct Fake {
    log: Mutex<Vec<String>>,
}

impl Fake {
    fn log(&self, what: &str, question: &Question) {
        self.log.lock().unwrap().push(format!("{what} {}", question.id));
    }
}

struct SharedFake(Arc<Fake>);

impl AskUser for SharedFake {
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Option<String>> {
        assert!(question.id != "panics at once", "as asked");
        Box::pin(async move {
            self.0.log("asks", question);
            for _ in 0..5 {
                tokio::task::yield_now().await;
            }
            match question.id.as_str() {
                "panics" => panic!("as asked"),
                "never" => std::future::pending().await,
                "waits for the token" => cancel.cancelled().await,
                _ => {}
            }
            self.0.log("has", question);
            match question.id.as_str() {
                "nonsense" => Some("nonsense".to_owned()),
                "none" => None,
                _ => Some("y".to_owned()),
            }
        })
    }
}

fn question(id: &str) -> Question {
    let choice = Choice { key: "y".into(), label: "Yes".into(), description: None };
    ParsedQuestion { id: id.into(), message: "Go?".into(), options: vec![choice] }.by("a hook")
}

fn desk() -> (Desk, Arc<Fake>) {
    let fake = Arc::new(Fake::default());
    (Desk::new(Some(Arc::new(SharedFake(fake.clone())))), fake)
}

async fn ask(desk: &Desk, id: &str) -> Answer {
    let asking = async { desk.ask(&question(id), &CancellationToken::new()).await };
    tokio::time::timeout(Duration::from_secs(60), asking).await.expect("the desk is stuck")
}

// rule: Q2
#[tokio::test]
async fn one_question_at_a_time_in_the_order_of_coming() {
    let (desk, fake) = desk();
    let (never, cancel) = (question("never"), CancellationToken::new());
    let ids: Vec<String> = (0..20).map(|n| format!("q{n}")).collect();
    let questions: Vec<Question> = ids.iter().map(|id| question(id)).collect();
    // All arrive now; the last is polled first.
    let mut asked: Vec<_> = questions.iter().map(|question| Box::pin(desk.ask(question, &cancel))).collect();
    let gone = desk.ask(&never, &cancel);
    drop(gone);
    asked.reverse();
    let answers = join_all(asked).await;
    assert!(answers.iter().all(|answer| *answer == Answer::Selected("y".into())), "{answers:?}");
    let expected: Vec<String> =
        ids.iter().flat_map(|id| [format!("asks {id}"), format!("has {id}")]).collect();
    assert_eq!(*fake.log.lock().unwrap(), expected);
}

// rule: Q3
#[tokio::test]
async fn with_nobody_to_ask_the_answer_is_there_at_once() {
    let desk = Desk::new(None);
    let answer = ask(&desk, "q").await;
    assert_eq!((answer.selected(), &answer), (None, &Answer::Nobody));
}

// rule: Q2
#[tokio::test]
async fn a_host_at_fault_costs_one_answer_and_never_the_next() {
    let (desk, _) = desk();
    for (id, named) in [
        ("panics", Some("panicked")),
        ("panics at once", Some("panicked")),
        ("nonsense", Some("`nonsense`")),
        ("none", None),
    ] {
        let answer = ask(&desk, id).await;
        assert_eq!(answer.selected(), None, "{id}");
        let warning = answer.warning(id);
        assert_eq!(warning.is_some(), named.is_some(), "{warning:?}");
        assert!(warning.unwrap_or_default().contains(named.unwrap_or_default()), "{id}");
        assert_eq!(ask(&desk, "next").await, Answer::Selected("y".into()));
    }
}

// rule: Q2
#[tokio::test]
async fn a_withdrawn_question_makes_room() {
    let (desk, fake) = desk();
    let cancel = CancellationToken::new();
    let (never, waiting) = (question("never"), question("waiting"));
    let first = desk.ask(&never, &cancel);
    let second = desk.ask(&waiting, &cancel);
    let third = ask(&desk, "third");
    let cancelled = async {
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    let (first, second, third, ()) = tokio::join!(first, second, third, cancelled);
    assert_eq!((first, second), (Answer::Withdrawn, Answer::Withdrawn));
    assert_eq!(third, Answer::Selected("y".into()));
    assert_eq!(*fake.log.lock().unwrap(), ["asks never", "asks third", "has third"]);
    // A dropped question as well, asked or waiting.
    let cancel = CancellationToken::new();
    let mut first = Box::pin(desk.ask(&never, &cancel));
    let second = desk.ask(&waiting, &cancel);
    assert!(first.as_mut().poll(&mut std::task::Context::from_waker(std::task::Waker::noop())).is_pending());
    drop((first, second));
    assert_eq!(ask(&desk, "next").await, Answer::Selected("y".into()));
}
