//! Read: the text of a file, with the numbers of its lines.
//!
//! Rejects files that are not text, by name: pictures, PDF files and other binary files, directories, devices and
//! pipes.

use super::call::{FileCall, failure};
use super::file_tool::{Access, FileToolSpec};
use super::ledger::{Mark, MarkingReader};
use super::read_lines::{MOST_BYTES, MOST_CHARS, MOST_LINES, Page, Range, read};
use crate::blocking::{BlockingError, Stop, blocking};
use crate::opened_file::{self, OpenedFile};
use crate::places;
use crate::schema::{Kind, Spec, optional, required};
use becket_engine::{ToolFailure, ToolOutput};
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

static SPEC: Spec = Spec {
    name: "Read",
    description: "Reads a text file. The answer numbers the lines from 1, a tab between number and text. Without offset and \
        limit it shows the first 2,000 lines, 256 KiB at most; lines longer than 2,000 characters are cut. It reads no \
        directories (use Glob), no images and no binary files.",
    fields: &[
        required("file_path", Kind::Text, "The absolute path of the file"),
        optional("offset", Kind::Number(0, u64::MAX), "The number of the first line, from 1"),
        optional("limit", Kind::Number(1, u64::MAX), "The number of lines"),
    ],
};

/// Extensions of files that are not text: checked before the first byte is read.
const NO_TEXT: [(&str, &[&str]); 3] = [
    ("an image", &["png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "tif", "tiff", "heic", "avif"]),
    ("a PDF file", &["pdf"]),
    (
        "a binary file",
        &[
            "zip", "gz", "xz", "zst", "bz2", "7z", "jar", "so", "dylib", "dll", "exe", "o", "a", "class",
            "wasm",
        ],
    ),
];

/// The maximum number of names in a directory that are compared for "did you mean".
const MOST_NAMES: usize = 10_000;

/// The reason why a file can't be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("`file_path` must be an absolute path, not `{0}`")]
    Relative(String),
    #[error("there is no file `{path}`{hint}")]
    Missing { path: String, hint: String },
    #[error("`{0}` is a directory: use Glob to list its files")]
    Directory(String),
    #[error("`{0}` is a device, a pipe or a socket, which Read does not open")]
    Special(String),
    #[error("`{path}` is {what}, which Read can't show")]
    NoText { path: String, what: &'static str },
    #[error("`{path}` can't be read: {source}")]
    Io { path: String, source: io::Error },
    #[error("{0}")]
    Halted(BlockingError),
}

/// Reads a file.
pub(crate) static READ: FileToolSpec = FileToolSpec {
    spec: &SPEC,
    access: Access::Reads,
    check: |_| Ok(()),
    text_of,
    run: |call| Box::pin(run(call)),
};

fn text_of(response: &Value) -> Option<String> {
    let file = response.get("file").filter(|_| response.get("type").is_some_and(|kind| kind == "text"))?;
    let (content, start) = (file.get("content")?.as_str()?, file.get("startLine")?.as_u64()?);
    file.get("filePath")?.as_str()?;
    let lines = if file.get("numLines")?.as_u64()? == 0 { Vec::new() } else { content.split('\n').collect() };
    Some(lines.iter().zip(start..).map(|(line, number)| format!("{number:>6}\t{line}\n")).collect())
}

async fn run(call: FileCall<'_>) -> Result<ToolOutput, ToolFailure> {
    let file_path = call.input.text("file_path").unwrap_or_default();
    if !Path::new(file_path).is_absolute() {
        return Err(failure(ReadError::Relative(file_path.to_owned())));
    }
    let (path, cwd) = (PathBuf::from(file_path), call.session.cwd.clone());
    let range = Range::new(call.input.count("offset"), call.input.count("limit"));
    let noted = call.ledger.map(|ledger| (Arc::clone(ledger), call.session.clone()));
    let work = move |stop: &Stop| {
        Ok(page(&path, &cwd, range, stop).map(|(page, mark)| {
            // Past the end there was nothing to see.
            let is_seen = page.total == 0 || !page.lines.is_empty();
            if let (Some((ledger, session)), Some(real), true) = (noted, places::real(&path), is_seen) {
                ledger.note(&session, &real, mark);
            }
            page
        }))
    };
    let page = blocking(call.cancel, work).await.map_err(failure)?.map_err(failure)?;
    Ok(answer(call.shown_path(), &page))
}

fn page(path: &Path, cwd: &Path, range: Range, stop: &Stop) -> Result<(Page, Mark), ReadError> {
    let name = path.display().to_string();
    let opened = match opened_file::open(path) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(ReadError::Missing { path: name, hint: hint(path, cwd) });
        }
        Err(source) => return Err(ReadError::Io { path: name, source }),
    };
    let file = match opened {
        OpenedFile::Regular(file) => file,
        OpenedFile::Directory => return Err(ReadError::Directory(name)),
        OpenedFile::Special => return Err(ReadError::Special(name)),
    };
    if let Some(what) = no_text(path) {
        return Err(ReadError::NoText { path: name, what });
    }
    let mut file = MarkingReader::new(file);
    let page = read(&mut file, range, stop).map_err(|source| match stop.check() {
        Err(halted) => ReadError::Halted(halted),
        Ok(()) => ReadError::Io { path: name.clone(), source },
    })?;
    // A text was read to its end.
    page.map(|page| (page, file.mark())).ok_or(ReadError::NoText { path: name, what: "a binary file" })
}

fn no_text(path: &Path) -> Option<&'static str> {
    let end = path.extension()?.to_str()?.to_ascii_lowercase();
    NO_TEXT.iter().find(|(_, ends)| ends.contains(&end.as_str())).map(|(what, _)| *what)
}

/// Returns a similar name in the same directory, or the same path below the cwd.
fn hint(path: &Path, cwd: &Path) -> String {
    let below = path.strip_prefix("/").map(|rest| cwd.join(rest)).ok();
    if let Some(below) = below.filter(|below| below != path && below.is_file()) {
        return format!("; did you mean `{}`?", below.display());
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return String::new();
    };
    let Ok(entries) = std::fs::read_dir(parent) else {
        return format!("; its directory `{}` does not exist or can't be read", parent.display());
    };
    let names: Vec<String> =
        entries.flatten().take(MOST_NAMES).filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
    let near = becket_base::suggest(name, &names)
        .or_else(|| names.iter().copied().find(|other| stem(other) == stem(name)));
    near.map(|near| format!("; did you mean `{}`?", parent.join(near).display())).unwrap_or_default()
}

fn answer(path: &str, page: &Page) -> ToolOutput {
    let response = json!({
        "type": "text",
        "file": {
            "filePath": path,
            "content": page.content(),
            "numLines": page.lines.len(),
            "startLine": page.start,
            "totalLines": page.total,
        },
    });
    let text = text_of(&response).unwrap_or_default() + &notices(page);
    ToolOutput::text(text, response)
}

/// Returns notices about everything that is not shown.
fn notices(page: &Page) -> String {
    let end = page.start.saturating_add(page.lines.len());
    let mut text = String::new();
    if page.total == 0 {
        text.push_str("[the file is empty]\n");
    } else if page.lines.is_empty() {
        text.push_str(&format!("[the file has {} lines: line {} is past its end]\n", page.total, page.start));
    } else if end <= page.total {
        let why = if page.full { format!(", {} KiB at most", MOST_BYTES >> 10) } else { String::new() };
        let (start, last, total) = (page.start, end - 1, page.total);
        text.push_str(&format!(
            "[lines {start} to {last} of {total} are shown{why}: use offset and limit for others]\n"
        ));
    }
    if page.cut > 0 {
        text.push_str(&format!("[lines longer than {MOST_CHARS} characters are cut: {}]\n", page.cut));
    }
    text
}

const _: () = assert!(MOST_LINES == 2_000 && MOST_BYTES == 256 << 10, "the description names the bounds");
