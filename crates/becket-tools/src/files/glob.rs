//! Glob: the files whose paths match a pattern, newest first.
//!
//! INVARIANT: however many files there are, at most [`MOST`] are kept.

use super::call::{FileCall, Input, failure, shown, texts};
use super::file_tool::{Access, FileToolSpec};
use super::name_filter::NameFilter;
use super::walk::Tree;
use crate::blocking::{BlockingError, Stop, blocking};
use crate::schema::{Kind, Spec, optional, required};
use becket_engine::{ToolFailure, ToolOutput};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

static SPEC: Spec = Spec {
    name: "Glob",
    description: "Finds files by a pattern such as `**/*.rs` or `src/*.{ts,tsx}`; one without a slash matches files at any \
        depth. Newest first, 100 at most. Skips what ignore files (.gitignore) name, and hidden files unless the pattern \
        starts a name with a dot.",
    fields: &[
        required("pattern", Kind::Text, "The pattern, relative to the searched directory"),
        optional("path", Kind::Text, "The directory to search; the working directory by default"),
    ],
};

/// The maximum number of files that are named.
const MOST: usize = 100;

/// Finds files by name.
pub(crate) static GLOB: FileToolSpec =
    FileToolSpec { spec: &SPEC, access: Access::Searches, check, text_of, run: |call| Box::pin(run(call)) };

fn check(input: Input<'_>) -> Result<(), String> {
    filter(input).map(drop)
}

fn text_of(response: &Value) -> Option<String> {
    let files = texts(response, "filenames")?;
    Some(if files.is_empty() { "No files found".to_owned() } else { files.join("\n") })
}

async fn run(call: FileCall<'_>) -> Result<ToolOutput, ToolFailure> {
    let filter = filter(call.input).map_err(failure)?;
    let (root, denied) = (call.input.root(call.session), call.host.denied(call.session));
    if !root.is_dir() {
        return Err(failure(format!("`path` is not a directory: `{}`", root.display())));
    }
    let (began, tree) = (Instant::now(), Tree { root, filter: Some(filter), types: None, denied });
    let found = blocking(call.cancel, move |stop| newest(&tree, stop)).await.map_err(failure)?;
    Ok(answer(&found, &call.session.cwd, began.elapsed()))
}

fn filter(input: Input<'_>) -> Result<NameFilter, String> {
    NameFilter::new("pattern", input.text("pattern").unwrap_or_default()).map_err(|error| error.to_string())
}

/// The newest files, newest first, and the number of all matches.
#[derive(Debug)]
struct GlobResult {
    files: Vec<PathBuf>,
    total: usize,
    /// True if time ran out before the whole tree was searched.
    partial: bool,
    /// The number of files that a rule denies.
    denied: usize,
}

fn newest(tree: &Tree, stop: &Stop) -> Result<GlobResult, BlockingError> {
    // The oldest of the kept files is on top; among files of the same age, the one with the later name.
    let mut kept: BinaryHeap<(Reverse<SystemTime>, PathBuf)> = BinaryHeap::with_capacity(MOST + 1);
    let mut total = 0;
    let seen = tree.visit(stop, |path| {
        total += 1;
        let changed = path.metadata().and_then(|metadata| metadata.modified());
        kept.push((Reverse(changed.unwrap_or(SystemTime::UNIX_EPOCH)), path.to_owned()));
        if kept.len() > MOST {
            kept.pop();
        }
        true
    });
    let (partial, denied) = match seen {
        Ok(denied) => (false, denied),
        Err(BlockingError::TooLong) => (true, 0),
        Err(halted @ (BlockingError::Cancelled | BlockingError::Lost)) => return Err(halted),
    };
    let files = kept.into_sorted_vec().into_iter().map(|(_, path)| path).collect();
    Ok(GlobResult { files, total, partial, denied })
}

fn answer(found: &GlobResult, cwd: &Path, took: Duration) -> ToolOutput {
    let files: Vec<String> = found.files.iter().map(|path| shown(path, cwd)).collect();
    let truncated = found.total > files.len() || found.partial;
    let response = json!({
        "durationMs": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "numFiles": files.len(),
        "filenames": files,
        "truncated": truncated,
    });
    let mut text = text_of(&response).unwrap_or_default();
    if found.partial {
        text.push_str("\n[not all of the tree was searched in time: search a part of it]");
    } else if truncated {
        let total = found.total;
        text.push_str(&format!("\n[the newest {MOST} of {total} files: narrow the pattern or the path]"));
    }
    if found.denied > 0 {
        text.push_str(&format!("\n[files that a rule keeps from being read: {}]", found.denied));
    }
    ToolOutput::text(text, response)
}
