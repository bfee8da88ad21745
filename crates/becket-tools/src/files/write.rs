//! Write: replaces the whole content of a file.
//!
//! Fails for a file that the session has not read, or that has changed since: no unseen content is overwritten.

use super::call::{FileCall, failure};
use super::file_tool::{Access, FileToolSpec};
use super::patch::hunks;
use super::replace::ExistingFile;
use super::seen::{UnseenError, WriteTarget, check_path};
use crate::blocking::{Stop, blocking};
use crate::schema::{Kind, Spec, required};
use becket_engine::{ToolFailure, ToolOutput};
use serde_json::{Value, json};

static SPEC: Spec = Spec {
    name: "Write",
    description: "Writes a file: creates it, with its directories, or replaces its whole content. A file that \
        exists has to be read with Read first. Its line ends (CRLF) and its byte-order mark are kept. Change a part of a \
        file with Edit.",
    fields: &[
        required("file_path", Kind::Text, "The absolute path of the file"),
        required("content", Kind::Text, "The whole content of the file"),
    ],
};

const BOM: &str = "\u{feff}";

/// Writes a file.
pub(crate) static WRITE: FileToolSpec = FileToolSpec {
    spec: &SPEC,
    access: Access::Edits,
    check: check_path,
    text_of,
    run: |call| Box::pin(run(call)),
};

fn text_of(response: &Value) -> Option<String> {
    let path = response.get("filePath")?.as_str()?;
    match response.get("type")?.as_str()? {
        "create" => Some(format!("The file `{path}` was created.")),
        "update" => Some(format!("The file `{path}` was replaced.")),
        _ => None,
    }
}

async fn run(call: FileCall<'_>) -> Result<ToolOutput, ToolFailure> {
    let (seen, content) = (WriteTarget::of(call), call.input.text("content").unwrap_or_default().to_owned());
    let shown = call.shown_path().to_owned();
    let response = blocking(call.cancel, move |stop| Ok(write(&seen, &shown, &content, stop)))
        .await
        .map_err(failure)?
        .map_err(failure)?;
    Ok(ToolOutput::text(text_of(&response).unwrap_or_default(), response))
}

fn write(seen: &WriteTarget, shown: &str, content: &str, stop: &Stop) -> Result<Value, UnseenError> {
    let current = seen.current(stop)?;
    let text = current.file.as_ref().map_or_else(|| content.to_owned(), |file| like(file, content));
    current.replace(text.as_bytes(), stop)?;
    seen.note(&current.path, text.as_bytes());
    let before = current.file.map(|file| String::from_utf8_lossy(&file.content).into_owned());
    Ok(json!({
        "type": if before.is_some() { "update" } else { "create" },
        "filePath": shown,
        "content": content,
        "structuredPatch": before.as_ref().map_or_else(|| json!([]), |before| hunks(before, &text)),
        "originalFile": before,
        "userModified": false,
    }))
}

/// Returns a content with the line ends and the byte-order mark of the file that it replaces: a model sees neither.
/// One with carriage returns of its own stays unchanged.
fn like(file: &ExistingFile, content: &str) -> String {
    let newlines = memchr::memchr_iter(b'\n', &file.content).count();
    let returns = memchr::memmem::find_iter(&file.content, b"\r\n").count();
    let text = match newlines > 0 && returns == newlines && !content.contains('\r') {
        true => content.replace('\n', "\r\n"),
        false => content.to_owned(),
    };
    let has_mark = file.content.starts_with(BOM.as_bytes()) && !text.starts_with(BOM);
    if has_mark { format!("{BOM}{text}") } else { text }
}
