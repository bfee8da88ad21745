//! Answers of a server, row by row: `tests/cases/http-answers.json`.
//!
//! `answer` is what the server sends, each character one byte (Latin-1); `more` follows `times` times, or forever
//! without `times`. Then it waits for the client or, with `then`, closes the connection. The expected result of a row
//! is either `decision`, or `fails` with words of the failure. Each failing row is run a second time with
//! `onFailure: "block"`, and has to block then.

use crate::common::{Project, bash, fire};
use crate::http::server::Server;
use crate::http::{failure, guard};
use becket_engine::Status;
use becket_model::{Ruling, Verdict};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::Write;
use std::net::TcpStream;

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
struct Row {
    rule: String,
    name: String,
    #[serde(default)]
    answer: String,
    #[serde(default)]
    more: String,
    times: Option<usize>,
    then: Option<Then>,
    decision: Option<String>,
    reason: Option<String>,
    fails: Option<String>,
    never: Option<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Then {
    Close,
}

fn rows() -> Vec<Row> {
    let rows: Vec<Row> = serde_json::from_str(include_str!("../../cases/http-answers.json")).unwrap();
    assert!(rows.len() > 50);
    rows
}

fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect()
}

impl Row {
    fn play(&self, stream: &mut TcpStream) -> bool {
        let (answer, more) = (bytes(&self.answer), bytes(&self.more));
        if stream.write_all(&answer).is_err() {
            return false;
        }
        let mut left = if more.is_empty() { Some(0) } else { self.times };
        while left != Some(0) {
            if stream.write_all(&more).is_err() {
                return false;
            }
            left = left.map(|left| left - 1);
        }
        match self.then {
            None => true,
            Some(Then::Close) => false,
        }
    }

    fn server(&self) -> Server {
        let row = self.clone();
        Server::new(move |_, stream| row.play(stream))
    }
}

fn decision(verdict: &Verdict) -> &'static str {
    if verdict.stop.is_some() {
        return "stop";
    }
    let Ruling::Permission { decision, .. } = &verdict.ruling else { return "none" };
    decision.as_str()
}

// rules: H5, O1, O2, O5, O6, O10, O11
#[test]
fn every_answer_means_what_it_has_to() {
    let rows = rows();
    // Most of the time is waiting.
    std::thread::scope(|scope| {
        for some in rows.chunks(8) {
            scope.spawn(|| some.iter().for_each(check));
        }
    });
}

fn check(row: &Row) {
    let server = row.server();
    let more = json!({"timeout": if row.fails.as_deref() == Some("ran out of time") { 1 } else { 60 }});
    let project = Project::with(guard(&server.url("/check"), more.clone()));
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    let (name, failure) = (&row.name, failure(&outcome));
    match (&row.decision, &row.fails) {
        (Some(wanted), None) => {
            assert_eq!(failure, "", "{name}");
            assert_eq!(decision(&outcome.verdict), wanted, "{name}");
            if let Some(reason) = &row.reason {
                assert_eq!(outcome.verdict.joined_reason().as_ref(), Some(reason), "{name}");
            }
        }
        (None, Some(words)) => {
            assert!(failure.contains(words), "{name}: {failure}");
            assert!(!outcome.verdict.blocks(), "{name}");
            assert_eq!(outcome.verdict.unchecked().count(), 1, "{name}");
            assert!(matches!(outcome.runs[0].status, Status::Error | Status::Cancelled), "{name}");
            closes(row, &server, more);
        }
        _ => panic!("{name}: either `decision` or `fails`"),
    }
    assert!(!row.rule.is_empty(), "{name}");
    let never = row.never.as_deref().unwrap_or("\u{1b}");
    assert!(!failure.contains(never), "{name}: {failure}");
    assert!(server.all_closed(), "{name}: a connection is left");
}

/// With `onFailure: "block"` the same answer blocks, with a reason.
fn closes(row: &Row, server: &Server, mut more: Value) {
    more["onFailure"] = "block".into();
    let project = Project::with(guard(&server.url("/check"), more));
    let outcome = fire(&project.engine(), &project.event(bash("ls")));
    let reason = outcome.verdict.joined_reason().unwrap_or_default();
    assert!(outcome.verdict.blocks(), "{}", row.name);
    assert!(reason.contains(row.fails.as_deref().unwrap()), "{}: {reason}", row.name);
}
