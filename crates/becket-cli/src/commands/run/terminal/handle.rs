//! A handle to the terminal for the rest of the program. Cheap to clone; all clones are the same terminal.

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

/// The length limit of a suggestion, in characters.
const SUGGESTED: usize = 120;
/// The time limit for the thread to end.
const END: Duration = Duration::from_secs(3);

/// An input line of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::run) enum Line {
    /// One or more lines.
    Typed(String),
    /// The end of the session: Ctrl-C twice, or Ctrl-D on an empty line.
    Leave,
}

/// A question to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::run) struct ToPut {
    /// The subject, styled; text from other sources is already plain.
    pub(in crate::commands::run) head: Document,
    /// The kind of answer.
    pub(in crate::commands::run) wants: AnswerKind,
    /// True if the question follows a previous answer, so that keys count at once.
    pub(in crate::commands::run) follows: bool,
}

impl ToPut {
    /// Creates an independent question.
    pub(in crate::commands::run) fn new(head: impl Into<Document>, wants: AnswerKind) -> Self {
        ToPut { head: head.into(), wants, follows: false }
    }

    /// Creates a question for text, as a follow-up to the previous answer.
    pub(crate) fn words(head: String) -> Self {
        ToPut { head: head.into(), wants: AnswerKind::Text(String::new()), follows: true }
    }
}

/// The kind of answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::run) enum AnswerKind {
    /// One of these options.
    One(Vec<String>),
    /// One of these options; the cursor starts at this index.
    OneFrom(Vec<String>, usize),
    /// Any of these options; those at the indexes are already selected.
    Several(Vec<String>, Vec<usize>),
    /// Text, with an initial value.
    Text(String),
}

/// The user's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands::run) enum UserAnswer {
    /// The options at these indexes, from 0, were selected.
    Chose(Vec<usize>),
    /// This text was typed.
    Text(String),
    /// There is no answer, or the user has left.
    Nothing,
    /// The turn was interrupted.
    Interrupted,
}

/// The work that the interrupt key ends.
#[derive(Debug, Clone)]
pub(in crate::commands::run) enum ActiveWork {
    /// A turn, which the key cancels; if the turn does not end, the key ends the program.
    Turn(CancellationToken),
    /// The program, which is starting or about to end, with a description of its state.
    Program(&'static str),
}

impl ActiveWork {
    /// Returns a description of the current work that has no more specific name.
    pub(crate) fn doing(&self) -> &'static str {
        match self {
            ActiveWork::Turn(_) => "waiting for the model",
            ActiveWork::Program(doing) => doing,
        }
    }
}

/// A command for the thread.
pub(crate) enum ThreadCommand {
    /// Shows styled lines, which end with a line break.
    Show(String),
    /// Forwards an escape sequence unchanged, as it is allowed (O7).
    Sequence(String),
    Works(ActiveWork),
    Rests,
    Commands(Vec<String>),
    /// Sets the suggestion for an empty line.
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
    receiver: Arc<Mutex<Option<mpsc::UnboundedReceiver<UserNotification>>>>,
}

/// The state shared with the thread.
pub(crate) struct TerminalState {
    /// Makes the editor release the screen.
    pub(crate) breaks: Arc<AtomicBool>,
    /// The time of the last key, if any.
    pub(crate) touched: Mutex<Option<Instant>>,
    /// True if a key other than Ctrl-C was pressed.
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

    /// Returns true if a key other than Ctrl-C was pressed since the last call.
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
    // Dropped after the thread has ended: nothing writes any more.
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
        let (notices, receiver) = mpsc::unbounded_channel();
        let receiver = Arc::new(Mutex::new(Some(receiver)));
        let terminal =
            Terminal { to, shared: shared.clone(), floor: Arc::default(), is_dumb, notices, receiver };
        let (ended, over) = channel();
        std::thread::spawn(move || {
            // Dropped when the thread ends, however it ends.
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

    /// Reports that work is in progress, which a key ends.
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

    /// Asks the user before anything else runs, and blocks this thread.
    pub(in crate::commands::run) fn put_and_wait(&self, put: ToPut) -> UserAnswer {
        self.waits(put).blocking_recv().unwrap_or(UserAnswer::Nothing)
    }

    fn waits(&self, put: ToPut) -> oneshot::Receiver<UserAnswer> {
        let (to, answer) = oneshot::channel();
        self.tell(ThreadCommand::Put(put, to));
        answer
    }

    /// Requests a notification to hooks.
    pub(crate) fn notify(&self, notification: UserNotification) {
        // After the end of the session there are no receivers.
        let _sent = self.notices.send(notification);
    }

    /// Returns the notifications, to the first caller only.
    pub(crate) fn notices(&self) -> Option<mpsc::UnboundedReceiver<UserNotification>> {
        self.receiver.lock().unwrap_or_else(PoisonError::into_inner).take()
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
        // A thread that has ended has released the screen; questions to it count as unanswered.
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
