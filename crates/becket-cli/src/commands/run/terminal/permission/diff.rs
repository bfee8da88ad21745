//! The change that a call would make to a file, as a diff.
//!
//! INVARIANT: the diff replaces fields of the input, so it is only built if all of them are valid.

use crate::report::style::{FAINT, NONE, styled};
use anstyle::{AnsiColor, Style};
use becket_agent::tool_call::PermissionPrompt;
use becket_base::line_diff;
use serde_json::{Map, Value};
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::Duration;

/// The number of context lines around a change.
const AROUND: usize = 3;
/// The time limit for reading the file.
const PATIENCE: Duration = Duration::from_secs(2);
/// The size limit of a file that is compared, in bytes.
const LARGEST: u64 = 2 * 1024 * 1024;

const GONE: Style = AnsiColor::Red.on_default();
const COME: Style = AnsiColor::Green.on_default();

/// A diff that is shown instead of some fields.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Diff {
    /// The fields that the diff replaces.
    pub(super) stands_for: &'static [&'static str],
    pub(super) title: String,
    /// The styled lines of the diff.
    pub(super) lines: Vec<String>,
}

/// The content of a file before the change.
#[derive(Debug)]
enum Before {
    Text(String),
    Missing,
    /// The file can't be read, or is not text.
    Unknown,
}

/// Returns the change that a call of a writing tool would make; `None` for another tool, or if the change can't be
/// computed.
pub(super) async fn of(prompt: &PermissionPrompt) -> Option<Diff> {
    let (tool, input) = (prompt.tool.clone(), prompt.input.clone());
    if !matches!(tool.as_str(), "Write" | "Edit") {
        return None;
    }
    let made = tokio::task::spawn_blocking(move || {
        let path = input.get("file_path").and_then(Value::as_str)?;
        made(&tool, &input, &before(Path::new(path)))
    });
    tokio::time::timeout(PATIENCE, made).await.ok()?.ok()?
}

fn before(path: &Path) -> Before {
    // A pipe that waits for a writer must not be opened.
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound && path.is_absolute() => return Before::Missing,
        Err(_) => return Before::Unknown,
    };
    if !path.is_absolute() || !metadata.is_file() || metadata.len() > LARGEST {
        return Before::Unknown;
    }
    let mut text = String::new();
    let read = fs::File::open(path).and_then(|file| file.take(LARGEST).read_to_string(&mut text));
    read.map_or(Before::Unknown, |_| Before::Text(text))
}

fn made(tool: &str, input: &Map<String, Value>, before: &Before) -> Option<Diff> {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    match tool {
        "Write" => write(text("content")?, before),
        _ => Some(edit(text("old_string")?, text("new_string")?, input.get("replace_all"), before)),
    }
}

fn write(content: &str, before: &Before) -> Option<Diff> {
    let (title, lines) = match before {
        Before::Text(old) if old == content => ("the file stays as it is".to_owned(), Vec::new()),
        Before::Text(old) => ("changes to the file:".to_owned(), diff(old, content)),
        Before::Missing => ("a new file:".to_owned(), diff("", content)),
        Before::Unknown => return None,
    };
    Some(Diff { stands_for: &["content"], title, lines })
}

fn edit(old: &str, new: &str, replace_all: Option<&Value>, before: &Before) -> Diff {
    let all = replace_all == Some(&Value::Bool(true));
    let fields: &[&str] = match replace_all {
        Some(Value::Bool(false)) => &["old_string", "new_string", "replace_all"],
        Some(_) | None => &["old_string", "new_string"],
    };
    let places = match before {
        Before::Text(text) if !old.is_empty() => text.matches(old).count(),
        Before::Text(_) | Before::Missing | Before::Unknown => 0,
    };
    match before {
        Before::Text(text) if places == 1 || (all && places > 1) => {
            let title = match places {
                1 => "changes to the file:".to_owned(),
                places => format!("changes to the file, in {places} places:"),
            };
            Diff { stands_for: fields, title, lines: diff(text, &text.replace(old, new)) }
        }
        Before::Text(_) | Before::Missing | Before::Unknown => {
            let title = if all { "replaces, wherever it is:" } else { "replaces:" }.to_owned();
            let lines = lines(old).map(|line| marked('-', line));
            Diff {
                stands_for: fields,
                title,
                lines: lines.chain(self::lines(new).map(|line| marked('+', line))).collect(),
            }
        }
    }
}

/// Returns the diff of two texts, with the position of each hunk.
fn diff(old: &str, new: &str) -> Vec<String> {
    let mut shown = Vec::new();
    for hunk in line_diff::hunks(old, new, AROUND) {
        shown.push(styled(FAINT, &format!("    line {}", hunk.old_start + 1)));
        shown.extend(hunk.lines.iter().map(|line| marked(line.sign, line.text)));
    }
    shown
}

/// Splits a text into lines with their ends, so that a missing last line end is a difference.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

fn marked(mark: char, line: &str) -> String {
    let style = match mark {
        '-' => GONE,
        '+' => COME,
        _ => NONE,
    };
    let (line, end) = match line.strip_suffix('\n') {
        Some(line) => (line, String::new()),
        None => (line, styled(FAINT, "  (no line end)")),
    };
    format!("{}{end}", styled(style, &format!("    {mark} {line}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shown(tool: &str, input: &Value, before: &Before) -> (String, Vec<String>) {
        let input = input.as_object().cloned().unwrap_or_default();
        let diff = made(tool, &input, before).expect("there is a diff");
        let plain = |line: &String| anstream::adapter::strip_str(line).to_string();
        (diff.title, diff.lines.iter().map(plain).collect())
    }

    fn file(lines: usize) -> Before {
        Before::Text((1..=lines).map(|n| format!("{n}\n")).collect())
    }

    #[test]
    fn a_write_is_shown_as_what_it_changes() {
        let (title, lines) = shown("Write", &json!({"content": "a\n\u{1b}[2Jb"}), &Before::Missing);
        let expected = ["    line 1", "    + a", "    + \\u{1b}[2Jb  (no line end)"];
        assert_eq!((title.as_str(), lines.as_slice()), ("a new file:", &expected.map(str::to_owned)[..]));
        let (title, lines) = shown("Write", &json!({"content": "1\n2\n3\n4\n5\n6\n7\neight\n"}), &file(8));
        let expected = ["    line 5", "      5", "      6", "      7", "    - 8", "    + eight"];
        assert_eq!(
            (title.as_str(), lines.as_slice()),
            ("changes to the file:", &expected.map(str::to_owned)[..])
        );
        let unknown = made("Write", &Map::from_iter([("content".to_owned(), json!("x"))]), &Before::Unknown);
        assert_eq!(unknown, None, "then the content is shown as it is");
    }

    #[test]
    fn an_edit_is_shown_in_its_file_or_by_itself() {
        let input = |all: bool| json!({"old_string": "2\n", "new_string": "two\n", "replace_all": all});
        let (title, lines) = shown("Edit", &input(false), &file(3));
        let expected = ["    line 1", "      1", "    - 2", "    + two", "      3"];
        assert_eq!(
            (title.as_str(), lines.as_slice()),
            ("changes to the file:", &expected.map(str::to_owned)[..])
        );
        // The old text occurs twice, or not at all: the effect is unknown, so both texts are shown.
        for before in [file(12), file(1), Before::Missing, Before::Unknown] {
            let (title, lines) = shown("Edit", &input(false), &before);
            let expected = ["    - 2", "    + two"];
            assert_eq!((title.as_str(), lines.as_slice()), ("replaces:", &expected.map(str::to_owned)[..]));
        }
        let (title, lines) = shown("Edit", &input(true), &file(12));
        assert_eq!(title, "changes to the file, in 2 places:");
        assert!(
            lines.contains(&"    + two".to_owned()) && lines.contains(&"    + 1two".to_owned()),
            "{lines:?}"
        );
    }

    #[test]
    fn no_file_that_waits_for_a_writer_is_opened() {
        let root = tempfile::tempdir().expect("a directory");
        assert!(matches!(before(root.path()), Before::Unknown));
        assert!(matches!(before(&root.path().join("none")), Before::Missing));
        assert!(matches!(before(Path::new("none")), Before::Unknown), "nobody knows where that is");
        fs::write(root.path().join("bytes"), [0xff, 0xfe]).expect("it can be written");
        assert!(matches!(before(&root.path().join("bytes")), Before::Unknown));
        assert!(matches!(before(Path::new("/dev/zero")), Before::Unknown));
    }
}
