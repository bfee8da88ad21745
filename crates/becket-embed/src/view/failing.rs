//! Advice on failures for the authors of hooks.

use becket_model::table::{EventSpec, Exit2Effect};
use becket_model::{Failure, OnFailure};

/// The maximum number of lines of a failed hook's output that are shown.
const LINES: usize = 5;
/// The maximum length of such a line, in characters.
const LONGEST: usize = 300;

/// Returns advice on an exit code that was perhaps meant to block; `None` if it does block.
pub fn advice(spec: &EventSpec, failure: Option<&Failure>, on_failure: OnFailure) -> Option<String> {
    let Some(Failure::PlainError { code, .. }) = failure else { return None };
    let effect = spec.exit_2.effect;
    if !effect.blocks() || on_failure == OnFailure::Block {
        return None;
    }
    let goes_on = match effect {
        Exit2Effect::Feedback => {
            return Some(format!(
                "exit code {code} is an error that only the user sees; to tell the model, exit with 2"
            ));
        }
        Exit2Effect::RejectPrompt => "the prompt is sent",
        Exit2Effect::BlockExpansion => "the command is expanded",
        Exit2Effect::ContinueTurn => "the turn ends",
        Exit2Effect::StopLoop => "the turn goes on",
        Exit2Effect::Rollback => "the task is created",
        Exit2Effect::RefuseCompletion => "the task is completed",
        Exit2Effect::KeepWorking => "the teammate stops",
        Exit2Effect::BlockCompaction => "the conversation is compacted",
        Exit2Effect::BlockSwitch => "the model is switched",
        Exit2Effect::BlockChange => "the settings change",
        Exit2Effect::DenyTool | Exit2Effect::Decline => "the action runs",
        Exit2Effect::FailCreation | Exit2Effect::Proceed | Exit2Effect::Ignored => return None,
    };
    Some(format!("exit code {code} is an error, not a block: {goes_on}; to block, exit with 2"))
}

/// Describes the failure; if the last lines of the output are shown as well, without the first line of stderr.
pub fn headline(failure: &Failure) -> String {
    if let Failure::PlainError { code, .. } = failure {
        return format!("ended with exit code {code}");
    }
    failure.to_string()
}

/// Returns the last lines of a hook with a plain error: of stderr, or of stdout if stderr is empty.
pub fn last_lines(failure: Option<&Failure>, stdout: &[u8], stderr: &[u8]) -> Vec<String> {
    if !matches!(failure, Some(Failure::PlainError { .. })) {
        return Vec::new();
    }
    let of = |bytes: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(bytes);
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let from = lines.len().saturating_sub(LINES);
        lines[from..].iter().map(|line| line.chars().take(LONGEST).collect()).collect()
    };
    let lines = of(stderr);
    if lines.is_empty() { of(stdout) } else { lines }
}
