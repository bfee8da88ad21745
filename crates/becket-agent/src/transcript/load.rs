//! Reads a transcript, even a damaged one.
//!
//! INVARIANT: no input makes it fail. An invalid line is skipped and reported; the rest gives a valid conversation
//! ([`crate::conversation::Replay`]).

use super::line::{self, LineContent, Note};
use super::time;
use crate::conversation::{Entry, Misfit, Replay, StoredConversation};
use becket_llm::{Object, Usage};
use becket_model::event::PermissionMode;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The start of `version` in lines written by Becket.
pub(super) const WRITER: &str = "becket ";

/// A stored session.
#[derive(Debug)]
#[must_use = "a conversation that is dropped is lost"]
#[non_exhaustive]
pub struct StoredSession {
    /// The conversation, or the deferred calls (D10).
    pub stored: StoredConversation,
    /// The last given title, or else the last generated one.
    pub title: Option<String>,
    /// The last permission mode.
    pub mode: Option<PermissionMode>,
    /// The last model that was recorded, or else the one of the last answer.
    pub model: Option<String>,
    /// The working directory of the last line.
    pub cwd: Option<PathBuf>,
    /// The tokens of all answers.
    pub usage: Usage,
    /// The number of the user's prompts.
    pub prompts: u32,
    /// The time of the model's last answer.
    pub last_answer: Option<SystemTime>,
    /// The damaged lines.
    pub damage: Vec<Damage>,
    /// The transcript of another program, if this one was just copied from it.
    pub copy_of: Option<PathBuf>,
}

impl StoredSession {
    /// Returns the time since the model's last answer (`seconds_since_last_response`).
    #[must_use]
    pub fn since_last_answer(&self, now: SystemTime) -> Option<Duration> {
        self.last_answer.map(|last| now.duration_since(last).unwrap_or_default())
    }
}

/// A damaged line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// The path of the transcript.
    pub path: PathBuf,
    /// The number of the line, from 1.
    pub line: usize,
    /// The kind of damage, which says how it was handled.
    pub what: Flaw,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.what)
    }
}

/// The kind of damage of a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// The line is incomplete: the process was killed while writing it. It is skipped.
    #[error("a torn line is left out: {because}")]
    Torn {
        /// The parser's error.
        because: String,
    },
    /// The line is not a JSON object. It is skipped.
    #[error("a line that is not a JSON object is left out: {because}")]
    NoObject {
        /// The parser's error.
        because: String,
    },
    /// The line lacks a required part. It is skipped.
    #[error("{0}: it is left out")]
    Lacks(&'static str),
    /// The line occurs twice. The second one is skipped.
    #[error("the line `{uuid}` is there twice: the second is left out")]
    Duplicate {
        /// The name of the line.
        uuid: String,
    },
    /// The line does not fit the lines before it. It is skipped.
    #[error("it does not fit what stands before it, and is left out: {0}")]
    Misfit(Misfit),
    /// The line that it follows is missing. It is kept.
    #[error("the line `{parent}` before it is lost")]
    NoParent {
        /// The name of the missing line.
        parent: String,
    },
}

/// Reads a whole transcript. Lines of subagents count only if the transcript is that of a subagent.
pub(super) fn load(path: &Path, bytes: &[u8], is_side: bool) -> (StoredSession, LineNames) {
    let mut load = Load::default();
    let mut lines: Vec<ParsedLine> = bytes.split(|byte| *byte == b'\n').map(object).collect();
    join_answers(&mut lines);
    let dropped = dropped(&lines);
    let count = lines.len();
    for (at, line) in lines.into_iter().enumerate() {
        let is_last = at + 1 == count;
        let line = line.map_err(|error| {
            let because = error.to_string();
            if is_last { Flaw::Torn { because } } else { Flaw::NoObject { because } }
        });
        let read = line.and_then(|line| match line {
            Some(line) if dropped.contains(&at) => load.pass_over(&line),
            Some(line) => load.line(&line, is_side),
            None => Ok(()),
        });
        if let Err(what) = read {
            load.damage.push(Damage { path: path.to_owned(), line: at + 1, what });
        }
    }
    load.finish()
}

/// The names of the lines of a transcript.
#[derive(Debug, Default)]
pub(super) struct LineNames {
    /// The name of the last message.
    pub(super) last: Option<String>,
    /// The names of all lines.
    pub(super) seen: HashSet<String>,
}

/// A line as JSON.
type ParsedLine = Result<Option<Object>, serde_json::Error>;

/// Joins the parts of an answer: other programs write one line per block.
fn join_answers(lines: &mut [ParsedLine]) {
    let mut first: HashMap<String, usize> = HashMap::new();
    for at in 0..lines.len() {
        let Ok(Some(line)) = &lines[at] else { continue };
        let Some(id) = part_of(line) else { continue };
        let Some(before) = first.get(&id).copied() else {
            first.insert(id, at);
            continue;
        };
        let Ok(Some(part)) = &mut lines[at] else { continue };
        let blocks = part.get_mut("message").and_then(|message| message.get_mut("content")).map(Value::take);
        // The line stays in the chain as a name, without a message.
        part.insert("type".into(), "joined".into());
        let Ok(Some(whole)) = &mut lines[before] else { continue };
        let content = whole.get_mut("message").and_then(|message| message.get_mut("content"));
        if let (Some(Value::Array(content)), Some(Value::Array(blocks))) = (content, blocks) {
            content.extend(blocks);
        }
    }
}

/// Returns the id of the answer that a line of another program belongs to.
fn part_of(line: &Object) -> Option<String> {
    let is_part = line.get("type")? == "assistant" && !is_own(line);
    let message = line.get("message").filter(|_| is_part)?;
    message.get("content")?.as_array()?;
    message.get("id")?.as_str().filter(|id| !id.is_empty()).map(str::to_owned)
}

/// Returns whether a line was written by Becket, or by a program that has copied it.
pub(super) fn is_own(line: &Object) -> bool {
    line.get("version").and_then(Value::as_str).is_some_and(|version| version.starts_with(WRITER))
}

/// Returns the positions of messages that a rewind has dropped.
fn dropped(lines: &[ParsedLine]) -> HashSet<usize> {
    let mut dropped = HashSet::new();
    let text = |line: &Object, key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
    for (at, line) in lines.iter().enumerate() {
        let Ok(Some(line)) = line else { continue };
        let to = text(line, "to").filter(|_| line.get("type").is_some_and(|kind| kind == "rewound"));
        let Some(to) = to else { continue };
        let named =
            |line: &ParsedLine| matches!(line, Ok(Some(line)) if text(line, "uuid").as_ref() == Some(&to));
        if let Some(kept) = lines[..at].iter().position(named) {
            dropped.extend(kept + 1..at);
        }
    }
    dropped
}

/// Parses a line as an object; `None` for an empty one. A file system that lost power pads with NULs.
pub(super) fn object(line: &[u8]) -> Result<Option<Object>, serde_json::Error> {
    let padding = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    let from = line.iter().position(|byte| !padding(byte)).unwrap_or(line.len());
    let to = line.iter().rposition(|byte| !padding(byte)).map_or(from, |last| last + 1);
    if from == to { Ok(None) } else { serde_json::from_slice(&line[from..to]).map(Some) }
}

#[derive(Debug, Default)]
struct Load {
    replay: Replay,
    title: Option<String>,
    generated_title: Option<String>,
    mode: Option<PermissionMode>,
    model: Option<String>,
    answered_by: Option<String>,
    cwd: Option<PathBuf>,
    usage: Usage,
    prompts: u32,
    last_answer: Option<SystemTime>,
    damage: Vec<Damage>,
    seen: HashSet<String>,
    last: Option<String>,
}

impl Load {
    fn line(&mut self, line: &Object, is_side: bool) -> Result<(), Flaw> {
        if !is_side && line.get("isSidechain") == Some(&Value::Bool(true)) {
            return Ok(());
        }
        let text = |key: &str| line.get(key).and_then(Value::as_str);
        let parent = self.follow(text("uuid"), text("parentUuid"))?;
        if line::is_chained(line) {
            self.last = text("uuid").map(str::to_owned).or(self.last.take());
        } else if line.get("type").is_some_and(|kind| kind == "rewound") {
            self.last = text("to").map(str::to_owned);
        }
        if let Some(cwd) = text("cwd") {
            self.cwd = Some(cwd.into());
        }
        for said in line::read(line).map_err(Flaw::Lacks)? {
            self.hear(said, text("timestamp"))?;
        }
        parent.map_or(Ok(()), |parent| Err(Flaw::NoParent { parent }))
    }

    /// Skips a message that a rewind has dropped: its name is kept, but not its content.
    fn pass_over(&mut self, line: &Object) -> Result<(), Flaw> {
        let text = |key: &str| line.get(key).and_then(Value::as_str);
        self.follow(text("uuid"), text("parentUuid")).map(drop)?;
        // Facts that are not part of the conversation still count.
        for said in line::read(line).unwrap_or_default() {
            if let LineContent::Note(_) = &said {
                self.hear(said, None)?;
            }
        }
        Ok(())
    }

    /// Records a line's name; returns the name of the previous line if that is missing.
    fn follow(&mut self, uuid: Option<&str>, parent: Option<&str>) -> Result<Option<String>, Flaw> {
        let lost = parent.filter(|parent| !self.seen.contains(*parent)).map(str::to_owned);
        if let Some(uuid) = uuid.filter(|uuid| !self.seen.insert((*uuid).to_owned())) {
            return Err(Flaw::Duplicate { uuid: uuid.to_owned() });
        }
        Ok(lost)
    }

    fn hear(&mut self, said: LineContent, at: Option<&str>) -> Result<(), Flaw> {
        match said {
            LineContent::Entry(entry) => {
                self.count(&entry, at);
                self.replay.take(entry).map_err(Flaw::Misfit)?;
            }
            LineContent::Note(Note::Title(title)) => self.title = Some(title),
            LineContent::Note(Note::GeneratedTitle(title)) => self.generated_title = Some(title),
            LineContent::Note(Note::Mode(mode)) => self.mode = Some(mode),
            LineContent::Note(Note::Model(model)) => self.model = Some(model),
            LineContent::Note(Note::Remark(_)) => {}
        }
        Ok(())
    }

    fn count(&mut self, entry: &Entry, at: Option<&str>) {
        match entry {
            Entry::UserMessage { .. } => self.prompts = self.prompts.saturating_add(1),
            Entry::Answered { answer } => {
                self.usage = self.usage.plus(answer.usage);
                self.answered_by = Some(answer.model.clone()).filter(|model| !model.is_empty());
                self.last_answer = at.and_then(time::moment).or(self.last_answer);
            }
            Entry::Beside { .. }
            | Entry::Feedback { .. }
            | Entry::Result { .. }
            | Entry::Deferred { .. }
            | Entry::Resumed
            | Entry::Summary { .. } => {}
        }
    }

    /// Returns the session, and the names of its lines.
    fn finish(self) -> (StoredSession, LineNames) {
        let restored = StoredSession {
            stored: self.replay.finish(),
            title: self.title.or(self.generated_title),
            mode: self.mode,
            model: self.model.or(self.answered_by),
            cwd: self.cwd,
            usage: self.usage,
            prompts: self.prompts,
            last_answer: self.last_answer,
            damage: self.damage,
            copy_of: None,
        };
        (restored, LineNames { last: self.last, seen: self.seen })
    }
}
