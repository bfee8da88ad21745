//! The output of ended hooks that counts, as cases in `tests/cases/background-answers.json`.

use super::*;
use crate::report::outcome::OutputSizes;
use crate::testing;
use becket_model::EventKind;
use bytes::Bytes;
use serde::Deserialize;
use std::time::Duration;

/// One case: the end of a hook, and the expected result.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// Read by people and by the table of rules.
    rule: String,
    #[serde(default = "post_tool_use")]
    event: String,
    #[serde(default)]
    rewake: bool,
    #[serde(default)]
    exit: i32,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
    #[serde(default)]
    context: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    reminder: Option<String>,
    #[serde(default = "success")]
    status: String,
    #[serde(default)]
    failure: Option<String>,
    /// A part of each warning, in order.
    #[serde(default)]
    warnings: Vec<String>,
}

fn post_tool_use() -> String {
    "PostToolUse".to_owned()
}

fn success() -> String {
    "success".to_owned()
}

fn handler(event: &str) -> Arc<Handler> {
    let event = EventKind::ALL.into_iter().find(|kind| kind.name() == event).unwrap();
    Arc::new(Handler { event, ..testing::command("x") })
}

fn ended(exit: i32, stdout: &str, stderr: &str) -> BackgroundEnd {
    BackgroundEnd {
        exit: Some(exit),
        stdout: Bytes::copy_from_slice(stdout.as_bytes()),
        stderr: Bytes::copy_from_slice(stderr.as_bytes()),
        printed: OutputSizes { stdout: stdout.len() as u64, stderr: stderr.len() as u64 },
        ..BackgroundEnd::default()
    }
}

#[test]
fn every_case_comes_out_as_it_says() {
    // rules: A3, A4
    let cases: Vec<Case> =
        serde_json::from_str(include_str!("../../../tests/cases/background-answers.json")).unwrap();
    assert!(cases.len() > 25);
    for case in cases {
        let judged = judge(handler(&case.event), case.rewake, ended(case.exit, &case.stdout, &case.stderr));
        let (run, name) = (judged.run, format!("{} ({})", case.name, case.rule));
        assert_eq!(run.reply.context.first().map(|said| said.text.clone()), case.context, "{name}");
        assert_eq!(run.reply.system_message, case.message, "{name}");
        assert_eq!(judged.reminder.map(|said| said.text), case.reminder, "{name}");
        assert_eq!(run.status.as_str(), case.status, "{name}");
        assert_eq!(run.failure.map(|failure| failure.to_string()), case.failure, "{name}");
        assert_eq!(run.warnings.len(), case.warnings.len(), "{name}: {:?}", run.warnings);
        for (warning, part) in run.warnings.iter().zip(&case.warnings) {
            assert!(warning.contains(part), "{name}: {warning}");
        }
        assert_eq!((run.reply.decision, run.reply.stop), (None, None), "{name}");
        assert_eq!(run.exit, Some(case.exit), "{name}");
    }
}

#[test]
fn a_run_without_an_exit_code_says_nothing_and_tells_why() {
    // rules: A3, H4
    let spoken = ended(0, r#"{"systemMessage": "half of it"}"#, "");
    for (failure, status) in [
        (Failure::TimedOut { limit: Duration::from_secs(1) }, Status::Cancelled),
        (Failure::Cancelled, Status::Cancelled),
        (Failure::Signaled { signal: 9 }, Status::Error),
        (Failure::CannotStart { message: "gone".into() }, Status::Error),
    ] {
        let ended = BackgroundEnd { exit: None, failure: Some(failure.clone()), ..spoken.clone() };
        let BackgroundResult { run, reminder } = judge(handler("Stop"), true, ended);
        assert_eq!((run.status, run.failure, reminder), (status, Some(failure), None));
        assert_eq!(run.reply, Reply::default(), "what it printed decides nothing");
    }
}

#[test]
fn an_answer_of_which_only_the_beginning_was_kept_is_not_read() {
    // rules: A3, O1
    let mut cut = ended(0, r#"{"systemMessage": "a long"#, "");
    cut.printed.stdout = 5_000;
    let run = judge(handler("Stop"), false, cut).run;
    assert!(run.failure.unwrap().to_string().contains("longer than the 25 bytes"));
    assert_eq!(run.reply, Reply::default());
}

#[test]
fn output_that_is_not_utf_8_is_read_with_replacement_characters() {
    // rules: A3, O11
    let stdout = Bytes::from_static(b"{\"systemMessage\": \"caf\xe9\"}");
    let run = judge(handler("Stop"), false, BackgroundEnd { stdout, ..ended(0, "", "") }).run;
    assert_eq!(run.reply.system_message.unwrap(), "caf\u{fffd}");
}
