//! The thread that owns the terminal: only it reads keys and writes to the screen.
//!
//! A question has priority; output waits meanwhile. Next come the keys of a user who is watching, then the prompt line,
//! which releases the screen whenever there is output.
//!
//! Questions are asked in [`super::asking`]. INVARIANT: an unreadable terminal counts as a user who gives no answer and
//! leaves.

use super::ahead::Ahead;
use super::editor::{Editor, Read};
use super::handle::{ActiveWork, Line, TerminalState, ThreadCommand, ToPut, UserAnswer};
use super::screen::{RestoreGuard, Screen, restore, width};
use super::suspend::stop;
use crate::out::Out;
use crate::report::style::{FAINT, NONE, styled};
use becket_engine::CancellationToken;
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// The time of one wait for a key.
const LOOK: Duration = Duration::from_millis(40);
/// The time that a question must be on the screen, without any key, before a key answers it.
pub(super) const QUIET: Duration = Duration::from_millis(500);
/// The shorter time for a question that follows an answer, and for keys that answer: a key that is held down answers
/// only one question.
pub(super) const AGAIN: Duration = Duration::from_millis(250);
/// The time within which a second Ctrl-C leaves.
const TWICE: Duration = Duration::from_secs(3);

/// The inputs of the thread.
pub(in crate::commands::run) struct Setup {
    /// The output streams.
    pub(in crate::commands::run) out: Out,
    /// The file of earlier prompts; `None` without a home directory.
    pub(in crate::commands::run) history: Option<PathBuf>,
    /// The directory for the completion of file names.
    pub(in crate::commands::run) start: PathBuf,
    /// Cancelled to end the program on systems without signals.
    pub(in crate::commands::run) cancel: CancellationToken,
    /// True if the terminal supports no escape sequences (`TERM=dumb`).
    pub(in crate::commands::run) is_dumb: bool,
}

/// The state of the terminal.
pub(super) struct TerminalThread {
    pub(super) screen: Screen,
    editor: Editor,
    pub(super) from: Receiver<ThreadCommand>,
    pub(super) shared: Arc<TerminalState>,
    /// The current work and its start, not counting the time that the user takes to answer.
    pub(super) works: Option<(ActiveWork, Instant)>,
    line: Option<oneshot::Sender<Line>>,
    put: Option<(ToPut, oneshot::Sender<UserAnswer>)>,
    /// The commands that wait until the question is answered.
    pub(super) held: Vec<ThreadCommand>,
    pub(super) drawn: String,
    /// The input typed during work.
    ahead: Ahead,
    pressed: Option<Instant>,
    cancel: CancellationToken,
    pub(super) is_over: bool,
}

/// The keyboard input of one wait.
pub(super) enum KeyInput {
    Key(KeyEvent),
    Resized,
    Nothing,
}

impl TerminalThread {
    pub(super) fn new(setup: Setup, from: Receiver<ThreadCommand>, shared: Arc<TerminalState>) -> Self {
        TerminalThread {
            screen: Screen::new(setup.out),
            cancel: setup.cancel.clone(),
            editor: Editor::new(setup, shared.clone()),
            from,
            shared,
            works: None,
            line: None,
            put: None,
            held: Vec::new(),
            drawn: String::new(),
            ahead: Ahead::default(),
            pressed: None,
            is_over: false,
        }
    }

    /// Runs until the terminal is released.
    pub(super) fn keep(mut self) {
        let _restored = RestoreGuard;
        while !self.is_over {
            self.take();
            if self.turn().is_err() {
                self.gone();
            }
        }
        self.screen.clear();
    }

    /// Performs the next step, for a moment.
    fn turn(&mut self) -> io::Result<()> {
        if let Some((put, reply)) = self.put.take() {
            let answer = self.ask(put, &reply)?;
            if let Some(answer) = answer {
                // Sending fails if the receiver is gone.
                drop(reply.send(answer));
            }
            return Ok(());
        }
        if self.works.is_some() {
            return self.watch();
        }
        if self.line.is_some() {
            return self.edit();
        }
        self.wait();
        Ok(())
    }

    /// Handles all pending commands.
    fn take(&mut self) {
        while let Ok(wanted) = self.from.try_recv() {
            self.apply(wanted);
        }
    }

    fn wait(&mut self) {
        match self.from.recv() {
            Ok(wanted) => self.apply(wanted),
            Err(_) => self.is_over = true,
        }
    }

    pub(super) fn apply(&mut self, wanted: ThreadCommand) {
        match wanted {
            ThreadCommand::Show(lines) => {
                self.screen.show(&lines);
                self.drawn.clear();
            }
            ThreadCommand::Sequence(sequence) => self.screen.raw(&sequence),
            ThreadCommand::Works(ends) => self.works = Some((ends, Instant::now())),
            ThreadCommand::Rests => {
                self.works = None;
                self.screen.clear();
                self.drawn.clear();
            }
            ThreadCommand::Commands(names) => self.editor.commands(names),
            ThreadCommand::Suggest(prompt) => *self.shared.suggested() = prompt,
            ThreadCommand::Line(reply) => self.line = Some(reply),
            ThreadCommand::Put(put, reply) => self.put = Some((put, reply)),
            ThreadCommand::End => self.is_over = true,
        }
    }

    /// Handles an unreadable terminal: the user has left.
    fn gone(&mut self) {
        if let Some(line) = self.line.take() {
            drop(line.send(Line::Leave));
        }
        self.wait();
    }

    /// Reads the keys of a user who watches the work.
    fn watch(&mut self) -> io::Result<()> {
        let Some((ends, since)) = self.works.clone() else { return Ok(()) };
        terminal::enable_raw_mode()?;
        let words = match &ends {
            ActiveWork::Turn(turn) if turn.is_cancelled() => "interrupted: waiting for running work to end",
            ActiveWork::Turn(_) => "Esc interrupts",
            ActiveWork::Program(_) => "Ctrl-C ends",
        };
        let line = self.shared.status().line(since, ends.doing(), words);
        let lines: Vec<String> = self.ahead.lines(width()).into_iter().chain([line]).collect();
        let drawn = lines.join("\n");
        if drawn != self.drawn {
            self.screen.draw(&lines);
            self.drawn = drawn;
        }
        match self.key()? {
            KeyInput::Key(key) if is_control(key, 'c') || key.code == KeyCode::Esc => {
                self.interrupt(&ends, key);
            }
            KeyInput::Key(key) if is_control(key, 'z') => self.suspend(),
            KeyInput::Key(key) => self.ahead.on(key),
            KeyInput::Resized => self.drawn.clear(),
            KeyInput::Nothing => {}
        }
        Ok(())
    }

    fn interrupt(&mut self, ends: &ActiveWork, key: KeyEvent) {
        // A user who stops the work decides what comes next.
        self.ahead.think_again();
        match ends {
            ActiveWork::Turn(turn) if !turn.is_cancelled() => turn.cancel(),
            // Work that does not end by the first key ends with the program, by the key that can't be pressed by
            // accident.
            ActiveWork::Turn(_) | ActiveWork::Program(_) if is_control(key, 'c') => end_program(&self.cancel),
            ActiveWork::Turn(_) | ActiveWork::Program(_) => {}
        }
    }

    /// Returns the next key, if one is pressed soon.
    #[expect(clippy::wildcard_enum_match_arm, reason = "another crate's enum")]
    pub(super) fn key(&self) -> io::Result<KeyInput> {
        if !event::poll(LOOK)? {
            return Ok(KeyInput::Nothing);
        }
        Ok(match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => {
                self.shared.touch();
                KeyInput::Key(key)
            }
            Event::Resize(..) => KeyInput::Resized,
            _ => KeyInput::Nothing,
        })
    }

    /// Discards the keys typed so far.
    pub(super) fn forget_keys(&self) -> io::Result<()> {
        while event::poll(Duration::ZERO)? {
            event::read()?;
            self.shared.touch();
        }
        Ok(())
    }

    /// Reads a prompt.
    fn edit(&mut self) -> io::Result<()> {
        // Commands from here on interrupt the editor; earlier ones are handled below.
        self.shared.breaks.store(false, std::sync::atomic::Ordering::Release);
        self.take();
        let is_wanted = self.line.as_ref().is_some_and(|line| !line.is_closed());
        if !is_wanted {
            self.line = None;
        }
        if !is_wanted || self.works.is_some() || self.put.is_some() || self.is_over {
            return Ok(());
        }
        if let Some(prompt) = self.ahead.prompt() {
            self.screen.show(&format!("> {}\n", styled(NONE, &prompt)));
            self.typed(Line::Typed(prompt));
            return Ok(());
        }
        if self.ahead.is_leaving() {
            self.typed(Line::Leave);
            return Ok(());
        }
        self.editor.begins_with(self.ahead.words());
        let read = self.editor.read()?;
        // From here on, before anything is drawn, the terminal neither edits nor echoes the input.
        terminal::enable_raw_mode()?;
        match read {
            Read::Typed(text) if text.trim().is_empty() => {}
            Read::Typed(text) => self.typed(Line::Typed(text)),
            Read::Broken { rows } => self.screen.up(rows),
            Read::Suspended { rows } => {
                self.screen.up(rows);
                self.suspend();
            }
            Read::Cleared { rows } => self.screen.up(rows),
            Read::Interrupted { rows } => {
                self.screen.up(rows);
                self.pressed_once();
            }
            Read::End => self.typed(Line::Leave),
        }
        Ok(())
    }

    fn typed(&mut self, line: Line) {
        self.shared.touch();
        self.shared.suggested().clear();
        self.pressed = None;
        if let Some(reply) = self.line.take() {
            // If the receiver is gone, the program is ending.
            drop(reply.send(line));
        }
    }

    /// Handles Ctrl-C on an empty line: the second one leaves, unless another key was pressed in between.
    fn pressed_once(&mut self) {
        let has_typed = self.shared.has_typed();
        match self.pressed.replace(Instant::now()) {
            Some(before) if before.elapsed() < TWICE && !has_typed => self.typed(Line::Leave),
            Some(_) | None => {
                self.screen.show(&format!("{}\n", styled(FAINT, "Ctrl-C again leaves; so does Ctrl-D")));
            }
        }
    }

    /// Releases the terminal to the shell until it continues this program.
    pub(super) fn suspend(&mut self) {
        self.screen.close_page();
        self.screen.clear();
        self.drawn.clear();
        restore();
        stop();
    }
}

pub(super) fn is_control(key: KeyEvent, letter: char) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char(letter)
}

/// Sends this program a signal to end, so that its hooks and processes end with it.
#[cfg(unix)]
fn end_program(_: &CancellationToken) {
    use rustix::process::{Signal, getpid, kill_process};
    // A process may signal itself.
    let _sent = kill_process(getpid(), Signal::INT);
}

/// Ends the program on systems without signals.
#[cfg(not(unix))]
fn end_program(cancel: &CancellationToken) {
    cancel.cancel();
}
