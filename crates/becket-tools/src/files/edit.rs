//! Edit: replaces one text with another.
//!
//! Fails for a file that the session has not read, or that has changed since, and for a text that does not occur or
//! occurs more than once, unless every occurrence is to be replaced.

use super::call::{FileCall, Input, failure};
use super::edit_text::{EditError, edited};
use super::file_tool::{Access, FileToolSpec};
use super::patch::hunks;
use super::seen::{UnseenError, WriteTarget, check_path};
use crate::blocking::{Stop, blocking};
use crate::schema::{Field, Kind, Spec, required};
use becket_engine::{ToolFailure, ToolOutput};
use serde_json::{Value, json};

static SPEC: Spec = Spec {
    name: "Edit",
    description: "Replaces one text with another in a file. The file has to be read with Read first. `old_string` is \
        exactly what is in the file, indentation included, without the numbers that Read shows; it has to occur once, \
        unless `replace_all` is true. An empty `old_string` creates a file with `new_string`.",
    fields: &[
        required("file_path", Kind::Text, "The absolute path of the file"),
        required("old_string", Kind::Text, "The text to replace"),
        required("new_string", Kind::Text, "The replacement, which has to differ from `old_string`"),
        Field {
            name: "replace_all",
            kind: Kind::Flag,
            required: false,
            default: Some(Value::Bool(false)),
            description: "Whether to replace every occurrence",
        },
    ],
};

/// The reason why a file was not edited, for the model.
#[derive(Debug, thiserror::Error)]
enum EditFailure {
    #[error(transparent)]
    Unseen(#[from] UnseenError),
    #[error(transparent)]
    Edit(#[from] EditError),
    #[error("there is no file `{0}`: leave `old_string` empty to create it")]
    Missing(String),
    #[error("`{0}` is not empty: `old_string` has to name the text to replace")]
    Full(String),
}

/// Edits a file.
pub(crate) static EDIT: FileToolSpec =
    FileToolSpec { spec: &SPEC, access: Access::Edits, check, text_of, run: |call| Box::pin(run(call)) };

fn check(input: Input<'_>) -> Result<(), String> {
    if input.text("old_string") == input.text("new_string") {
        return Err("`old_string` and `new_string` are the same: nothing would change".to_owned());
    }
    check_path(input)
}

fn text_of(response: &Value) -> Option<String> {
    let path = response.get("filePath")?.as_str()?;
    response.get("structuredPatch")?.as_array()?;
    let is_everywhere = response.get("replaceAll")?.as_bool()?;
    let places = if is_everywhere { " in every place" } else { "" };
    Some(format!("The file `{path}` was edited{places}."))
}

async fn run(call: FileCall<'_>) -> Result<ToolOutput, ToolFailure> {
    let seen = WriteTarget::of(call);
    let wanted = Replacement {
        shown: call.shown_path().to_owned(),
        old: call.input.text("old_string").unwrap_or_default().to_owned(),
        new: call.input.text("new_string").unwrap_or_default().to_owned(),
        all: call.input.flag("replace_all").unwrap_or(false),
    };
    let response = blocking(call.cancel, move |stop| Ok(wanted.edit(&seen, stop)))
        .await
        .map_err(failure)?
        .map_err(failure)?;
    Ok(ToolOutput::text(text_of(&response).unwrap_or_default(), response))
}

/// The requested replacement.
struct Replacement {
    shown: String,
    old: String,
    new: String,
    all: bool,
}

impl Replacement {
    fn edit(&self, seen: &WriteTarget, stop: &Stop) -> Result<Value, EditFailure> {
        let current = seen.current(stop)?;
        let before = current.file.as_ref().map(|file| file.content.as_slice());
        let after = match (before, self.old.is_empty()) {
            (None | Some([]), true) => self.new.clone().into_bytes(),
            (None, false) => return Err(EditFailure::Missing(self.shown.clone())),
            (Some(_), true) => return Err(EditFailure::Full(self.shown.clone())),
            (Some(before), false) => edited(before, &self.old, &self.new, self.all)?,
        };
        current.replace(&after, stop).map_err(UnseenError::from)?;
        seen.note(&current.path, &after);
        let before = String::from_utf8_lossy(before.unwrap_or_default());
        Ok(json!({
            "filePath": self.shown,
            "oldString": self.old,
            "newString": self.new,
            "originalFile": before,
            "structuredPatch": hunks(&before, &String::from_utf8_lossy(&after)),
            "userModified": false,
            "replaceAll": self.all,
        }))
    }
}
