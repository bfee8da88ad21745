//! The patches of `apply_patch`: the changes of each file.

/// One change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FileChange {
    /// A file gets completely new content: it is added, or another file moves to this path.
    Write { path: String, content: String },
    /// Parts of a file are replaced; both texts contain all hunks.
    Edit { path: String, old: String, new: String },
    /// A file is removed.
    Delete { path: String },
}

/// The reason why a patch can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PatchError {
    #[error("the patch names no file")]
    Empty,
    #[error("line {line} of the patch, `{text}`, belongs to no file")]
    Stray { line: usize, text: String },
    #[error("line {line} of the patch names a file without a path")]
    NoPath { line: usize },
}

/// Reads a patch. A move of a file is two changes: the edit of the old path, and the write of the new one.
pub(super) fn read(text: &str) -> Result<Vec<FileChange>, PatchError> {
    let mut changes: Vec<FileChange> = Vec::new();
    for (index, raw) in text.lines().enumerate() {
        let line = raw.trim_end_matches('\r');
        let number = index + 1;
        if let Some(heading) = line.trim_start().strip_prefix("*** ") {
            start(&mut changes, heading, number)?;
        } else {
            extend(changes.last_mut(), line, number)?;
        }
    }
    if changes.is_empty() { Err(PatchError::Empty) } else { Ok(changes) }
}

fn start(changes: &mut Vec<FileChange>, heading: &str, line: usize) -> Result<(), PatchError> {
    let path = |path: &str| match path.trim() {
        "" => Err(PatchError::NoPath { line }),
        path => Ok(path.to_owned()),
    };
    if let Some(file) = heading.strip_prefix("Add File:") {
        changes.push(FileChange::Write { path: path(file)?, content: String::new() });
    } else if let Some(file) = heading.strip_prefix("Update File:") {
        changes.push(FileChange::Edit { path: path(file)?, old: String::new(), new: String::new() });
    } else if let Some(file) = heading.strip_prefix("Delete File:") {
        changes.push(FileChange::Delete { path: path(file)? });
    } else if let Some(file) = heading.strip_prefix("Move to:") {
        // The hunks that follow belong to the file that moves, so its edit stays the last change.
        let target = FileChange::Write { path: path(file)?, content: String::new() };
        let at = changes.len().checked_sub(1).ok_or(PatchError::Stray { line, text: heading.to_owned() })?;
        changes.insert(at, target);
    } else if !matches!(heading.trim(), "Begin Patch" | "End Patch" | "End of File")
        && !heading.starts_with("Environment ID:")
    {
        return Err(PatchError::Stray { line, text: heading.to_owned() });
    }
    Ok(())
}

fn extend(change: Option<&mut FileChange>, line: &str, number: usize) -> Result<(), PatchError> {
    let put = |text: &mut String, line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    match change {
        Some(FileChange::Write { content, .. }) => put(content, line.strip_prefix('+').unwrap_or(line)),
        Some(FileChange::Edit { old, new, .. }) => match line.split_at_checked(1) {
            Some(("+", added)) => put(new, added),
            Some(("-", removed)) => put(old, removed),
            Some(("@", _)) => {}
            Some((" ", kept)) => {
                put(old, kept);
                put(new, kept);
            }
            Some(_) | None => {
                put(old, line);
                put(new, line);
            }
        },
        Some(FileChange::Delete { .. }) | None if line.trim().is_empty() => {}
        Some(FileChange::Delete { .. }) | None => {
            return Err(PatchError::Stray { line: number, text: line.to_owned() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_of_a_patch_is_a_change() {
        let patch = "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** Update File: b.rs\n@@ fn x\n keep\n-old\n\
                     +new\n*** Delete File: c\n*** Update File: d\n*** Move to: e\n-x\n+y\n*** End Patch\n";
        let edit = |path: &str, old: &str, new: &str| FileChange::Edit {
            path: path.to_owned(),
            old: old.to_owned(),
            new: new.to_owned(),
        };
        assert_eq!(
            read(patch),
            Ok(vec![
                FileChange::Write { path: "a.txt".to_owned(), content: "one\ntwo\n".to_owned() },
                edit("b.rs", "keep\nold\n", "keep\nnew\n"),
                FileChange::Delete { path: "c".to_owned() },
                FileChange::Write { path: "e".to_owned(), content: String::new() },
                edit("d", "x\n", "y\n"),
            ])
        );
    }

    #[test]
    fn a_patch_that_is_not_understood_is_an_error() {
        for patch in [
            "",
            "*** Begin Patch\n*** End Patch",
            "+x",
            "*** Add File: \n+x",
            "*** Rename File: a\n",
            "*** Move to: b",
        ] {
            assert!(read(patch).is_err(), "{patch}");
        }
    }
}
