//! The handle of the terminal for the rest of the program. Cheap to clone; all clones are the same terminal.

use super::document::Document;
use super::dumb::DumbTerminal;
use super::person::UserNotification;
use super::screen::RestoreGuard;
use super::status::Status;
use super::thread::{Setup, TerminalThread};
use crate::report::style::{WARNING, one_line, styled};
use becket_engine::CancellationToken;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// The longest suggestion, in characters.
const SUGGESTED: usize = 120;
/// The time limit for the end of the thread.
const END: Duration = Duration::from_secs(3);

/// An input line of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::run) enum Line {
    /// A line, or several.
    Typed(String),
    /// The end of the session: twice Ctrl-C, or Ctrl-D on an empty line.
    Leave,
}

/// A question to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::run) struct ToPut {
    /// The subject, styled; text of others is already plain.
    pub(in crate::commands::run) head: Document,
    /// The kind of answer.
    pub(in crate::commands::run) wants: Wants,
    /// Set if it continues the previous answer, so that keys count at once.
    pub(in crate::commands::run) follows: bool,
}

impl ToPut {
    /// Creates an independent question.
    pub(in crate::commands::run) fn new(head: impl Into<Document>, wants: Wants) -> Self {
        ToPut { head: head.into(), wants, follows: false }
    }

    /// Creates a question for text that the previous answer requires.
    pub(crate) fn words(head: String) -> Self {
        ToPut { head: head.into(), wants: Wants::Words(String::new()), follows: true }
    }
}

/// The kind of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::run) enum Wants {
    /// One of these.
    One(Vec<String>),
    /// One of these; the cursor starts at this index.
    OneFrom(Vec<String>, usize),
    /// Any of these; those at the indexes are already selected.
    Several(Vec<String>, Vec<usize>),
    /// Text, with an initial value.
    Words(String),
}

/// The answer of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::run) enum UserAnswer {
    /// Selected the options at these indexes, from 0.
    Chose(Vec<usize>),
    /// Wrote this.
    Words(String),
    /// Gave no answer, or has left.
    Nothing,
    /// Interrupted the turn.
    Interrupted,
}

/// The work that the interrupt key ends.
#[derive(Debug, Clone)]
pub(in crate::commands::run) enum ActiveWork {
    /// This turn; if it does not end, the program.
    Turn(CancellationToken),
    /// The program, which is starting or about to end, with a description of that.
    Program(&'static str),
}

impl ActiveWork {
    /// Returns a description of the current work without a more specific name.
    pub(crate) fn doing(&self) -> &'static str {
        match self {
            ActiveWork::Turn(_) => "waiting for the model",
            ActiveWork::Program(doing) => doing,
        }
    }
}

/// A command for the thread.
pub(crate) enum ThreadCommand {
    /// Lines, styled. They end with a line break.
    Show(String),
    /// An escape sequence that may pass as it is (O7).
    Sequence(String),
    Works(ActiveWork),
    Rests,
    Commands(Vec<String>),
    /// The suggestion for an empty line.
    Suggest(String),
    Line(oneshot::Sender<Line>),
    Put(ToPut, oneshot::Sender<UserAnswer>),
    End,
}

/// The terminal.
#[derive(Clone)]
pub(in crate::commands::run) struct Terminal {
    to: Sender<ThreadCommand>,
    shared: Arc<TerminalState>,
    floor: Arc<tokio::sync::Mutex<()>>,
    is_dumb: bool,
    notices: mpsc::UnboundedSender<UserNotification>,
    heard: Arc<Mutex<Option<mpsc::UnboundedReceiver<UserNotification>>>>,
}

/// The state shared with the thread.
pub(crate) struct TerminalState {
    /// Makes the editor release the screen.
    pub(crate) breaks: Arc<AtomicBool>,
    /// The time of the last key, if any.
    pub(crate) touched: Mutex<Option<Instant>>,
    /// Set if a key was pressed that is not Ctrl-C.
    pub(crate) typed: AtomicBool,
    /// The suggestion for an empty line.
    pub(crate) suggested: Mutex<String>,
    pub(crate) status: Mutex<Status>,
}

impl TerminalState {
    /// Records that a key was pressed.
    pub(crate) fn touch(&self) {
        *self.touched.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns whether a key other than Ctrl-C was pressed since the last call.
    pub(crate) fn has_typed(&self) -> bool {
        self.typed.swap(false, Ordering::Relaxed)
    }

    /// Returns true if no key was pressed for this long.
    pub(crate) fn is_quiet_for(&self, time: Duration) -> bool {
        let touched = *self.touched.lock().unwrap_or_else(PoisonError::into_inner);
        touched.is_none_or(|touched| touched.elapsed() >= time)
    }

    /// Returns the suggestion for an empty line.
    pub(crate) fn suggested(&self) -> MutexGuard<'_, String> {
        self.suggested.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A terminal in use; dropping it restores the terminal.
pub(in crate::commands::run) struct InUse {
    terminal: Terminal,
    over: Receiver<()>,
    // After the thread: nothing writes any more.
    _restored: Option<RestoreGuard>,
}

impl Terminal {
    /// Takes the terminal over.
    pub(in crate::commands::run) fn open(setup: Setup) -> (Self, InUse) {
        let (to, from) = channel();
        let shared = Arc::new(TerminalState {
            breaks: Arc::default(),
            touched: Mutex::default(),
            typed: AtomicBool::default(),
            suggested: Mutex::default(),
            status: Mutex::default(),
        });
        let is_dumb = setup.is_dumb;
        let (notices, heard) = mpsc::unbounded_channel();
        let heard = Arc::new(Mutex::new(Some(heard)));
        let terminal =
            Terminal { to, shared: shared.clone(), floor: Arc::default(), is_dumb, notices, heard };
        let (ended, over) = channel();
        std::thread::spawn(move || {
            // Dropped with the thread, however it ends.
            let _ended: Sender<()> = ended;
            match is_dumb {
                true => DumbTerminal::new(setup.out, from, shared).keep(),
                false => TerminalThread::new(setup, from, shared).keep(),
            }
        });
        let restored = (!is_dumb).then_some(RestoreGuard);
        let in_use = InUse { terminal: terminal.clone(), over, _restored: restored };
        (terminal, in_use)
    }

    /// Returns true if the terminal supports no escape sequences.
    pub(crate) fn is_dumb(&self) -> bool {
        self.is_dumb
    }

    /// Shows styled lines.
    pub(crate) fn show(&self, lines: String) {
        if !lines.is_empty() {
            self.tell(ThreadCommand::Show(lines));
        }
    }

    /// Forwards a checked escape sequence.
    pub(crate) fn pass(&self, sequence: String) {
        self.tell(ThreadCommand::Sequence(sequence));
    }

    /// Reports work that a key ends.
    pub(in crate::commands::run) fn works(&self, ends: ActiveWork) {
        self.tell(ThreadCommand::Works(ends));
    }

    /// Reports that no work is in progress.
    pub(crate) fn rests(&self) {
        self.tell(ThreadCommand::Rests);
    }

    /// Sets the commands that can be completed, without the slash.
    pub(crate) fn commands(&self, names: Vec<String>) {
        self.tell(ThreadCommand::Commands(names));
    }

    /// Suggests the next prompt, until one is typed.
    pub(in crate::commands::run) fn suggest(&self, prompt: &str) {
        self.tell(ThreadCommand::Suggest(one_line(prompt, SUGGESTED)));
    }

    /// Returns the next prompt. Cancel-safe: the input so far is kept.
    pub(crate) async fn line(&self) -> Line {
        let (to, answer) = oneshot::channel();
        self.tell(ThreadCommand::Line(to));
        answer.await.unwrap_or(Line::Leave)
    }

    /// Waits for the screen, which belongs to the holder of the guard: questions are asked one at a time.
    pub(in crate::commands::run) async fn floor(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.floor.lock().await
    }

    /// Asks the user; acquire [`Terminal::floor`] first. Dropping the future withdraws the question.
    pub(in crate::commands::run) async fn put(&self, put: ToPut) -> UserAnswer {
        self.waits(put).await.unwrap_or(UserAnswer::Nothing)
    }

    /// The same before anything else runs.
    pub(in crate::commands::run) fn put_and_wait(&self, put: ToPut) -> UserAnswer {
        self.waits(put).blocking_recv().unwrap_or(UserAnswer::Nothing)
    }

    fn waits(&self, put: ToPut) -> oneshot::Receiver<UserAnswer> {
        let (to, answer) = oneshot::channel();
        self.tell(ThreadCommand::Put(put, to));
        answer
    }

    /// Requests a notification to hooks.
    pub(crate) fn notify(&self, told: UserNotification) {
        // After the end of the session there are no receivers.
        let _heard = self.notices.send(told);
    }

    /// Returns the notifications, to the first caller only.
    pub(crate) fn notices(&self) -> Option<mpsc::UnboundedReceiver<UserNotification>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Shows a warning.
    pub(in crate::commands::run) fn warns(&self, text: &str) {
        self.show(format!("{} {}\n", styled(WARNING, "warning:"), one_line(text, 500)));
    }

    /// Returns the time of the user's last key.
    pub(crate) fn touched(&self) -> Option<Instant> {
        *self.shared.touched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the current work, for the status line.
    pub(crate) fn status(&self) -> MutexGuard<'_, Status> {
        self.shared.status()
    }

    fn tell(&self, wanted: ThreadCommand) {
        // A thread that has ended has released the screen; its questions count as unanswered.
        drop(self.to.send(wanted));
        self.shared.breaks.store(true, Ordering::Release);
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.terminal.tell(ThreadCommand::End);
        // A terminal that accepts no output must not block the program.
        let _ended = self.over.recv_timeout(END);
    }
}
