//! The existing sessions. Only the start and the end of their files are read, whatever their size.

use super::load::object;
use super::place;
use super::store::Store;
use becket_llm::Object;
use serde_json::Value;
use std::cmp::Reverse;
use std::fs::{self, DirEntry, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The number of bytes that are read at each end of a file.
const WINDOW: u64 = 64 * 1024;

/// A session that can be resumed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ResumableSession {
    /// The id of the session.
    pub id: String,
    /// The path of the transcript.
    pub path: PathBuf,
    /// The time of the last write.
    pub modified: SystemTime,
    /// The title, if it has one, as far as the ends of the file contain it.
    pub title: Option<String>,
    /// The first prompt, as far as the start of the file contains it.
    pub prompt: Option<String>,
}

impl Store {
    /// Returns the sessions that began in this directory, newest first, without empty ones.
    ///
    /// # Errors
    /// Errors if the directory can't be read. A missing directory contains no sessions.
    pub fn list(&self, cwd: &Path) -> io::Result<Vec<ResumableSession>> {
        let mut all: Vec<ResumableSession> = Vec::new();
        for root in self.roots() {
            match fs::read_dir(place::of_project(root, cwd)) {
                Ok(entries) => all.extend(entries.flatten().filter_map(|entry| listed(&entry, cwd))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        all.sort_by(|one, other| (Reverse(one.modified), &one.id).cmp(&(Reverse(other.modified), &other.id)));
        Ok(all)
    }

    /// Returns the id of the newest session that began in this directory and does not belong to another program.
    ///
    /// # Errors
    /// Errors like [`Store::list`].
    pub fn latest(&self, cwd: &Path) -> io::Result<Option<String>> {
        let is_own = |session: &ResumableSession| self.is_own(&session.path).unwrap_or(false);
        Ok(self.list(cwd)?.into_iter().find(is_own).map(|newest| newest.id))
    }
}

fn listed(entry: &DirEntry, cwd: &Path) -> Option<ResumableSession> {
    let path = entry.path();
    let id = path.file_name()?.to_str()?.strip_suffix(".jsonl").filter(|id| place::is_uuid(id))?.to_owned();
    let metadata = entry.metadata().ok().filter(|metadata| metadata.is_file() && metadata.len() > 0)?;
    let (head, tail) = ends(&path, metadata.len()).ok()?;
    let head: Vec<Object> = head.split(|byte| *byte == b'\n').filter_map(|line| object(line).ok()?).collect();
    let began = head.iter().find_map(|line| line.get("cwd")?.as_str());
    if began.is_some_and(|began| Path::new(began) != cwd && place::share_name(Path::new(began), cwd)) {
        return None;
    }
    let in_tail = tail.split(|byte| *byte == b'\n').rev().filter_map(|line| object(line).ok()?);
    let newest_first: Vec<Object> = in_tail.chain(head.iter().rev().cloned()).collect();
    let latest = |of: fn(&Object) -> Option<String>| newest_first.iter().find_map(of);
    let title = latest(given_title).or_else(|| latest(generated_title));
    let prompt = head.iter().find_map(prompt);
    Some(ResumableSession { id, modified: metadata.modified().ok()?, title, prompt, path })
}

fn given_title(line: &Object) -> Option<String> {
    title(line, "custom-title", "customTitle").or_else(|| title(line, "title", "title"))
}

fn generated_title(line: &Object) -> Option<String> {
    title(line, "ai-title", "aiTitle")
}

fn title(line: &Object, kind: &str, key: &str) -> Option<String> {
    line.get(key)?.as_str().filter(|_| line.get("type").is_some_and(|own| own == kind)).map(str::to_owned)
}

fn prompt(line: &Object) -> Option<String> {
    let is_prompt = line.get("type")?.as_str()? == "user" && line.get("isMeta") != Some(&Value::Bool(true));
    let content = line.get("message")?.get("content")?;
    let of_blocks = || content.as_array()?.iter().find_map(|block| block.get("text")?.as_str());
    content.as_str().or_else(of_blocks).filter(|_| is_prompt).map(str::to_owned)
}

fn ends(path: &Path, length: u64) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut file = File::open(path)?;
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    file.by_ref().take(WINDOW).read_to_end(&mut head)?;
    if length > WINDOW {
        file.seek(SeekFrom::Start(length.saturating_sub(WINDOW).max(WINDOW)))?;
        file.take(WINDOW).read_to_end(&mut tail)?;
    }
    Ok((head, tail))
}
