//! Asks the user at the terminal one question.
//!
//! INVARIANT: keys typed before a question was on the screen never answer it, nor do those of a user who continues to
//! type. If its subject is not completely on the screen, no answer is selected.

use super::answer_input::AnswerInput;
use super::document::{Document, Excerpt};
use super::handle::{ActiveWork, ThreadCommand, ToPut, UserAnswer};
use super::key_guard::KeyGuard;
use super::pager::Pager;
use super::screen::{height, width};
use super::thread::{KeyInput, QUIET, TerminalThread, is_control};
use crate::report::style::{FAINT, styled};
use crossterm::event::KeyEvent;
use crossterm::terminal;
use std::io;
use std::time::Instant;
use tokio::sync::oneshot;

/// The number of free rows below a question: its key hints may need another row if nothing is selected.
const BESIDE: usize = 2;

impl TerminalThread {
    /// Asks the user until there is an answer, or the question is withdrawn, which returns `None`.
    pub(super) fn ask(
        &mut self,
        put: ToPut,
        reply: &oneshot::Sender<UserAnswer>,
    ) -> io::Result<Option<UserAnswer>> {
        let since = Instant::now();
        terminal::enable_raw_mode()?;
        let mut input = AnswerInput::new(put.wants);
        let below = input.lines(true, width()).len() + BESIDE;
        if !self.show_head(&put.head, below) {
            input.unselect();
        }
        let answer = self.answer(&mut input, &put.head, put.follows, reply)?;
        if let (Some(UserAnswer::Interrupted), Some((ActiveWork::Turn(turn), _))) = (&answer, &self.works) {
            turn.cancel();
        }
        self.screen.clear();
        let word = answer.as_ref().map_or_else(|| "no longer asked".to_owned(), |answer| input.word(answer));
        self.screen.show(&format!("{}\n", styled(FAINT, &format!("  → {word}"))));
        self.drawn.clear();
        if let Some((_, working)) = &mut self.works {
            *working += since.elapsed();
        }
        let held = std::mem::take(&mut self.held);
        held.into_iter().for_each(|wanted| self.apply(wanted));
        Ok(answer)
    }

    /// Shows the subject of a question, and leaves room for the rows below; returns whether all of it is on the screen.
    fn show_head(&mut self, head: &Document, below: usize) -> bool {
        let Excerpt { rows, is_whole } = head.excerpt(width(), height().saturating_sub(below));
        self.screen.show(&(rows.join("\n") + "\n"));
        self.drawn.clear();
        is_whole
    }

    /// Draws a question until a key answers it; `None` if the question is withdrawn.
    fn answer(
        &mut self,
        input: &mut AnswerInput,
        head: &Document,
        follows: bool,
        reply: &oneshot::Sender<UserAnswer>,
    ) -> io::Result<Option<UserAnswer>> {
        let mut drawn = input.lines(false, width());
        self.screen.draw(&drawn);
        if !follows {
            self.forget_keys()?;
        }
        let mut guard = KeyGuard::new(follows, Instant::now());
        loop {
            self.hold();
            if reply.is_closed() || self.is_over {
                return Ok(None);
            }
            let is_quiet = self.shared.is_quiet_for(QUIET);
            let lines = input.lines(guard.accepts_answers(is_quiet, Instant::now()), width());
            if lines != drawn {
                self.screen.draw(&lines);
                drawn = lines;
            }
            match self.key()? {
                KeyInput::Key(key) if is_control(key, 'z') => {
                    self.suspend();
                    terminal::enable_raw_mode()?;
                    self.show_head(head, drawn.len() + BESIDE);
                    drawn.clear();
                }
                KeyInput::Key(key)
                    if guard.accepts(key, is_quiet, AnswerInput::answers(key), Instant::now()) =>
                {
                    let key = if input.shows_all(key) { self.page(head, reply)? } else { Some(key) };
                    drawn.clear();
                    if let Some(answer) = key.and_then(|key| input.on(key)) {
                        return Ok(Some(answer));
                    }
                }
                // The width of the terminal may have changed.
                KeyInput::Resized => drawn.clear(),
                KeyInput::Key(_) | KeyInput::Nothing => {}
            }
        }
    }

    /// Shows a whole document, a page at a time, until the user goes back; returns the key if it was an interrupt.
    fn page(&mut self, head: &Document, reply: &oneshot::Sender<UserAnswer>) -> io::Result<Option<KeyEvent>> {
        let mut pager = Pager::new(head.rows(width()), height());
        let mut drawn = Vec::new();
        let last = loop {
            self.hold();
            if reply.is_closed() || self.is_over {
                break None;
            }
            let rows = pager.rows();
            if rows != drawn {
                self.screen.page(&rows);
                drawn = rows;
            }
            match self.key()? {
                KeyInput::Key(key) if !pager.on(key) => break Some(key).filter(|key| is_control(*key, 'c')),
                KeyInput::Resized => {
                    pager.resize(head.rows(width()), height());
                    drawn.clear();
                }
                KeyInput::Key(_) | KeyInput::Nothing => {}
            }
        };
        self.screen.close_page();
        Ok(last)
    }

    /// Receives commands during a question; output waits.
    fn hold(&mut self) {
        while let Ok(wanted) = self.from.try_recv() {
            match wanted {
                ThreadCommand::Show(_) | ThreadCommand::Rests => self.held.push(wanted),
                ThreadCommand::Sequence(_)
                | ThreadCommand::Works(_)
                | ThreadCommand::Commands(_)
                | ThreadCommand::Suggest(_)
                | ThreadCommand::Line(_)
                | ThreadCommand::Put(..)
                | ThreadCommand::End => self.apply(wanted),
            }
        }
    }
}
