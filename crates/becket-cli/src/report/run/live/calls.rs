//! The calls of a session, a line each.

use super::super::hook_rows::input;
use crate::report::style::{ERROR, FAINT, SOURCE, one_line, styled};
use becket_llm::Block;
use std::collections::HashMap;

/// How much of an error is shown, in characters.
const ERROR_WIDTH: usize = 110;
/// How the answer to a call begins that somebody has denied.
const DENIED: &str = "denied";

/// The calls that are not answered yet, and below which of them is written now.
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
    /// A hook has said why it goes no further.
    is_explained: bool,
}

impl Calls {
    /// The calls of an answer; gives how many.
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

    /// Whether such a call is open.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.open.contains_key(id)
    }

    /// Its line, unless what is written already stands below it.
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

    /// What a hook said of it is shown already.
    pub(super) fn explained(&mut self, id: &str) {
        if let Some(call) = self.open.get_mut(id) {
            call.is_explained = true;
        }
    }

    /// A call was answered; an error is told below its line.
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

    /// Something else is written: what follows stands below no call.
    pub(super) fn leave(&mut self) {
        self.current = None;
    }
}
