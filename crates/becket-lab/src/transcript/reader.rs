//! Reads a transcript line by line.

use super::claude;
use super::codex;
use super::line::Line;
use super::recorded::{RecordedAnswer, RecordedEvent};
use super::window::Window;
use becket_base::text_file;
use becket_model::EventKind;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The maximum length of a line, in bytes.
const LONGEST: u64 = 64 << 20;
/// The maximum number of calls without a result.
const OPEN_CALLS: usize = 1_000;

/// Counts of unread lines, by the reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadCounts {
    /// All lines.
    pub lines: u64,
    /// Lines that are cut or no JSON object.
    pub unreadable: u64,
    /// Lines that are not UTF-8; they are read with replacement characters.
    pub not_utf8: u64,
    /// Lines of an unknown kind.
    pub unknown: u64,
    /// Lines of a known kind: a file without any is not a transcript.
    pub known: u64,
    /// Lines that are too long to be read.
    pub too_long: u64,
    /// Recorded answers of hooks whose event is not in the transcript.
    pub unmatched: u64,
}

impl ReadCounts {
    /// Adds the counts of another transcript.
    pub fn add(&mut self, other: ReadCounts) {
        self.lines += other.lines;
        self.unreadable += other.unreadable;
        self.not_utf8 += other.not_utf8;
        self.unknown += other.unknown;
        self.known += other.known;
        self.too_long += other.too_long;
        self.unmatched += other.unmatched;
    }
}

/// A transcript that is being read.
#[derive(Debug)]
pub struct Transcript {
    lines: BufReader<File>,
    is_over: bool,
    bytes: u64,
    pub(super) counts: ReadCounts,
    pub(super) window: Window,
    pub(super) session: SessionFacts,
}

/// Facts about the session in the lines so far.
#[derive(Debug)]
pub(super) struct SessionFacts {
    pub(super) file: Arc<PathBuf>,
    pub(super) id: String,
    pub(super) root: Option<Arc<str>>,
    pub(super) cwd: String,
    pub(super) mode: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) time: Option<Timestamp>,
    /// The length of the line.
    pub(super) length: usize,
    /// The calls without a result so far, with tool and input; the oldest first.
    calls: HashMap<String, (String, Value)>,
    call_order: VecDeque<String>,
    /// The last message with which a turn ended, and whether a hook has kept a turn going.
    pub(super) ended_by: Option<String>,
    pub(super) is_kept_going: bool,
}

impl Transcript {
    /// Opens a transcript.
    ///
    /// # Errors
    /// Errors if the file can't be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = text_file::open(path)?;
        let name = path.file_stem().map(|name| name.to_string_lossy().into_owned());
        Ok(Transcript {
            lines: BufReader::with_capacity(1 << 16, file),
            is_over: false,
            bytes: 0,
            counts: ReadCounts::default(),
            window: Window::default(),
            session: SessionFacts {
                file: Arc::new(path.to_owned()),
                id: name.unwrap_or_default(),
                root: None,
                cwd: String::new(),
                mode: None,
                agent: None,
                time: None,
                length: 0,
                calls: HashMap::new(),
                call_order: VecDeque::new(),
                ended_by: None,
                is_kept_going: false,
            },
        })
    }

    /// Returns the counts of unread lines so far.
    pub fn counts(&self) -> ReadCounts {
        self.counts
    }

    /// Returns the number of bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Reads on to the next event.
    ///
    /// # Errors
    /// Errors if the file can't be read.
    pub fn next_event(&mut self) -> io::Result<Option<RecordedEvent>> {
        loop {
            if let Some(event) = self.window.next(self.counts.lines, self.is_over) {
                return Ok(Some(event));
            }
            if self.is_over {
                return Ok(None);
            }
            match self.line()? {
                Some(line) => self.take(&line),
                None => self.is_over = true,
            }
        }
    }

    /// Reads a line; returns an empty one if it is too long.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let read = (&mut self.lines).take(LONGEST).read_until(b'\n', &mut line)? as u64;
        if read == 0 {
            return Ok(None);
        }
        self.bytes += read;
        self.counts.lines += 1;
        if read == LONGEST && !line.ends_with(b"\n") {
            self.counts.too_long += 1;
            line.clear();
            self.skip_line()?;
        }
        Ok(Some(line))
    }

    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.lines.fill_buf()?;
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let (used, is_over) =
                (end.map_or(buffer.len(), |end| end + 1), end.is_some() || buffer.is_empty());
            self.lines.consume(used);
            self.bytes += used as u64;
            if is_over {
                return Ok(());
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        if bytes.trim_ascii().is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(bytes);
        if matches!(text, std::borrow::Cow::Owned(_)) {
            self.counts.not_utf8 += 1;
        }
        let Ok(line) = serde_json::from_str::<Line<'_>>(&text) else {
            self.counts.unreadable += 1;
            return;
        };
        self.session.hear(&line, bytes.len());
        let is_known = match line.payload {
            Some(payload) => codex::take(self, &line, payload),
            None => claude::take(self, &line) || codex::take_flat(self, &line, &text),
        };
        match is_known {
            true => self.counts.known += 1,
            false => self.counts.unknown += 1,
        }
    }

    /// Adds an event with these fields.
    pub(super) fn event(&mut self, kind: EventKind, fields: Map<String, Value>, call: Option<&str>) {
        let event = RecordedEvent {
            kind,
            fields: self.session.with_common(kind, fields),
            root: self.session.root.clone().unwrap_or_else(|| Arc::from("")),
            time: self.session.time,
            file: self.session.file.clone(),
            line: self.counts.lines,
            call: call.map(str::to_owned),
            answers: Vec::new(),
        };
        self.window.push(event, self.session.length);
    }

    /// Adds the recorded answer of a hook.
    pub(super) fn answer(&mut self, kind: EventKind, call: Option<&str>, answer: RecordedAnswer) {
        if !self.window.answer(kind, call, answer) {
            self.counts.unmatched += 1;
        }
    }
}

impl SessionFacts {
    /// Keeps the facts about the session in a line.
    fn hear(&mut self, line: &Line<'_>, length: usize) {
        self.length = length;
        if let Some(id) = &line.session_id {
            self.id = id.to_string();
        }
        if let Some(cwd) = &line.cwd {
            self.moved(cwd);
        }
        if let Some(mode) = &line.permission_mode {
            self.mode = Some(mode.to_string());
        }
        self.agent = line.agent_id.as_ref().map(ToString::to_string);
        if let Some(time) = line.timestamp.as_ref().and_then(|time| time.parse().ok()) {
            self.time = Some(time);
        }
    }

    /// Sets the working directory; the first one is that of the session's start.
    pub(super) fn moved(&mut self, cwd: &str) {
        if self.cwd != cwd {
            self.cwd = cwd.to_owned();
        }
        self.root.get_or_insert_with(|| Arc::from(cwd));
    }

    fn with_common(&self, kind: EventKind, own: Map<String, Value>) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("session_id".to_owned(), self.id.as_str().into());
        fields.insert("transcript_path".to_owned(), self.file.to_string_lossy().into_owned().into());
        fields.insert("cwd".to_owned(), self.cwd.as_str().into());
        if let Some(mode) = self.mode.as_ref().filter(|_| kind.spec().carries.permission_mode) {
            fields.insert("permission_mode".to_owned(), mode.as_str().into());
        }
        if let Some(agent) = &self.agent {
            fields.insert("agent_id".to_owned(), agent.as_str().into());
        }
        fields.extend(own);
        fields
    }

    /// Stores a call until its result.
    pub(super) fn opened(&mut self, id: &str, tool: &str, input: &Value) {
        self.calls.insert(id.to_owned(), (tool.to_owned(), input.clone()));
        self.call_order.push_back(id.to_owned());
        while self.call_order.len() > OPEN_CALLS {
            if let Some(oldest) = self.call_order.pop_front() {
                self.calls.remove(&oldest);
            }
        }
    }

    /// Returns the call of a result, and removes it.
    pub(super) fn closed(&mut self, id: &str) -> Option<(String, Value)> {
        self.calls.remove(id)
    }
}
