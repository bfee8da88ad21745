//! Reads stdin: messages and requests go to the session in their order, answers directly to the pending requests.
//!
//! Reading a file can't be interrupted, so a separate thread does it, and ends with the process. It never waits for the
//! session: an answer that a turn waits for may follow messages that wait for that turn.

use super::host::Host;
use super::host_message::{self, HostMessage, Request};
use crate::error::CliError;
use crate::event::read::{LIMIT, utf8};
use crate::interrupt::Caught;
use crate::report::run::{BadLine, Line, MessageMetadata, fields_of, read_line, repeated};
use becket_agent::session::Prompt;
use becket_engine::CancellationToken;
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{BufRead, BufReader, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use tokio::sync::mpsc;

/// The limit on messages and requests that wait for the session, in bytes.
const AHEAD: u64 = 4 * LIMIT;

/// An input for the session.
#[derive(Debug)]
pub(crate) enum SessionInput {
    Message(HostPrompt),
    Request(Request, CancellationToken),
}

/// A message of the user.
#[derive(Debug)]
pub(crate) struct HostPrompt {
    pub(crate) prompt: Prompt,
    pub(crate) sent: MessageMetadata,
    /// False if it starts no turn, and waits for the next message.
    pub(crate) queries: bool,
    /// The fields that have no effect.
    pub(crate) ignored: Vec<String>,
}

/// The lines of stdin.
pub(crate) struct Lines {
    pub(crate) host: Host,
    receiver: mpsc::UnboundedReceiver<(u64, Result<SessionInput, CliError>)>,
    waiting: Arc<AtomicU64>,
    /// An input that was peeked at and put back.
    next: Option<Result<SessionInput, CliError>>,
    pub(crate) open: Open,
}

/// The unanswered requests of the host, by their ids.
#[derive(Debug, Clone, Default)]
pub(crate) struct Open(Arc<Mutex<HashMap<String, CancellationToken>>>);

impl Open {
    /// Adds a request. Returns `None` if a request with this id is already open.
    fn add(&self, id: &str) -> Option<CancellationToken> {
        match self.all().entry(id.to_owned()) {
            Entry::Occupied(_) => None,
            Entry::Vacant(place) => Some(place.insert(CancellationToken::new()).clone()),
        }
    }

    fn cancel(&self, id: &str) {
        if let Some(cancel) = self.all().remove(id) {
            cancel.cancel();
        }
    }

    /// Removes a request once it is answered.
    pub(crate) fn remove(&self, id: &str) {
        self.all().remove(id);
    }

    fn all(&self) -> std::sync::MutexGuard<'_, HashMap<String, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends an abandoned run.
pub(crate) struct Shutdown {
    pub(crate) cancel: CancellationToken,
    pub(crate) caught: Caught,
}

impl Lines {
    /// Starts to read the lines of a host. `answering` selects the lines that are answered on stdout.
    pub(crate) fn open(host: Host, answering: ReplyOptions, ending: Shutdown) -> Self {
        let (to, receiver) = mpsc::unbounded_channel();
        let (waiting, open) = (Arc::<AtomicU64>::default(), Open::default());
        let reader =
            Reader { host: host.clone(), to, waiting: waiting.clone(), open: open.clone(), answering };
        thread::spawn(move || {
            reader.read_all();
            super::super::stdout_watch::wait_until_nobody_reads(&ending.cancel);
            if !ending.cancel.is_cancelled() {
                ending.caught.as_if_terminated();
                ending.cancel.cancel();
            }
        });
        Lines { host, receiver, waiting, next: None, open }
    }

    /// Returns the next input for the session; `None` at the end. Cancel-safe.
    ///
    /// # Errors
    /// Errors if a line can't be read; it is the last one.
    pub(crate) async fn next(&mut self) -> Option<Result<SessionInput, CliError>> {
        if let Some(next) = self.next.take() {
            return Some(next);
        }
        let (bytes, input) = self.receiver.recv().await?;
        self.waiting.fetch_sub(bytes, Ordering::Relaxed);
        Some(input)
    }

    /// Puts an input back.
    pub(crate) fn put_back(&mut self, input: Option<Result<SessionInput, CliError>>) {
        self.next = input;
    }
}

struct Reader {
    host: Host,
    to: mpsc::UnboundedSender<(u64, Result<SessionInput, CliError>)>,
    waiting: Arc<AtomicU64>,
    open: Open,
    answering: ReplyOptions,
}

impl Reader {
    /// Reads until the end, or an unreadable line, which is reported to the session and ends the input.
    fn read_all(self) {
        let mut stdin = BufReader::new(std::io::stdin());
        for number in 1.. {
            // If the host does not read its output, its input is not read either.
            self.host.wait_for_room();
            let result = match one(&mut stdin, number) {
                Ok(Some(line)) => self.hear(&line, number),
                Ok(None) => break,
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                // Sending fails if the receiver is gone.
                drop(self.to.send((0, Err(error))));
                break;
            }
        }
        self.host.fail_pending();
    }

    /// Writes a copy of a message as an acknowledgement.
    fn replay(&self, line: &str) {
        if let Ok(mut message) = fields_of(line) {
            message.insert("isReplay".to_owned(), Value::Bool(true));
            self.host.send(Value::Object(message));
        }
    }

    fn hear(&self, line: &str, number: u64) -> Result<(), CliError> {
        let bad = |why| CliError::InputLine { line: number, why };
        let input = match read_line(line).map_err(bad)? {
            None => return Ok(()),
            Some(Line::Message { content, verbatim, queries, sent, ignored }) => {
                if self.answering.replays {
                    self.replay(line);
                }
                let prompt =
                    Prompt::blocks(content).verbatim(verbatim).with_uuid(sent.uuid().map(str::to_owned));
                SessionInput::Message(HostPrompt { prompt, sent, queries, ignored })
            }
            Some(Line::Control(_)) if !self.answering.controls => return Err(bad(BadLine::NoAnswers)),
            Some(Line::Control(fields)) => match host_message::read(fields).map_err(bad)? {
                HostMessage::Request(request) => match self.open.add(&request.id) {
                    Some(cancel) => SessionInput::Request(request, cancel),
                    None => {
                        let why = "a request of this id is not answered yet: give each its own id";
                        self.host.refuse(&request.id, why);
                        return Ok(());
                    }
                },
                HostMessage::Response { id, answer } => {
                    self.host.answered(&id, answer, repeated(line));
                    return Ok(());
                }
                HostMessage::Cancel { id } => {
                    self.open.cancel(&id);
                    return Ok(());
                }
                HostMessage::Nothing => return Ok(()),
            },
        };
        let bytes = line.len() as u64;
        if self.waiting.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) > AHEAD {
            return Err(CliError::TooLarge { what: "what waits on stdin".to_owned(), limit: AHEAD });
        }
        // If the receiver is gone, the session is over.
        drop(self.to.send((bytes, Ok(input))));
        Ok(())
    }
}

/// The lines of stdin that are answered on stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReplyOptions {
    /// True if control lines are answered.
    pub(crate) controls: bool,
    /// True if messages of the user are answered by a copy (`--replay-user-messages`).
    pub(crate) replays: bool,
}

/// Returns the next line; `None` at the end.
fn one(stdin: &mut impl BufRead, number: u64) -> Result<Option<String>, CliError> {
    let mut bytes = Vec::new();
    stdin.take(LIMIT + 1).read_until(b'\n', &mut bytes).map_err(CliError::Stdin)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 > LIMIT {
        return Err(CliError::TooLarge { what: format!("line {number} of stdin"), limit: LIMIT });
    }
    let line = utf8(bytes, &format!("line {number} of stdin"))?;
    // .NET and PowerShell begin a stream with a byte order mark.
    Ok(Some(match line.strip_prefix('\u{feff}').filter(|_| number == 1) {
        Some(rest) => rest.to_owned(),
        None => line,
    }))
}
