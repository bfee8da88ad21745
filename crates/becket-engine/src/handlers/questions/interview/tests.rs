//! Tests with real hooks: shells that ask, wait, and print the answers that they read.

use super::*;
use crate::host::questions::question::AskUser;
use crate::host::questions::split_output;
use becket_process::{Command, End, FinishedRun, Limits, Program, Runner, Stream};
use futures_util::future::{BoxFuture, join};
use std::sync::Arc;
use std::time::Duration;

/// Waits as long as the question says and chooses its last option.
struct Slow;

impl AskUser for Slow {
    fn ask<'a>(&'a self, question: &'a Question, _: &'a CancellationToken) -> BoxFuture<'a, Option<String>> {
        Box::pin(async {
            let wait = question.message.strip_prefix("wait ").and_then(|ms| ms.parse().ok()).unwrap_or(0);
            tokio::time::sleep(Duration::from_millis(wait)).await;
            question.options.last().map(|option| option.key.clone())
        })
    }
}

fn question(id: &str, message: &str) -> String {
    format!(
        r#"{{"prompt": "{id}", "message": "{message}", "options": [{{"key": "n", "label": "No"}}, {{"key": "y", "label": "Yes"}}]}}"#
    )
}

/// Runs a shell that can ask questions.
async fn talk(desk: &Desk, script: &str, limit: Duration) -> (FinishedRun, Vec<AnsweredQuestion>) {
    let (runner, cancel, control) = (Runner::new(), CancellationToken::new(), Control::with_open_stdin());
    let interview = Interview::new("the hook", desk.clone(), control.clone());
    let mut command = Command::new(Program::shell(script), "/").stdin("{}\n");
    command.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
    let limits = Limits { deadline: Some(limit), ..Limits::default() };
    let mut sink = |chunk: becket_process::Chunk<'_>| {
        if chunk.stream == Stream::Stdout {
            interview.read(chunk.bytes);
        }
    };
    let run = runner.run_with(&command, &limits, &cancel, control, &mut sink);
    let finished = tokio::select! {
        finished = run => finished.unwrap(),
        never = interview.answer_all(&cancel) => match never {},
    };
    (finished, interview.end())
}

fn there() -> Desk {
    Desk::new(Some(Arc::new(Slow)))
}

const PATIENT: Duration = Duration::from_secs(60);

// rules: Q1, O1
#[tokio::test]
async fn a_hook_reads_its_answers_and_its_own_output_is_left() {
    let (one, two) = (question("a", "?"), question("b", "?"));
    let script = format!("read input; echo '{one}'; read a; echo '{two}'; echo told; read b; echo \"$a$b\"");
    let (finished, answered) = talk(&there(), &script, PATIENT).await;
    let taken = split_output(&finished.stdout.bytes);
    let answer = |id: &str| format!(r#"{{"prompt_response":"{id}","selected":"y"}}"#);
    assert_eq!(taken.rest, format!("told\n{}{}\n", answer("a"), answer("b")));
    assert_eq!(taken.first_question(), Some("a"));
    assert!(answered.iter().all(|one| one.answer == Answer::Selected("y".into()) && one.warning().is_none()));
    assert_eq!(answered.len(), 2);
}

// rules: Q2, H4
#[tokio::test]
async fn the_limit_stands_still_while_the_user_thinks_also_about_another_hook() {
    let script = format!("read input; echo '{}'; read a; echo \"$a\"", question("q", "wait 1500"));
    let desk = there();
    let limit = Duration::from_secs(1);
    let (one, two) = join(talk(&desk, &script, limit), talk(&desk, &script, limit)).await;
    assert_eq!((one.0.end, two.0.end), (End::Exited(0), End::Exited(0)));
    // After the answer the rest of the limit counts.
    let script = format!("read input; echo '{}'; read a; sleep 60", question("q", "wait 100"));
    let (finished, answered) = talk(&desk, &script, limit).await;
    assert_eq!((finished.end, answered.len()), (End::TimedOut, 1));
    // Without a question the same limit counts.
    let (finished, _) = talk(&desk, "sleep 60", limit).await;
    assert_eq!(finished.end, End::TimedOut);
}

// rules: Q1, Q3
#[tokio::test]
async fn what_cannot_be_asked_is_answered_with_null() {
    let nobody = Desk::new(None);
    let script = format!("read input; echo '{}'; read a; echo \"$a\"", question("q", "?"));
    let (finished, answered) = talk(&nobody, &script, PATIENT).await;
    assert!(finished.stdout.bytes.ends_with(b"{\"prompt_response\":\"q\",\"selected\":null}\n"));
    assert_eq!(answered[0].answer, Answer::Nobody);
    let script = r#"read input; echo '{"prompt": 7, "message": "?"}'; read a; echo "$a""#;
    let (finished, answered) = talk(&there(), script, PATIENT).await;
    assert!(finished.stdout.bytes.ends_with(b"{\"prompt_response\":7,\"selected\":null}\n"));
    assert_eq!(
        answered[0].warning().as_deref(),
        Some("the question `7` was not asked: `prompt` must be a string, not a number")
    );
}

// rules: Q1, H4
#[tokio::test]
async fn a_hook_that_ends_takes_its_questions_along() {
    let script = format!(
        "echo '{}'; echo '{}'; printf '%s' '{}'",
        question("a", "wait 60000"),
        question("b", "?"),
        question("c", "?")
    );
    let desk = there();
    let (finished, answered) = talk(&desk, &script, PATIENT).await;
    assert_eq!(finished.end, End::Exited(0));
    let of: Vec<(&str, bool)> =
        answered.iter().map(|one| (one.id.as_str(), one.answer == Answer::Withdrawn)).collect();
    assert_eq!(of, [("c", false), ("a", true), ("b", true)]);
    // The next hook is not delayed.
    let script = format!("read input; echo '{}'; read a; echo \"$a\"", question("q", "?"));
    assert_eq!(talk(&desk, &script, PATIENT).await.1[0].answer, Answer::Selected("y".into()));
}

// rules: Q2, A2
#[tokio::test]
async fn a_question_that_nobody_hears_any_more_holds_no_limit_up() {
    let (runner, cancel, control) = (Runner::new(), CancellationToken::new(), Control::with_open_stdin());
    let interview = Interview::new("the hook", there(), control.clone());
    interview.end();
    let script = format!("echo '{}'; sleep 60", question("q", "?"));
    let command = Command::new(Program::shell(script), "/");
    let limits = Limits { deadline: Some(Duration::from_millis(500)), ..Limits::default() };
    let mut sink = |chunk: becket_process::Chunk<'_>| interview.read(chunk.bytes);
    let run = runner.run_with(&command, &limits, &cancel, control, &mut sink);
    let finished = tokio::time::timeout(PATIENT, run).await.expect("the limit counts").expect("it starts");
    assert_eq!((finished.end, interview.end()), (End::TimedOut, Vec::new()));
}

// rule: Q1
#[tokio::test]
async fn a_hook_that_asks_without_end_and_never_reads_costs_no_memory() {
    let script = format!("yes '{}' | head -n 100000", question("q", "?"));
    let (finished, answered) = talk(&there(), &script, PATIENT).await;
    assert_eq!(finished.end, End::Exited(0));
    assert_eq!(answered.len(), crate::host::questions::lines::MOST_ANSWERS + 1);
}
