//! Takes the questions out of what a hook printed, before it is read as an answer (Q1, O1).

use super::lines::{LineQuestion, Reader};
use super::parse::MARK;
use bytes::{Bytes, BytesMut};

/// The output of a hook, with its questions separate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TakenOut {
    /// Everything but the questions, byte for byte.
    pub(crate) rest: Bytes,
    /// The questions, in order.
    pub(crate) asked: Vec<LineQuestion>,
}

impl TakenOut {
    /// The first proper question: what a hook without `questions: true` must not print (Q1).
    pub(crate) fn first_question(&self) -> Option<&str> {
        self.asked.iter().find_map(|found| found.as_ref().ok()).map(|asked| asked.id.as_str())
    }
}

/// Splits stdout into questions and the rest. Copies nothing if there is no question.
pub(crate) fn taken_out(stdout: &Bytes) -> TakenOut {
    if !stdout.windows(MARK.len()).any(|part| part == MARK) {
        return TakenOut { rest: stdout.clone(), asked: Vec::new() };
    }
    let mut reader = Reader::default();
    let mut rest = BytesMut::new();
    let mut asked = Vec::new();
    // Where the part begins that is not yet in `rest`.
    let mut kept = 0;
    let mut at = 0;
    for line in stdout.split_inclusive(|byte| *byte == b'\n') {
        let end = at + line.len();
        if let Some(found) = reader.line(line) {
            asked.push(found);
            rest.extend_from_slice(&stdout[kept..at]);
            kept = end;
        }
        at = end;
    }
    if asked.is_empty() {
        return TakenOut { rest: stdout.clone(), asked };
    }
    rest.extend_from_slice(&stdout[kept..]);
    TakenOut { rest: rest.freeze(), asked }
}
