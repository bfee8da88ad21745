//! The calls of a session, one per line.

use super::super::hook_rows::input;
use crate::report::style::{ERROR, FAINT, SOURCE, one_line, styled};
use becket_llm::Block;
use std::collections::HashMap;

/// The number of characters of an error that are shown.
const ERROR_WIDTH: usize = 110;
/// The prefix of the answer to a denied call.
const DENIED: &str = "denied";

/// The unanswered calls, and the call below which output is currently written.
#[derive(Debug, Default)]
pub(super) struct Calls {
    open: HashMap<String, Call>,
    current: Option<String>,
}

#[derive(Debug)]
struct Call {
    line: String,
    depth: usize,
    was_shown: bool,
    /// True if the message of the hook that stopped the call was shown.
    is_explained: bool,
}

impl Calls {
    /// Adds the calls of an answer; returns their number.
    pub(super) fn opened(&mut self, content: &[Block], depth: usize) -> usize {
        let mut calls = 0;
        for block in content {
            if let Block::ToolUse { id, name, input: of } = block {
                let line = format!("{}  {}", styled(SOURCE, name), input(of));
                self.open.insert(id.clone(), Call { line, depth, was_shown: false, is_explained: false });
                calls += 1;
            }
        }
        calls
    }

    /// Returns true if a call with this id is open.
    pub(super) fn contains(&self, id: &str) -> bool {
        self.open.contains_key(id)
    }

    /// Returns the line of a call, unless the current output is already below it.
    pub(super) fn line(&mut self, id: &str) -> String {
        if self.current.as_deref() == Some(id) {
            return String::new();
        }
        let Some(call) = self.open.get_mut(id) else { return String::new() };
        self.current = Some(id.to_owned());
        let again = if std::mem::replace(&mut call.was_shown, true) {
            format!("  {}", styled(FAINT, "(further)"))
        } else {
            String::new()
        };
        format!("{}{}{again}\n", " ".repeat(call.depth * 2), call.line)
    }

    /// Records that a hook's message about a call was shown.
    pub(super) fn explained(&mut self, id: &str) {
        if let Some(call) = self.open.get_mut(id) {
            call.is_explained = true;
        }
    }

    /// Records the answer to a call; an error is shown below its line.
    pub(super) fn answered(&mut self, id: &str, error: Option<&str>) -> String {
        let text = match error {
            Some(error) => {
                let line = self.line(id);
                let (depth, known) =
                    self.open.get(id).map_or((0, false), |call| (call.depth, call.is_explained));
                let indent = depth * 2 + 2;
                let shown = if known && error.starts_with(DENIED) { DENIED } else { error };
                let shown = styled(ERROR, &one_line(shown, ERROR_WIDTH));
                format!("{line}{}{shown}\n", " ".repeat(indent))
            }
            None => String::new(),
        };
        if self.current.as_deref() == Some(id) {
            self.current = None;
        }
        self.open.remove(id);
        text
    }

    /// Records other output: the following lines belong to no call.
    pub(super) fn leave(&mut self) {
        self.current = None;
    }
}
