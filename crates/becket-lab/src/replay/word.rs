//! The decision of one handler in one word, whether it ran or is recorded.

use crate::check;
use crate::transcript::RecordedOutput;
use becket_engine::Run;
use becket_model::interpret::{self, HandlerOutput, OutputOrigin};
use becket_model::{EventKind, Failure, OnFailure, Reply};

/// Returns the word for a run.
pub(super) fn of_run(run: &Run) -> &'static str {
    of(&run.reply, run.failure.as_ref())
}

/// Returns the word for a recorded output; `None` if its meaning is not known.
pub(super) fn of_record(kind: EventKind, output: &RecordedOutput) -> Option<&'static str> {
    match output {
        RecordedOutput::Printed { exit, stdout, stderr } => {
            let output = HandlerOutput {
                exit: *exit,
                stdout: stdout.as_bytes(),
                lost: 0,
                stderr: stderr.as_bytes(),
                by: OutputOrigin::Command,
                on_failure: OnFailure::Continue,
            };
            let taken = interpret::printed(kind.spec(), &output);
            Some(of(&taken.reply, taken.failure.as_ref()))
        }
        RecordedOutput::Denied { .. } => Some("deny"),
        RecordedOutput::Cancelled => Some("failed"),
        RecordedOutput::Ran => None,
    }
}

fn of(reply: &Reply, failure: Option<&Failure>) -> &'static str {
    if let Some(decision) = check::decided_by(reply) {
        return one_word(decision);
    }
    if failure.is_some() {
        return "failed";
    }
    if reply.fields.updated_input.is_some() {
        return "rewrite";
    }
    if reply.context.is_empty() { "pass" } else { "context" }
}

/// Returns the common word for a decision with two names.
pub(super) fn one_word(decision: &'static str) -> &'static str {
    if decision == "block" { "deny" } else { decision }
}

/// Returns whether a decision denies or blocks.
pub(super) fn holds_back(word: &str) -> bool {
    matches!(word, "deny" | "ask" | "stop" | "defer")
}
