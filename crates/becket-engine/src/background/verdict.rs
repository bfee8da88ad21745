//! Interprets the output of an ended background hook: contexts for the model, a reminder that wakes the host, and a run
//! for the log (A3, A4). Pure.
//!
//! Every decision is dropped. Plain text, stderr and exit codes are for the log alone, except the exit 2 of an
//! `asyncRewake` hook. Codes by which shells report that there was no real answer (O10) void the JSON here, too.

use super::answer::{self, Answer};
use super::background_end::BackgroundEnd;
use crate::config::handler::Handler;
use crate::host::questions::SplitOutput;
use crate::host::questions::split_output;
use crate::report::outcome::{Run, Status};
use becket_model::interpret::{self, OutputOrigin};
use becket_model::table::EventSpec;
use becket_model::{ContextText, Failure, Reply};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The reminder of an exit 2 without any output.
const SILENCE: &str = "no stderr output";

/// The result of an ended hook.
#[derive(Debug)]
pub(super) struct BackgroundResult {
    /// The run for the log; its reply contains the texts for the model, and decides nothing.
    pub(super) run: Run,
    /// The reminder that wakes the host (A4).
    pub(super) reminder: Option<Reminder>,
}

/// A text for the model, and whether it is plain stdout, which is capped (O8), or stderr, which is passed on in full.
#[derive(Debug, PartialEq)]
pub(super) struct Reminder {
    pub(super) text: String,
    pub(super) plain: bool,
}

/// Interprets the end of a hook; with `rewake`, exit 2 wakes the host.
pub(super) fn judge(handler: Arc<Handler>, rewake: bool, ended: BackgroundEnd) -> BackgroundResult {
    let spec = handler.event.spec();
    let (text, mut warnings) = answer_of(&handler, &ended);
    warnings.extend(ended.warnings.iter().cloned());
    let wakes = rewake && ended.exit == Some(2);
    let reminder = wakes.then(|| reminder(&text, &ended));
    let (answer, failure) = match &reminder {
        // A text that wakes the host is not handed over a second time.
        Some(Reminder { plain: true, .. }) => (Answer::default(), None),
        Some(Reminder { plain: false, .. }) => (read(spec, &text, &ended).0, None),
        None => interpret_answer(spec, &text, &ended),
    };
    warnings.extend(answer.warnings);
    let context = answer.context.map(|text| ContextText { text, plain: false });
    let run = Run {
        status: status(failure.as_ref(), wakes),
        reply: Reply {
            context: context.into_iter().collect(),
            system_message: answer.message,
            ..Reply::default()
        },
        failure,
        warnings,
        exit: ended.exit,
        stdout: ended.stdout,
        stderr: ended.stderr,
        printed: ended.printed,
        ..Run::silent(handler, ended.elapsed)
    };
    BackgroundResult { run, reminder }
}

/// Returns its stdout without the announcement (A2) and without questions (Q1), and the warnings about these.
fn answer_of(handler: &Handler, ended: &BackgroundEnd) -> (String, Vec<String>) {
    let announced = interpret::announcement(&ended.stdout);
    let apart = split_output(&ended.stdout.slice(announced.as_ref().map_or(0, |line| line.length)..));
    let text = String::from_utf8_lossy(&apart.rest);
    let text = text.trim_start_matches('\u{feff}').trim().to_owned();
    let warnings =
        announced.and_then(|line| line.warning).into_iter().chain(unasked_question(handler, &apart));
    (text, warnings.collect())
}

fn status(failure: Option<&Failure>, wakes: bool) -> Status {
    match failure {
        Some(Failure::TimedOut { .. } | Failure::Cancelled) => Status::Cancelled,
        Some(_) => Status::Error,
        None if wakes => Status::Blocked,
        None => Status::Success,
    }
}

/// Returns a warning about a question, which is not part of an answer (Q1) and is never asked from the background.
fn unasked_question(handler: &Handler, apart: &SplitOutput) -> Option<String> {
    let id = apart.first_question().filter(|_| !handler.questions)?;
    Some(format!("its question `{id}` was not asked: a background hook can ask nobody"))
}

fn reminder(stdout: &str, ended: &BackgroundEnd) -> Reminder {
    let stderr = String::from_utf8_lossy(&ended.stderr);
    match (stderr.trim(), stdout) {
        ("", "") => Reminder { text: SILENCE.to_owned(), plain: false },
        ("", stdout) => Reminder { text: stdout.to_owned(), plain: true },
        (stderr, _) => Reminder { text: stderr.to_owned(), plain: false },
    }
}

/// Reads the answer of a hook that does not wake the host.
fn interpret_answer(spec: &EventSpec, text: &str, ended: &BackgroundEnd) -> (Answer, Option<Failure>) {
    let Some(exit) = ended.exit else {
        let why = ended.failure.clone();
        let lost = || Failure::Lost { message: "it has no exit code".to_owned() };
        let why = why.unwrap_or_else(lost);
        // Only its exit code is lost: the process that has started it may have ended before.
        let answer = match (&why, read(spec, text, ended)) {
            (Failure::Lost { .. }, (answer, Read::Object)) => answer,
            (_, (_, Read::Object | Read::Text | Read::Broken(_))) => Answer::default(),
        };
        return (answer, Some(why));
    };
    let by_exit = by_exit(spec, exit, &ended.stderr);
    if matches!(by_exit, Some(Failure::NoVerdictExit { .. })) {
        let unread = object(text)
            .map(|_| format!("its JSON answer was not read, since it ended with exit code {exit}"));
        return (Answer { warnings: unread.into_iter().collect(), ..Answer::default() }, by_exit);
    }
    match read(spec, text, ended) {
        (answer, Read::Object) => (answer, None),
        (answer, Read::Text) => (answer, by_exit),
        (answer, Read::Broken(failure)) => (answer, Some(failure)),
    }
}

/// Returns the failure that an exit code means if there is no answer.
fn by_exit(spec: &EventSpec, exit: i32, stderr: &[u8]) -> Option<Failure> {
    match exit {
        0 => None,
        2 => {
            let stderr = String::from_utf8_lossy(stderr);
            let line = stderr.lines().map(str::trim).find(|line| !line.is_empty());
            Some(Failure::PlainError { code: 2, stderr_line: line.map(str::to_owned) })
        }
        exit => {
            let silent = interpret::HandlerOutput {
                exit,
                stderr,
                ..interpret::HandlerOutput::nothing(OutputOrigin::Command)
            };
            interpret::printed(spec, &silent).failure
        }
    }
}

/// The kind of a stdout.
enum Read {
    Object,
    Text,
    Broken(Failure),
}

fn read(spec: &EventSpec, text: &str, ended: &BackgroundEnd) -> (Answer, Read) {
    if !text.starts_with('{') {
        let warnings = hidden(spec, text).into_iter().collect();
        return (Answer { warnings, ..Answer::default() }, Read::Text);
    }
    let kept = ended.stdout.len();
    match serde_json::from_str(text) {
        Ok(object) => (answer::read(spec, &object), Read::Object),
        Err(_) if ended.printed.stdout > kept as u64 => {
            let message = format!("it is longer than the {kept} bytes that are kept, so it was not read");
            (Answer::default(), Read::Broken(Failure::InvalidJson { message, line: 1, column: 1 }))
        }
        Err(error) if text.ends_with('}') => {
            let failure = Failure::InvalidJson {
                message: without_place(&error),
                line: error.line(),
                column: error.column(),
            };
            (Answer::default(), Read::Broken(failure))
        }
        Err(_) => (Answer::default(), Read::Text),
    }
}

/// Returns the parser's message without the position, which is reported separately.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}

fn object(text: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text).ok()
}

/// Returns a warning about an answer that follows other text and is therefore not read.
fn hidden(spec: &EventSpec, text: &str) -> Option<String> {
    let last = text.lines().next_back().filter(|line| line.starts_with('{')).and_then(object);
    last.filter(|object| answer::is_meant(spec, object)).map(|_| {
        "its answer was not read, because other text precedes it: print only the JSON object".to_owned()
    })
}

#[cfg(test)]
mod tests;
