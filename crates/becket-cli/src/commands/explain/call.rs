//! `becket explain --call`: a tool call of a past session.

use crate::args::{ExplainArgs, Global};
use crate::commands::fire::{report_errors, started};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::{human, json};
use crate::session;
use crate::transcripts;
use becket_base::secret::Redactor;
use becket_base::text::one_line;
use becket_embed::view::Report;
use becket_embed::view::call::{CallEvent, CallReport, RecordedHook};
use becket_embed::view::planned::PlanReport;
use becket_engine::Engine;
use becket_lab::samples;
use becket_lab::transcript::{RecordedAnswer, RecordedEvent, RecordedOutput, events_of_call};
use becket_model::wire::input;
use serde_json::Value;
use std::path::Path;

/// The maximum length of a recorded text, in characters.
const WIDTH: usize = 400;

/// Finds the call and shows its events, as recorded and as planned today.
pub(super) fn run(
    id: &str,
    args: &ExplainArgs,
    global: &Global,
    around: &Surroundings,
    out: &Out,
) -> CommandResult {
    let session = session::in_project(global, around, out)?;
    let root = session.project.as_deref().unwrap_or(&session.start).to_owned();
    let paths = transcripts::find(&args.transcript, &session, &root, around)?;
    let engine = started(session.builder(true).build(), around, out)?;
    report_errors(&engine, around, out);
    for path in &paths {
        let events = events_of_call(path, id).map_err(|why| CliError::unread(path, &why))?;
        if !events.is_empty() {
            return print(report(id, &events, &engine, &session.start, around), global, around, out);
        }
    }
    Err(CliError::NoSuchCall { id: id.to_owned(), files: paths.len() })
}

fn print(report: CallReport, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    if global.json {
        json::print(&Report::ExplainCall(report), out)?;
    } else {
        out.print(&human::called::render(&report, around))?;
    }
    Ok(0)
}

fn report(
    id: &str,
    events: &[RecordedEvent],
    engine: &Engine,
    start: &Path,
    around: &Surroundings,
) -> CallReport {
    let mut redactor = transcripts::secrets(around);
    events.iter().for_each(|event| event.add_secrets_to(&mut redactor));
    let line = |text: &str| one_line(&redactor.redact(text), WIDTH);
    CallReport {
        call: id.to_owned(),
        session: events.first().map(RecordedEvent::session).unwrap_or_default().to_owned(),
        headline: line(&events.first().map(RecordedEvent::headline).unwrap_or_default()),
        events: events
            .iter()
            .map(|event| {
                let planned = planned(event, engine, start, around);
                CallEvent {
                    file: event.file.to_string_lossy().into_owned(),
                    line: event.line,
                    time: event.time.map(|time| time.to_string()),
                    recorded: all_recorded(event, &redactor),
                    misfit: planned.as_ref().err().map(|why| line(why)),
                    plan: planned.ok(),
                }
            })
            .collect(),
    }
}

/// Returns the plan of a recorded event.
///
/// # Errors
/// Returns the reason why the event's fields do not match its kind.
fn planned(
    event: &RecordedEvent,
    engine: &Engine,
    start: &Path,
    around: &Surroundings,
) -> Result<PlanReport, String> {
    let mut fields = event.fields.clone();
    let samples = samples::fill(&mut fields, event.kind.spec(), start, &around.process.temp);
    let event = input::from_value(Value::Object(fields)).map_err(|error| error.to_string())?;
    Ok(PlanReport::explain(engine, &event, samples))
}

/// The name of a hook of which only the reason is recorded.
const UNNAMED: &str = "(the hook is not recorded)";

/// Returns the recorded answers. A hook's output and its effect are two records of the same answer.
fn all_recorded(event: &RecordedEvent, redactor: &Redactor) -> Vec<RecordedHook> {
    let mut hooks: Vec<RecordedHook> = Vec::new();
    for answer in &event.answers {
        let hook = recorded(answer, redactor);
        let same = hooks.iter_mut().find(|known| known.command == hook.command && known.result == "printed");
        match same.filter(|_| hook.result == "denied") {
            Some(known) => (known.result, known.text) = (hook.result, hook.text),
            None => hooks.push(hook),
        }
    }
    hooks
}

fn recorded(answer: &RecordedAnswer, redactor: &Redactor) -> RecordedHook {
    let (result, exit, text) = match &answer.output {
        RecordedOutput::Printed { exit, stdout, stderr } => {
            let text = if stdout.trim().is_empty() { stderr } else { stdout };
            ("printed", Some(*exit), Some(text))
        }
        RecordedOutput::Denied { reason } => ("denied", None, Some(reason)),
        RecordedOutput::Cancelled => ("cancelled", None, None),
        RecordedOutput::Ran => ("ran", None, None),
    };
    let line = |text: &str| one_line(&redactor.redact(text), WIDTH);
    RecordedHook {
        command: answer.command.as_deref().map_or_else(|| UNNAMED.to_owned(), line),
        result,
        exit,
        text: text.filter(|text| !text.trim().is_empty()).map(|text| line(text)),
        elapsed_ms: answer.elapsed.map(|elapsed| elapsed.as_secs_f64() * 1_000.0),
    }
}
