//! An answer as a screen shows it: batches of whole lines, each seen by MessageDisplay hooks before it is shown (D11).
//!
//! INVARIANT: batches are shown in their order, and none before its hooks have answered; what a hook can't do, such as
//! failing, leaves the text as it was. Only the last batch is final, and there is none without any text.

use super::agent_loop::AgentLoop;
use crate::update::{Origin, UpdateKind};
use becket_engine::CancellationToken;
use becket_model::event::context::MessageDisplay;

/// An answer that is being shown.
#[derive(Debug)]
pub(super) struct Display {
    turn: String,
    /// Id of the answer.
    pub(super) message: String,
    /// Number of batches shown.
    index: u64,
    /// The line that is not whole yet.
    begun: String,
    /// All that has come.
    heard: String,
    /// All that was shown.
    shown: String,
    is_changed: bool,
}

impl Display {
    /// Returns the display of an answer of this turn, under a generated id until it has its own.
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

    /// Takes a piece; gives the lines that are whole now, if any are.
    fn push(&mut self, piece: &str) -> Option<String> {
        self.heard.push_str(piece);
        self.begun.push_str(piece);
        let end = self.begun.rfind('\n')? + 1;
        let rest = self.begun.split_off(end);
        Some(std::mem::replace(&mut self.begun, rest))
    }

    /// Returns the rest once the whole text is known; `None` if there is no text at all.
    fn rest(&mut self, text: &str) -> Option<String> {
        let mut rest = std::mem::take(&mut self.begun);
        // Some providers say the beginning of a block in another way.
        rest.push_str(text.strip_prefix(self.heard.as_str()).unwrap_or_default());
        (self.index > 0 || !rest.is_empty()).then_some(rest)
    }
}

impl AgentLoop {
    /// Returns whether answers of this agent loop are shown batch by batch.
    pub(super) fn shows_batches(&self) -> bool {
        self.shared.options.shows_batches && self.who == Origin::Main
    }

    /// A piece of an answer has come.
    pub(super) async fn hear(&self, display: &mut Display, piece: &str, cancel: &CancellationToken) {
        self.updates.tell(UpdateKind::Text { delta: piece.to_owned() });
        if self.shows_batches()
            && let Some(lines) = display.push(piece)
        {
            self.show(display, lines, false, cancel).await;
        }
    }

    /// The answer is whole; gives what was shown in its place, if a hook has changed anything.
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
            self.updates.tell(UpdateKind::Displayed { text });
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
