//! A line whose end is awaited.

use super::bash::Bash;
use super::leader::{LineCommand, Streams};
use super::line_output::{LineEnd, LineOutput, add_refused, is_silent, joined};
use super::report::Report;
use super::script;
use super::whereabouts;
use super::whole::{CollectedOutput, Whole};
use crate::programs::LineCall;
use becket_engine::{RunningCall, ToolFailure, ToolOutput};
use becket_llm::Block;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io;
use std::time::Duration;

/// The media types of pictures that a model accepts.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// Runs a line to its end, and moves the session to the final directory of its shell.
pub(super) async fn run(
    bash: &Bash,
    running: RunningCall<'_>,
    line: &str,
    limit: Duration,
) -> Result<ToolOutput, ToolFailure> {
    let cwd = &running.session.cwd;
    let report = Report::new(bash.tasks.directory());
    let mut notes = Vec::new();
    let own = own(bash, &report, line).unwrap_or_else(|error| {
        notes.push(format!("Shell cwd can't be followed, the session stays in {}: {error}", cwd.display()));
        vec!["-c".into(), line.into()]
    });
    let mut output = LineOutput::new(Whole::new(bash.tasks.directory().to_owned()));
    let call = LineCall::of(&running);
    let (host, streams) = (&bash.host, Streams::Joined);
    let led = LineCommand { host, call: &call, line, own, streams, limit: Some(limit) };
    let finished = led.run(running.cancel, &mut output).await;
    let finished = finished.map_err(|error| ToolFailure::new(error.to_string()))?;
    let ended = LineEnd::of(finished.code, finished.end, limit);
    // The report of a line that was ended from outside is ignored.
    let state = report.ok().and_then(|report| report.read()).filter(|_| !ended.is_interrupted());
    notes.extend(state.and_then(|shell_was| whereabouts::settle(&*bash.whereabouts, cwd, &shell_was)));
    let mut answer = answer(&ended, output.kept.printed(), notes, line)?;
    add_refused(&mut answer.response, &finished.denied, &finished.refusals);
    Ok(answer)
}

/// Returns the arguments of a shell that reports its directory.
fn own(bash: &Bash, report: &io::Result<Report>, line: &str) -> Result<Vec<OsString>, String> {
    let report = report.as_ref().map_err(io::Error::to_string)?;
    let file = report.file().map_err(|error| error.to_string())?;
    Ok(script::tracked(bash.host.shell.clone().into_os_string(), line, &file))
}

fn answer(
    ended: &LineEnd,
    printed: CollectedOutput,
    mut notes: Vec<String>,
    line: &str,
) -> Result<ToolOutput, ToolFailure> {
    let CollectedOutput { text: stdout, total, file, error } = printed;
    if let Some(file) = &file {
        notes.push(format!("The output is {total} bytes long; all of it is in {}", file.display()));
    }
    notes.extend(error.map(|error| format!("The whole output could not be kept: {error}")));
    let stderr = notes.join("\n");
    if *ended != LineEnd::Well {
        let error = joined(&[&ended.words(), &stdout, &stderr]);
        return Err(ToolFailure::new(error).interrupted(*ended == LineEnd::Cancelled));
    }
    let picture = picture(&stdout).filter(|_| stderr.is_empty());
    let response = json!({
        "stdout": stdout,
        "stderr": stderr,
        "interrupted": ended.is_interrupted(),
        "isImage": picture.is_some(),
        "noOutputExpected": is_silent(line),
    });
    let content = picture.unwrap_or_else(|| Block::Text(joined(&[&stdout, &stderr])));
    Ok(ToolOutput::new(vec![content], response))
}

/// Returns the output that the model sees for a response of this tool; `None` if the response does not have the
/// expected shape (D11).
pub(super) fn shown(response: &Value) -> Option<ToolOutput> {
    let text = |field: &str| response.get(field).and_then(Value::as_str);
    let (stdout, stderr) = (text("stdout")?, text("stderr")?);
    response.get("interrupted")?.as_bool()?;
    Some(ToolOutput::text(joined(&[stdout, stderr]), response.clone()))
}

/// Returns a picture that was printed as a data URL.
fn picture(text: &str) -> Option<Block> {
    let (kind, data) = text.trim().strip_prefix("data:")?.split_once(";base64,")?;
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let fits = PICTURES.contains(&kind) && !data.is_empty() && data.chars().all(is_base64);
    fits.then(|| Block::Image { media_type: kind.to_owned(), data: data.to_owned() })
}
