//! The name of a worktree.

use super::error::WorktreeError;
use becket_model::AgentId;
use becket_tools::schema::brief;
use std::fmt;

/// The maximum length of a name, in bytes.
pub(super) const LONGEST: usize = 64;

/// The prefix of the names of subagents' worktrees.
const OF_AGENTS: &str = "agent-";

/// The name of a worktree: a path component, and the end of a branch name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WorktreeName(String);

impl WorktreeName {
    /// Checks a given name.
    ///
    /// # Errors
    /// Errors if the name is not a valid directory and branch on every system: it contains characters other than ASCII
    /// letters and digits, `-`, `_` and `.`, starts or ends with one of these three, contains two dots in a row, ends
    /// in `.lock`, or is too long.
    pub fn new(name: &str) -> Result<Self, WorktreeError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let bounded = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = name.as_bytes();
        let fits = bytes.len() <= LONGEST
            && bytes.iter().copied().all(is_plain)
            && bounded(bytes.first())
            && bounded(bytes.last())
            && !name.contains("..")
            && !name.ends_with(".lock");
        if fits { Ok(Self(name.to_owned())) } else { Err(WorktreeError::BadName { name: brief(name) }) }
    }

    /// Returns a random, unused name.
    #[must_use]
    pub fn random() -> Self {
        let id = uuid::Uuid::new_v4().simple().to_string();
        Self(format!("work-{}", id.get(..8).unwrap_or(&id)))
    }

    /// Returns the name for a subagent's worktree.
    pub(crate) fn of_agent(id: &AgentId) -> Self {
        Self(format!("{OF_AGENTS}{}", id.as_str()))
    }

    /// Returns whether only a subagent can have created it: the part after `agent-` is a generated id.
    pub(super) fn is_of_agent(name: &str) -> bool {
        let id = name.strip_prefix(OF_AGENTS).and_then(|id| id.strip_prefix('a'));
        id.is_some_and(|id| id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
    }

    /// Returns the name as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the branch that is checked out in the worktree with this name.
    pub(super) fn branch_of(name: &str) -> String {
        format!("worktree-{name}")
    }
}

impl fmt::Display for WorktreeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_directory_and_a_branch_everywhere() {
        for good in ["feat", "fix-12", "v1.2_b", "A", &"a".repeat(LONGEST)] {
            assert_eq!(WorktreeName::new(good).map(|name| name.0).ok().as_deref(), Some(good));
        }
        for bad in [
            "",
            ".",
            "..",
            "-b",
            "a/b",
            "../a",
            "/a",
            "a..b",
            "a.lock",
            ".git",
            "a.",
            "a b",
            "a\n",
            "é",
            "a~1",
            "a^",
            "a:b",
            "a*",
            "a@{1}",
            "a\\b",
            "~",
            "tidy up",
            &"a".repeat(LONGEST + 1),
        ] {
            assert!(WorktreeName::new(bad).is_err(), "{bad:?}");
        }
        assert!(WorktreeName::new(WorktreeName::random().as_str()).is_ok());
        let of_agent = WorktreeName::of_agent(&"a0123456789abcdef".into());
        assert!(WorktreeName::is_of_agent(of_agent.as_str()));
        assert!(!WorktreeName::is_of_agent("agent-smith") && !WorktreeName::is_of_agent("feat"));
    }
}
