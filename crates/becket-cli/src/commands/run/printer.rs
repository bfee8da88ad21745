//! Writes the output on a separate thread: a slow reader must not delay hooks and their deadlines.
//!
//! INVARIANT: output is written in order, and all of it before [`Printer::end`] returns. If the reader of stdout is
//! gone, the work is cancelled and nothing else is written there.

use super::options::Output;
use super::terminal::{self, View};
use crate::env::Surroundings;
use crate::error::CliError;
use crate::out::{Out, ReaderGone};
use crate::progress::Progress;
use crate::report::run::{Ids, Live, Page, RunResult, SessionEvent, Stream, StreamOptions, Verbosity};
use crate::report::style::plain;
use crate::wrap::fit;
use becket_engine::CancellationToken;
use becket_fire::FiringError;
use std::fs::File;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

/// The number of queued messages from which no more input is read.
const FULL: usize = 10_000;

/// Receives the output. Clones write to the same streams.
#[derive(Clone)]
pub(super) struct Printer {
    to: Sender<PrinterMessage>,
    backlog: Arc<Backlog>,
}

/// The number of queued messages.
struct Backlog {
    /// `None` once the printer has ended.
    waiting: Mutex<Option<usize>>,
    less: Condvar,
}

impl Backlog {
    /// Counts another message, unless the printer has ended.
    fn grows(&self) {
        if let Some(waiting) = &mut *self.waiting() {
            *waiting += 1;
        }
    }

    /// Counts one message less.
    fn shrinks(&self) {
        if let Some(waiting) = &mut *self.waiting() {
            *waiting = waiting.saturating_sub(1);
        }
        self.less.notify_all();
    }

    /// Ends the count: nothing more is written, and waiters continue.
    fn over(&self) {
        *self.waiting() = None;
        self.less.notify_all();
    }

    /// Blocks this thread until fewer than [`FULL`] messages are queued.
    fn wait_for_room(&self) {
        let is_full = |waiting: &mut Option<usize>| waiting.is_some_and(|waiting| waiting >= FULL);
        drop(self.less.wait_while(self.waiting(), is_full));
    }

    fn waiting(&self) -> MutexGuard<'_, Option<usize>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum PrinterMessage {
    Show(SessionEvent),
    End,
}

/// The thread that writes.
pub(super) struct PrinterThread {
    thread: JoinHandle<Result<(), CliError>>,
}

/// The destinations of the output.
pub(super) struct Destinations {
    pub(super) out: Out,
    /// True if stdout is a terminal, whose escape sequences must not come from an answer.
    pub(super) shows_stdout: bool,
    /// True if stderr is a terminal.
    pub(super) wraps_stderr: bool,
    pub(super) progress: Progress,
    pub(super) debug: Option<File>,
    /// True if all events go to stderr, too.
    pub(super) debugs_on_stderr: bool,
    /// The screen of an interactive session.
    pub(super) view: Option<View>,
    /// Cancelled once stdout has no reader.
    pub(super) cancel: CancellationToken,
}

impl Destinations {
    /// Creates the destinations of this process.
    pub(super) fn new(
        around: &Surroundings,
        out: &Out,
        debug: Option<File>,
        cancel: &CancellationToken,
    ) -> Self {
        let moves = around.terminals.stderr && !around.is_dumb();
        let progress = if moves { Progress::on_stderr() } else { Progress::off() };
        let (shows_stdout, wraps_stderr) = (around.terminals.stdout, around.terminals.stderr);
        Destinations {
            out: *out,
            shows_stdout,
            wraps_stderr,
            progress,
            debug,
            debugs_on_stderr: false,
            view: None,
            cancel: cancel.clone(),
        }
    }

    /// Writes all events to stderr as well, if requested.
    pub(super) fn with_debug_on_stderr(mut self, debugs_on_stderr: bool) -> Self {
        self.debugs_on_stderr = debugs_on_stderr;
        self
    }

    /// Sets a screen, which then shows everything.
    pub(super) fn with_view(mut self, view: Option<View>) -> Self {
        if view.is_some() {
            self.progress = Progress::off();
        }
        self.view = view;
        self
    }
}

/// Starts to write.
pub(super) fn start(output: Output, places: Destinations) -> (Printer, PrinterThread) {
    let (to, from) = channel();
    let debug = (places.debug.is_some() || places.debugs_on_stderr)
        .then(|| Stream::new(StreamOptions { hooks: true, pieces: true, subagents: true }, Ids::random()));
    let format = match output {
        Output::Text(verbosity) | Output::Screen(verbosity) => Format::Text(Live::new(verbosity)),
        Output::Json => Format::Json(Live::new(Verbosity::Needed)),
        Output::Stream(wanted) => Format::Stream(Stream::new(wanted, Ids::random())),
    };
    let mut writer = Writer { format, debug, places, failed: None };
    let backlog = Arc::new(Backlog { waiting: Mutex::new(Some(0)), less: Condvar::new() });
    let shrinking = backlog.clone();
    let thread = std::thread::spawn(move || {
        let _over = OverAtEnd(&shrinking);
        writer.write_all(&from, &shrinking)
    });
    (Printer { to, backlog }, PrinterThread { thread })
}

impl Printer {
    /// Queues a message. Never waits.
    pub(super) fn show(&self, shown: SessionEvent) {
        self.backlog.grows();
        // A thread that has ended has already reported its error.
        drop(self.to.send(PrinterMessage::Show(shown)));
    }

    /// Blocks this thread until most of the output is written.
    pub(super) fn wait_for_room(&self) {
        self.backlog.wait_for_room();
    }

    /// Ends the output: remaining clones discard their messages.
    pub(super) fn end(&self) {
        drop(self.to.send(PrinterMessage::End));
    }
}

impl PrinterThread {
    /// Waits until everything is written; call [`Printer::end`] first.
    ///
    /// # Errors
    /// Errors if the output could not be written.
    pub(super) fn end(self) -> Result<(), CliError> {
        self.thread.join().unwrap_or_else(|_| Err(FiringError::Panicked.into()))
    }
}

/// Ends the count when dropped, also if the writing thread panics.
struct OverAtEnd<'a>(&'a Backlog);

impl Drop for OverAtEnd<'_> {
    fn drop(&mut self) {
        self.0.over();
    }
}

enum Format {
    Text(Live),
    /// Messages that the user must not miss go to stderr as text.
    Json(Live),
    Stream(Stream),
}

struct Writer {
    format: Format,
    debug: Option<Stream>,
    places: Destinations,
    failed: Option<CliError>,
}

impl Writer {
    fn write_all(&mut self, from: &Receiver<PrinterMessage>, backlog: &Backlog) -> Result<(), CliError> {
        while let Ok(PrinterMessage::Show(shown)) = from.recv() {
            self.write(&shown);
            backlog.shrinks();
        }
        self.places.progress.end();
        self.failed.take().map_or(Ok(()), Err)
    }

    fn write(&mut self, shown: &SessionEvent) {
        match &mut self.places.view {
            Some(view) => view.show(shown),
            None => self.print_page(shown),
        }
        let Some(stream) = &mut self.debug else { return };
        let lines = stream.lines(shown);
        if self.places.debugs_on_stderr {
            self.places.out.eprint(&lines);
        }
        if let Some(file) = &mut self.places.debug
            && let Err(error) = file.write_all(lines.as_bytes())
        {
            self.failed.get_or_insert(CliError::from(error));
            self.places.debug = None;
        }
    }

    fn print_page(&mut self, shown: &SessionEvent) {
        let page = self.page(shown);
        if !page.stderr.is_empty() || !page.stdout.is_empty() {
            let _paused = self.places.progress.pause();
            let is_safe =
                !self.places.shows_stdout || matches!(self.format, Format::Stream(_) | Format::Json(_));
            // Its usage is shown below the answer.
            self.print(&if is_safe { page.stdout } else { plain(&page.stdout) });
            self.tell(&page.stderr);
        }
    }

    /// Writes to stderr, wrapped to its width if it is a terminal.
    fn tell(&self, text: &str) {
        match self.places.wraps_stderr {
            _ if text.is_empty() => {}
            true => self.places.out.eprint(&fit(text, Some(terminal::width()))),
            false => self.places.out.eprint(text),
        }
    }

    fn page(&mut self, shown: &SessionEvent) -> Page {
        match (&mut self.format, shown) {
            (Format::Text(live), shown) => {
                if self.places.wraps_stderr {
                    live.fit(terminal::width());
                }
                live.page(shown)
            }
            (Format::Json(live), SessionEvent::Ended(result)) => {
                drop(live.page(shown));
                Page { stdout: object(result), stderr: String::new() }
            }
            (Format::Json(live), shown) => live.page(shown),
            (Format::Stream(stream), shown) => Page { stdout: stream.lines(shown), stderr: String::new() },
        }
    }

    fn print(&mut self, text: &str) {
        if text.is_empty() || self.failed.is_some() {
            return;
        }
        match self.places.out.print_until_gone(text) {
            Ok(ReaderGone(false)) => {}
            Ok(ReaderGone(true)) => self.places.cancel.cancel(),
            Err(error) => {
                self.failed = Some(CliError::from(error));
                self.places.cancel.cancel();
            }
        }
    }
}

fn object(result: &RunResult) -> String {
    serde_json::to_string(result).map(|line| line + "\n").unwrap_or_default()
}

/// Opens the file of `--debug-file` for this user alone, and truncates it. A link is not followed: it may come from the
/// project.
///
/// # Errors
/// Errors if it can't be written, or is not a regular file.
pub(super) fn debug_file(path: &std::path::Path) -> Result<File, CliError> {
    opened_private(path).map_err(|why: io::Error| CliError::Write { path: path.to_owned(), why })
}

#[cfg(unix)]
fn opened_private(path: &std::path::Path) -> io::Result<File> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let mut options = becket_base::private_file::options();
    let file = options.write(true).create(true).truncate(false).open(path).map_err(|error| {
        match path.is_symlink() {
            true => io::Error::other("it is a link, which is not followed"),
            false => error,
        }
    })?;
    let found = file.metadata()?;
    if !found.is_file() || found.nlink() > 1 {
        return Err(io::Error::other("it is not a regular file with a single link"));
    }
    file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    file.set_len(0)?;
    Ok(file)
}

#[cfg(not(unix))]
fn opened_private(path: &std::path::Path) -> io::Result<File> {
    if path.is_symlink() {
        return Err(io::Error::other("it is a link, which is not followed"));
    }
    File::create(path)
}
