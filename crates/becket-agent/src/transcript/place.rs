//! The paths of transcripts, below a root that the host passes in.
//!
//! `<root>/projects/<directory>/<session>.jsonl`; that of a subagent is `<session>/subagents/agent-<id>.jsonl` next to
//! it, with its facts in `agent-<id>.meta.json`.
//!
//! INVARIANT: no id leads out of its directory: a session's is a UUID, a subagent's consists of letters, digits, `_`
//! and `-`.

use std::path::{Path, PathBuf};

/// The maximum length of a directory name, in bytes: file systems allow 255.
const LONGEST: usize = 200;

/// Returns the directory for the sessions of a working directory.
pub(super) fn of_project(root: &Path, cwd: &Path) -> PathBuf {
    root.join("projects").join(name(&cwd.to_string_lossy()))
}

/// Returns the path of the notes on a working directory's sessions. Two directories that share a name do not share
/// notes.
pub(super) fn of_notes(root: &Path, cwd: &Path) -> PathBuf {
    let file = format!("notes-{:016x}.md", hash(&cwd.to_string_lossy()));
    of_project(root, cwd).join("memory").join(file)
}

pub(super) fn of_session(project: &Path, id: &str) -> PathBuf {
    project.join(format!("{id}.jsonl"))
}

/// Returns the path of a subagent's transcript, next to that of its session.
pub(super) fn of_subagent(session: &Path, agent: &str) -> PathBuf {
    session.with_extension("").join("subagents").join(format!("agent-{agent}.jsonl"))
}

/// Returns the path of a subagent's facts, next to its transcript.
pub(super) fn of_metadata(transcript: &Path) -> PathBuf {
    transcript.with_extension("meta.json")
}

/// Returns a working directory as a single name. Two may share a name; the first line of a transcript then tells them
/// apart.
fn name(cwd: &str) -> String {
    let mut name: String = cwd.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    if name.len() > LONGEST {
        name.truncate(LONGEST);
        name = format!("{name}-{:016x}", hash(cwd));
    }
    name
}

/// Returns whether two working directories have the same name.
pub(super) fn share_name(one: &Path, other: &Path) -> bool {
    name(&one.to_string_lossy()) == name(&other.to_string_lossy())
}

/// Returns the FNV-1a hash, for names that must not change between builds.
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Returns whether a text is a UUID in the usual format.
pub(super) fn is_uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let parts: Vec<&str> = text.split('-').collect();
    let fits = |(part, length): (&&str, usize)| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    parts.len() == lengths.len() && parts.iter().zip(lengths).all(fits)
}

/// Returns whether a text is a valid subagent id.
pub(super) fn is_agent(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !text.is_empty() && text.len() <= LONGEST && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_one_name() {
        let of = |cwd: &str| of_project(Path::new("/r"), Path::new(cwd));
        assert_eq!(of("/home/me/my app.rs"), Path::new("/r/projects/-home-me-my-app-rs"));
        assert_eq!(of("/a/../b"), Path::new("/r/projects/-a----b"));
        let (one, other) = (of(&"/x".repeat(2_000)), of(&"/x".repeat(2_001)));
        assert!(one != other && one.file_name().is_some_and(|name| name.len() < 255));
        let notes = |cwd: &str| of_notes(Path::new("/r"), Path::new(cwd));
        assert!(notes("/a/b").starts_with("/r/projects/-a-b/memory"));
        assert_ne!(notes("/a/b"), notes("/a-b"), "one name, and two projects");
        let session = Path::new("/r/projects/-a/0.jsonl");
        assert_eq!(of_subagent(session, "a1"), Path::new("/r/projects/-a/0/subagents/agent-a1.jsonl"));
        assert_eq!(
            of_metadata(&of_subagent(session, "a1")),
            Path::new("/r/projects/-a/0/subagents/agent-a1.meta.json")
        );
    }

    #[test]
    fn an_id_stays_in_its_directory() {
        assert!(is_uuid("0b9a4a5e-5b1c-4e1f-8a53-1f0f4a1f0a11"));
        for wrong in
            ["", "..", "../0b9a4a5e-5b1c-4e1f-8a53-1f0f4a1f0a11", "0b9a4a5e-5b1c-4e1f-8a53-1f0f4a1f0a1/"]
        {
            assert!(!is_uuid(wrong), "{wrong}");
        }
        assert!(is_agent("hook-agent-1_b"));
        for wrong in ["", "..", "a/b", "a.b", "é", "a\0"] {
            assert!(!is_agent(wrong), "{wrong}");
        }
        assert!(!is_agent(&"a".repeat(300)));
    }
}
