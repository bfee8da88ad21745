//! The thread for a terminal without escape sequences (`TERM=dumb`): lines are written and read, and nothing is
//! redrawn.
//!
//! INVARIANT: no escape sequence is written. A line that was typed before a question appeared never answers it.

use super::handle::{AnswerKind, Line, TerminalState, ThreadCommand, ToPut, UserAnswer};
use super::screen::width;
use super::thread::QUIET;
use crate::out::Out;
use crate::report::style::plain;
use crate::wrap::fit;
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The time of one wait for output before typed lines are read, and vice versa.
const LOOK: Duration = Duration::from_millis(40);
/// The limit on typed-ahead lines.
const AHEAD: usize = 20;

/// The state of the terminal.
pub(super) struct DumbTerminal {
    out: Out,
    from: Receiver<ThreadCommand>,
    shared: Arc<TerminalState>,
    /// The typed lines; `None` is the end of the input.
    typed: Receiver<Option<String>>,
    /// Prompts that were typed during a turn.
    ahead: VecDeque<String>,
    line: Option<oneshot::Sender<Line>>,
    put: Option<(ToPut, oneshot::Sender<UserAnswer>)>,
    /// Output that arrived during a question.
    held: String,
    has_ended: bool,
    is_over: bool,
}

impl DumbTerminal {
    pub(super) fn new(out: Out, from: Receiver<ThreadCommand>, shared: Arc<TerminalState>) -> Self {
        let (to, typed) = channel();
        // The thread blocks in a read that can't be interrupted, and ends with the process.
        std::thread::spawn(move || {
            let lines = std::io::stdin().lock().lines().map_while(Result::ok).map(Some);
            lines.chain([None]).try_for_each(|line| to.send(line))
        });
        let ahead = VecDeque::new();
        DumbTerminal {
            out,
            from,
            shared,
            typed,
            ahead,
            line: None,
            put: None,
            held: String::new(),
            has_ended: false,
            is_over: false,
        }
    }

    /// Runs until the terminal is released.
    pub(super) fn keep(mut self) {
        while !self.is_over {
            match self.from.recv_timeout(LOOK) {
                Ok(wanted) => self.apply(wanted),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.is_over = true,
            }
            if let Some((put, reply)) = self.put.take() {
                if let Some(answer) = self.ask(&put, &reply) {
                    // Sending fails if the receiver is gone.
                    drop(reply.send(answer));
                }
                let held = std::mem::take(&mut self.held);
                self.write(&held);
                self.mark();
            }
            self.take_lines();
            self.give_line();
        }
    }

    fn apply(&mut self, wanted: ThreadCommand) {
        match wanted {
            ThreadCommand::Show(lines) => {
                self.write(&lines);
                self.mark();
            }
            ThreadCommand::Line(reply) => {
                self.line = Some(reply);
                self.mark();
            }
            ThreadCommand::Put(put, reply) => self.put = Some((put, reply)),
            ThreadCommand::End => self.is_over = true,
            ThreadCommand::Sequence(_)
            | ThreadCommand::Works(_)
            | ThreadCommand::Rests
            | ThreadCommand::Commands(_)
            | ThreadCommand::Suggest(_) => {}
        }
    }

    /// Writes styled lines without their styles.
    fn write(&self, lines: &str) {
        let lines = fit(lines, Some(width()));
        drop(self.out.print(&anstream::adapter::strip_str(&lines).to_string()));
    }

    /// Shows that a prompt may be typed.
    fn mark(&self) {
        if self.line.is_some() && self.ahead.is_empty() && !self.has_ended {
            self.write("> ");
        }
    }

    fn take_lines(&mut self) {
        while let Ok(line) = self.typed.try_recv() {
            self.shared.touch();
            match line {
                Some(line) if self.ahead.len() < AHEAD => self.ahead.push_back(line),
                Some(_) => {}
                None => self.has_ended = true,
            }
        }
    }

    fn give_line(&mut self) {
        while self.line.is_some() {
            let line = match self.ahead.pop_front() {
                Some(text) if text.trim().is_empty() => {
                    self.mark();
                    continue;
                }
                Some(text) => Line::Typed(text),
                None if self.has_ended => Line::Leave,
                None => return,
            };
            if let Some(reply) = self.line.take() {
                // If the receiver is gone, the program is ending.
                drop(reply.send(line));
            }
        }
    }

    /// Receives commands during a question. Lines wait: they would appear between the question and its answer.
    fn hold(&mut self) {
        while let Ok(wanted) = self.from.try_recv() {
            if let ThreadCommand::Show(lines) = wanted {
                self.held.push_str(&lines);
            } else {
                self.apply(wanted);
            }
        }
    }

    /// Asks the user until there is an answer, or the question is withdrawn, which returns `None`.
    fn ask(&mut self, put: &ToPut, reply: &oneshot::Sender<UserAnswer>) -> Option<UserAnswer> {
        self.take_lines();
        self.write(&(put.head.rows(width()).join("\n") + "\n"));
        self.write(&choices(&put.wants));
        let drawn = Instant::now();
        loop {
            self.hold();
            if reply.is_closed() || self.is_over {
                self.write("  → no longer asked\n");
                return None;
            }
            match self.typed.recv_timeout(LOOK) {
                Ok(Some(_)) if !put.follows && drawn.elapsed() < QUIET => {
                    self.write("  (that line was typed before the question: answer again)\n");
                }
                Ok(Some(line)) => match answer(&put.wants, line.trim()) {
                    Some(answer) => return Some(answer),
                    None => self.write(&choices(&put.wants)),
                },
                Ok(None) | Err(RecvTimeoutError::Disconnected) => {
                    self.has_ended = true;
                    return Some(UserAnswer::Nothing);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Returns the possible answers and their keys.
fn choices(wants: &AnswerKind) -> String {
    let (options, how) = match wants {
        AnswerKind::One(options) | AnswerKind::OneFrom(options, _) => {
            (options.as_slice(), "a number and Enter answer, Enter alone answers nothing: ".to_owned())
        }
        AnswerKind::Several(options, _) => {
            (options.as_slice(), "numbers and Enter answer, Enter alone answers nothing: ".to_owned())
        }
        AnswerKind::Text(words) if words.is_empty() => (&[][..], "answer: ".to_owned()),
        AnswerKind::Text(words) => (&[][..], format!("answer (Enter alone: {}): ", plain(words))),
    };
    let options = options.iter().enumerate();
    options.map(|(at, option)| format!("  {}. {}\n", at + 1, plain(option))).collect::<String>() + &how
}

/// Reads an answer; `None` if the line is not one.
fn answer(wants: &AnswerKind, line: &str) -> Option<UserAnswer> {
    let place = |word: &str, options: &[String]| {
        let at = word.parse::<usize>().ok()?.checked_sub(1)?;
        (at < options.len()).then_some(at)
    };
    match wants {
        AnswerKind::One(_) | AnswerKind::OneFrom(..) | AnswerKind::Several(..) if line.is_empty() => {
            Some(UserAnswer::Nothing)
        }
        AnswerKind::One(options) | AnswerKind::OneFrom(options, _) => {
            Some(UserAnswer::Chose(vec![place(line, options)?]))
        }
        AnswerKind::Several(options, _) => {
            let words = line.split([' ', ',']).filter(|word| !word.is_empty());
            words.map(|word| place(word, options)).collect::<Option<Vec<_>>>().map(UserAnswer::Chose)
        }
        AnswerKind::Text(words) if line.is_empty() => Some(UserAnswer::Text(words.clone())),
        AnswerKind::Text(_) => Some(UserAnswer::Text(line.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_number_of_an_option_answers() {
        let options = || ["yes", "no"].map(str::to_owned).to_vec();
        for (line, expected) in [
            ("1", Some(UserAnswer::Chose(vec![0]))),
            ("2", Some(UserAnswer::Chose(vec![1]))),
            ("", Some(UserAnswer::Nothing)),
            ("0", None),
            ("3", None),
            ("yes", None),
            ("1 2", None),
        ] {
            assert_eq!(answer(&AnswerKind::One(options()), line), expected, "{line}");
        }
        assert_eq!(
            answer(&AnswerKind::Several(options(), Vec::new()), "2, 1"),
            Some(UserAnswer::Chose(vec![1, 0]))
        );
        assert_eq!(answer(&AnswerKind::Several(options(), Vec::new()), "2 x"), None);
        assert_eq!(answer(&AnswerKind::Text("17".to_owned()), ""), Some(UserAnswer::Text("17".to_owned())));
        assert_eq!(answer(&AnswerKind::Text(String::new()), "a b"), Some(UserAnswer::Text("a b".to_owned())));
    }
}
