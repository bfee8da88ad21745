//! A handler's raw output becomes a [`Reply`], a [`Failure`], or both: rules O1–O7 and O9–O11.
//!
//! Pure and total: every exit code and every byte has a meaning, and nothing here panics, spawns or prints. What an
//! event does with an answer is read from its row of [`crate::table`]. Nothing is capped (O8 is the host's), and
//! several handlers are combined elsewhere (in [`crate::fold`]).
//!
//! Two places where the rules meet, and how they are read:
//! - An exit code of O10 (126, 127, 255, 129–192) counts as no usable answer even with valid JSON on stdout: O10 names
//!   the codes, O4 only mentions "any other". A warning says that the JSON was not read.
//! - On exit 2 the handler *has* answered, so JSON that breaks O1, O5 or O6 beside it is a warning, not a failure.
//!
//! Under `onFailure: "block"` more counts as no usable answer; `closed.rs` has all of that.

mod announcement;
mod answer;
mod closed;
mod json_answer;
mod misplaced;
mod misspelt;
mod model;
mod sandbox;
mod stdout;
mod terminal;
mod worktree;

pub use announcement::{Announcement, announcement};
pub use json_answer::{JsonAnswer, parse_message, parse_object};
pub use model::{ModelAnswer, judged};

use crate::failure::Failure;
use crate::reply::{ContextText, DecidedBy, Decision, Notice, Reply, RequestDecision};
use crate::source::OnFailure;
use crate::table::{Audience, DecisionModel, EventSpec, PlainStdout};
use crate::wire::output::{Output, unknown_fields};
use misplaced::{MisplacedField, misplaced};
use stdout::Stdout;

/// The reason of a block that gives none (O9).
pub(crate) const BLOCKED: &str = "Blocked by hook";
/// The reason of an exit 2 that says nothing (O5).
const NO_STDERR: &str = "no stderr output";

/// The output of a handler, and its end.
#[derive(Debug, Clone, Copy)]
pub struct HandlerOutput<'a> {
    /// Its exit code; a signal is a [`Failure::Signaled`] and never comes here.
    pub exit: i32,
    /// Its stdout, question lines (Q1) already taken out.
    pub stdout: &'a [u8],
    /// The number of bytes of stdout that were dropped past the cap (H3).
    pub lost: u64,
    /// Its stderr.
    pub stderr: &'a [u8],
    /// The kind of printer.
    pub by: OutputOrigin,
    /// The meaning of its failure.
    pub on_failure: OnFailure,
}

impl HandlerOutput<'_> {
    /// Returns an empty output with exit code 0, from a handler whose failure decides nothing.
    pub const fn nothing(by: OutputOrigin) -> Self {
        HandlerOutput { exit: 0, stdout: b"", lost: 0, stderr: b"", by, on_failure: OnFailure::Continue }
    }
}

/// The kind of handler that printed a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputOrigin {
    /// A process; on WorktreeCreate its stdout is never parsed (O1).
    Command,
    /// The text content of an MCP tool, read as stdout with exit 0 (H6).
    McpText,
}

/// The meaning of an output.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Interpretation {
    /// The reply that counts.
    pub reply: Reply,
    /// The reason why there is no usable answer, or the plain error of O4.
    pub failure: Option<Failure>,
    /// Warnings for the hook's author: fields without effect.
    pub warnings: Vec<String>,
    /// Paths of fields that the event does not have (O5).
    pub unknown_fields: Vec<String>,
}

impl Interpretation {
    /// Adds a warning that an answer was not read, which may have been a refusal (O10).
    fn add_lost_refusal(&mut self, warning: String) {
        self.reply.notices.push(lost_refusal(warning.clone()));
        self.warnings.push(warning);
    }
}

/// Reads what a command or an MCP tool printed.
pub fn printed(spec: &EventSpec, printed: &HandlerOutput<'_>) -> Interpretation {
    let stderr = String::from_utf8_lossy(printed.stderr);
    let stderr = stderr.trim();
    let announced = announcement(printed.stdout);
    let body = &printed.stdout[announced.as_ref().map_or(0, |line| line.length)..];
    let text = String::from_utf8_lossy(body);
    let mut taken = if spec.decision == DecisionModel::Path && printed.by == OutputOrigin::Command {
        made_worktree(spec, printed.exit, &text, stderr)
    } else if is_no_verdict(printed.exit) {
        no_verdict(spec, printed.exit, &text, stderr)
    } else {
        let stdout = stdout::read(spec, &text);
        let closed = closed::Output { spec, printed, body, is_text: matches!(stdout, Stdout::Plain(_)) };
        let taken = match printed.exit {
            0 => succeeded(spec, stdout, printed.on_failure),
            2 if spec.exit_2.effect.blocks() => blocked(spec, stdout, stderr),
            2 => unblocked(spec, stdout, stderr),
            code => ended(spec, stdout, code, stderr),
        };
        closed.hold(or_cut(spec, taken, printed, &text), first_line(stderr))
    };
    taken.warnings.extend(announced.and_then(|line| line.warning));
    if printed.exit == 0
        && !closed::holds_back(spec, &taken)
        && closed::refuses_on_stderr(spec, printed.stderr)
    {
        taken
            .add_lost_refusal("the answer on stderr is not read: print the JSON object to stdout".to_owned());
    }
    forget_what_is_discarded(spec, &mut taken);
    retain_lost_refusals(spec, taken)
}

/// Reads an answer that is JSON already: an HTTP response's body, or the return value of an in-process handler. An empty
/// body is an empty object.
pub fn object(spec: &EventSpec, answer: &JsonAnswer, on_failure: OnFailure) -> Interpretation {
    let taken = understood(spec, answer);
    let taken = if on_failure.closes(spec) { closed::hold_answer(spec, answer, taken) } else { taken };
    retain_lost_refusals(spec, taken)
}

/// Removes the notices of refusals that were not read if nothing was lost: the event decides nothing, the handler refuses
/// in another way, or it has failed, which is reported.
fn retain_lost_refusals(spec: &EventSpec, mut taken: Interpretation) -> Interpretation {
    if !misplaced::decides(spec) || taken.failure.is_some() || closed::holds_back(spec, &taken) {
        taken.reply.notices.retain(|notice| !notice.unchecked);
    }
    taken
}

fn understood(spec: &EventSpec, answer: &JsonAnswer) -> Interpretation {
    let object = answer.object();
    let mut unknown_fields = unknown_fields(spec, object);
    let misplaced = misplaced(spec, object);
    let mut warnings = warnings_of(answer, &misplaced);
    let sandbox = sandbox::of(spec, answer);
    if sandbox.is_some() {
        // The field has an effect in any other place, too.
        unknown_fields.retain(|path| path.rsplit('.').next() != Some(sandbox::SANDBOX));
    }
    match Output::read(spec, object).and_then(|output| answer::reply(spec, &output, &mut warnings)) {
        Ok(mut reply) => {
            if sandbox.is_some() {
                reply.fields.sandbox = sandbox;
            }
            let lost = misplaced.into_iter().filter(|field| field.is_refusal);
            reply.notices.extend(lost.map(|field| lost_refusal(field.warning)));
            Interpretation { reply, failure: None, warnings, unknown_fields }
        }
        Err(failure) => {
            let mut taken = Interpretation { warnings, unknown_fields, ..failed(failure) };
            // The rights of an answer without effect are not known, which is not all of them.
            let why = taken.failure.as_ref().map_or_else(String::new, ToString::to_string);
            if sandbox.is_some() {
                taken.reply.fields.sandbox = Some(sandbox::unread(why));
            }
            taken
        }
    }
}

/// Warnings about keys that occur twice and about fields that have no effect.
fn warnings_of(answer: &JsonAnswer, misplaced: &[MisplacedField]) -> Vec<String> {
    let repeated = answer
        .repeated()
        .iter()
        .map(|path| format!("`{path}` occurs more than once in its answer: the strictest value counts"));
    repeated.chain(misplaced.iter().map(|field| field.warning.clone())).collect()
}

/// Returns the notice of a refusal that was not read.
fn lost_refusal(warning: String) -> Notice {
    Notice { unchecked: true, ..Notice::new(Audience::User, warning) }
}

/// Converts a failure. It decides nothing itself: the fold interprets it by the handler's [`OnFailure`].
pub fn failed(failure: Failure) -> Interpretation {
    Interpretation { failure: Some(failure), ..Interpretation::default() }
}

/// Returns whether shells use the code if there was no real answer (O10).
fn is_no_verdict(exit: i32) -> bool {
    matches!(exit, 126 | 127 | 255 | 129..=192)
}

fn no_verdict(spec: &EventSpec, code: i32, text: &str, stderr: &str) -> Interpretation {
    let mut taken = failed(Failure::NoVerdictExit { code, stderr_line: first_line(stderr) });
    if matches!(stdout::read(spec, text), Stdout::Object(_)) {
        taken.warnings.push(format!("its JSON answer was not read, since it ended with exit code {code}"));
    }
    taken
}

fn succeeded(spec: &EventSpec, stdout: Stdout<'_>, on_failure: OnFailure) -> Interpretation {
    match stdout {
        Stdout::Nothing if spec.decision == DecisionModel::Path => path_of(""),
        Stdout::Nothing => Interpretation::default(),
        Stdout::Object(answer) => object(spec, &answer, on_failure),
        Stdout::Plain(text) => plain(spec, text),
        Stdout::Broken(failure) => failed(failure),
    }
}

/// Interprets plain text on exit 0 (O2).
fn plain(spec: &EventSpec, text: &str) -> Interpretation {
    let mut taken = Interpretation::default();
    match spec.plain_stdout {
        PlainStdout::Context => {
            taken.reply.context.push(ContextText { text: text.to_owned(), plain: true });
        }
        PlainStdout::User => {
            taken.reply.notices.push(Notice { plain: true, ..Notice::new(Audience::User, text) })
        }
        PlainStdout::Log => {
            taken.reply.notices.push(Notice { plain: true, ..Notice::new(Audience::Log, text) })
        }
        PlainStdout::Path => return path_of(text),
    }
    if spec.decision != DecisionModel::None
        && let Some(warning) = stdout::hidden_answer(spec, text)
    {
        taken.add_lost_refusal(warning.to_owned());
    }
    taken
}

/// Interprets exit 2 on an event that it blocks: it does, whatever else is printed (O3, O5).
fn blocked(spec: &EventSpec, stdout: Stdout<'_>, stderr: &str) -> Interpretation {
    let mut taken = Interpretation::default();
    let mut reason = None;
    match stdout {
        Stdout::Object(answer) => {
            let object = answer.object();
            taken.unknown_fields = unknown_fields(spec, object);
            taken.warnings = warnings_of(&answer, &misplaced(spec, object));
            let output = if spec.decision == DecisionModel::Elicitation {
                Output::read_universal(spec, object)
            } else {
                Output::read(spec, object)
            };
            match output {
                Ok(output) => {
                    reason = answer::blocking_reason(spec, &output);
                    match answer::reply(spec, &output, &mut taken.warnings) {
                        Ok(reply) => taken.reply = reply,
                        Err(failure) => taken.warnings.push(failure.to_string()),
                    }
                }
                Err(failure) => taken.warnings.push(failure.to_string()),
            }
        }
        Stdout::Broken(failure) => taken.warnings.push(failure.to_string()),
        Stdout::Nothing | Stdout::Plain(_) => {}
    }
    let reason = reason.unwrap_or_else(|| or_silence(stderr).to_owned());
    let interrupts = matches!(
        taken.reply.decision,
        Some(Decision::PermissionRequest(RequestDecision::Deny { interrupt: true, .. }))
    );
    taken.reply.decision = Decision::block(spec, reason, DecidedBy::Exit2);
    if let Some(Decision::PermissionRequest(RequestDecision::Deny { interrupt, .. })) =
        &mut taken.reply.decision
    {
        *interrupt = interrupts;
    }
    taken
}

/// Interprets exit 2 on an event that it does not block: the JSON counts, and stderr is shown as the table says (O3).
fn unblocked(spec: &EventSpec, stdout: Stdout<'_>, stderr: &str) -> Interpretation {
    let mut taken = match stdout {
        Stdout::Object(answer) => understood(spec, &answer),
        Stdout::Broken(failure) => failed(failure),
        Stdout::Nothing | Stdout::Plain(_) => Interpretation::default(),
    };
    if spec.exit_2.audience != Audience::None && !stderr.is_empty() {
        taken.reply.notices.push(Notice::new(spec.exit_2.audience, stderr));
    }
    taken.warnings.push(format!("exit code 2 blocks nothing on `{}`", spec.kind));
    taken
}

/// Interprets another exit code: the JSON decides, and without one it is a plain error (O4).
fn ended(spec: &EventSpec, stdout: Stdout<'_>, code: i32, stderr: &str) -> Interpretation {
    match stdout {
        Stdout::Object(answer) => understood(spec, &answer),
        Stdout::Broken(failure) => failed(failure),
        Stdout::Nothing | Stdout::Plain(_) => {
            failed(Failure::PlainError { code, stderr_line: first_line(stderr) })
        }
    }
}

/// Interprets the output of a command on WorktreeCreate: a path, and only on exit 0 (O1, O4).
fn made_worktree(spec: &EventSpec, exit: i32, text: &str, stderr: &str) -> Interpretation {
    match exit {
        0 => path_of(text),
        2 => Interpretation {
            reply: Reply {
                decision: Decision::block(spec, or_silence(stderr).to_owned(), DecidedBy::Exit2),
                ..Reply::default()
            },
            ..Interpretation::default()
        },
        code if is_no_verdict(code) => {
            failed(Failure::NoVerdictExit { code, stderr_line: first_line(stderr) })
        }
        code => failed(Failure::PlainError { code, stderr_line: first_line(stderr) }),
    }
}

fn path_of(text: &str) -> Interpretation {
    match worktree::last_line(text) {
        Ok(path) => Interpretation {
            reply: Reply { decision: Some(Decision::Worktree(path)), ..Reply::default() },
            ..Interpretation::default()
        },
        Err(failure) => failed(failure),
    }
}

/// Replaces an answer of which only the beginning was kept by an error, never a text, on every event that waits for
/// answers (O1): the rest is not known. If only blanks were kept, it may not even have been an answer.
fn or_cut(
    spec: &EventSpec,
    mut taken: Interpretation,
    printed: &HandlerOutput<'_>,
    text: &str,
) -> Interpretation {
    let is_open = matches!(taken.failure, None | Some(Failure::InvalidJson { .. }));
    if printed.lost == 0 || !is_open || taken.reply.decision.is_some() || spec.discards_output() {
        return taken;
    }
    let kept = printed.stdout.len();
    let message = format!("it is longer than the {kept} bytes that are kept, so it was not read");
    if text.trim_start_matches(stdout::is_leading).starts_with('{') {
        let line = 1 + text.matches('\n').count();
        let column = 1 + text.bytes().rev().take_while(|byte| *byte != b'\n').count();
        return failed(Failure::InvalidJson { message, line, column });
    }
    if spec.decision != DecisionModel::None && spec.plain_stdout != PlainStdout::Context {
        taken.add_lost_refusal(format!("the end of its output was not read: {message}"));
    }
    taken
}

/// Drops failures on an event that discards output: nothing went unchecked (O4).
fn forget_what_is_discarded(spec: &EventSpec, taken: &mut Interpretation) {
    let of_output = matches!(
        taken.failure,
        Some(
            Failure::InvalidJson { .. }
                | Failure::WrongField { .. }
                | Failure::WrongEvent { .. }
                | Failure::PlainError { .. }
        )
    );
    if spec.discards_output() && of_output {
        taken.warnings.extend(taken.failure.take().map(|failure| failure.to_string()));
    }
}

fn or_silence(stderr: &str) -> &str {
    if stderr.is_empty() { NO_STDERR } else { stderr }
}

fn first_line(stderr: &str) -> Option<String> {
    stderr.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned)
}
