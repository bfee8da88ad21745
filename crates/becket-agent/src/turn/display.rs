//! An answer as shown on a screen: batches of complete lines, each seen by MessageDisplay hooks before it is shown
//! (D11).
//!
//! INVARIANT: batches are shown in order, and none before its hooks have answered; a hook that fails leaves the text
//! unchanged. Only the last batch is final, and an answer without text has none.

use super::agent_loop::AgentLoop;
use crate::update::{Origin, UpdateKind};
use becket_engine::CancellationToken;
use becket_model::event::context::MessageDisplay;

/// An answer that is being shown.
#[derive(Debug)]
pub(super) struct Display {
    turn: String,
    /// The id of the answer.
    pub(super) message: String,
    /// The number of batches shown.
    index: u64,
    /// The incomplete last line.
    begun: String,
    /// The text received so far.
    heard: String,
    /// The text shown so far.
    shown: String,
    is_changed: bool,
}

impl Display {
    /// Returns the display of an answer in this turn, under a generated id until the answer's own is known.
    pub(super) fn new(turn: &str) -> Self {
        Self {
            turn: turn.to_owned(),
            message: format!("msg_{}", uuid::Uuid::new_v4().simple()),
            index: 0,
            begun: String::new(),
            heard: String::new(),
            shown: String::new(),
            is_changed: false,
        }
    }

    /// Adds a piece; returns the lines that are now complete, if any.
    fn push(&mut self, piece: &str) -> Option<String> {
        self.heard.push_str(piece);
        self.begun.push_str(piece);
        let end = self.begun.rfind('\n')? + 1;
        let rest = self.begun.split_off(end);
        Some(std::mem::replace(&mut self.begun, rest))
    }

    /// Returns the rest once the complete text is known; `None` if there is no text at all.
    fn rest(&mut self, text: &str) -> Option<String> {
        let mut rest = std::mem::take(&mut self.begun);
        // Some providers send the start of a block differently.
        rest.push_str(text.strip_prefix(self.heard.as_str()).unwrap_or_default());
        (self.index > 0 || !rest.is_empty()).then_some(rest)
    }
}

impl AgentLoop {
    /// Returns whether answers of this agent loop are shown batch by batch.
    pub(super) fn shows_batches(&self) -> bool {
        self.shared.options.shows_batches && self.origin == Origin::Main
    }

    /// Handles a piece of an answer.
    pub(super) async fn handle_piece(&self, display: &mut Display, piece: &str, cancel: &CancellationToken) {
        self.updates.send(UpdateKind::Text { delta: piece.to_owned() });
        if self.shows_batches()
            && let Some(lines) = display.push(piece)
        {
            self.show(display, lines, false, cancel).await;
        }
    }

    /// Handles a complete answer; returns the text shown instead, if a hook has changed it.
    pub(super) async fn shown(
        &self,
        mut display: Display,
        text: &str,
        cancel: &CancellationToken,
    ) -> Option<String> {
        let rest = display.rest(text)?;
        self.show(&mut display, rest, true, cancel).await;
        display.is_changed.then_some(display.shown)
    }

    async fn show(&self, display: &mut Display, delta: String, r#final: bool, cancel: &CancellationToken) {
        let body = MessageDisplay::new(
            display.turn.clone(),
            display.message.clone(),
            display.index,
            r#final,
            delta.clone(),
        );
        display.index += 1;
        let fired = self.shared.fire(&self.facts, body, &self.updates, cancel).await;
        let text = match &fired.outcome.verdict.fields.display_content {
            Some(said) => {
                display.is_changed = true;
                said.what.clone()
            }
            None => delta,
        };
        display.shown.push_str(&text);
        if !text.is_empty() {
            self.updates.send(UpdateKind::Displayed { text });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: D11
    #[test]
    fn batches_are_whole_lines_and_the_last_one_may_be_empty() {
        let mut display = Display::new("t");
        assert_eq!(display.push("a"), None);
        assert_eq!(display.push("b\nc\nd"), Some("ab\nc\n".to_owned()));
        assert_eq!(display.push("e\n"), Some("de\n".to_owned()));
        display.index = 2;
        assert_eq!(display.rest("ab\nc\nde\n"), Some(String::new()));
        let mut display = Display::new("t");
        assert_eq!(display.rest(""), None);
        assert_eq!(display.rest("said at once"), Some("said at once".to_owned()));
        let mut display = Display::new("t");
        assert_eq!(display.push("half"), None);
        assert_eq!(display.rest("half a line"), Some("half a line".to_owned()));
    }
}
