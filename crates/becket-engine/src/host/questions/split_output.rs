//! Removes the questions from the output of a hook, before it is read as an answer (Q1, O1).

use super::lines::{LineQuestion, Reader};
use super::parse::MARK;
use bytes::{Bytes, BytesMut};

/// The output of a hook, with its questions separate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SplitOutput {
    /// Everything except the questions, byte for byte.
    pub(crate) rest: Bytes,
    /// The questions, in order.
    pub(crate) questions: Vec<LineQuestion>,
}

impl SplitOutput {
    /// Returns the first valid question, which a hook without `questions: true` must not print (Q1).
    pub(crate) fn first_question(&self) -> Option<&str> {
        self.questions.iter().find_map(|found| found.as_ref().ok()).map(|question| question.id.as_str())
    }
}

/// Splits stdout into questions and the rest. Copies nothing if there is no question.
pub(crate) fn split_output(stdout: &Bytes) -> SplitOutput {
    if !stdout.windows(MARK.len()).any(|part| part == MARK) {
        return SplitOutput { rest: stdout.clone(), questions: Vec::new() };
    }
    let mut reader = Reader::default();
    let mut rest = BytesMut::new();
    let mut questions = Vec::new();
    // The beginning of the part that is not yet in `rest`.
    let mut kept = 0;
    let mut at = 0;
    for line in stdout.split_inclusive(|byte| *byte == b'\n') {
        let end = at + line.len();
        if let Some(found) = reader.line(line) {
            questions.push(found);
            rest.extend_from_slice(&stdout[kept..at]);
            kept = end;
        }
        at = end;
    }
    if questions.is_empty() {
        return SplitOutput { rest: stdout.clone(), questions };
    }
    rest.extend_from_slice(&stdout[kept..]);
    SplitOutput { rest: rest.freeze(), questions }
}
