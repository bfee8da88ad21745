//! The names of tasks.
//!
//! INVARIANT: an id is also the name of a file, so it consists only of letters, digits, `_` and `-`.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// The maximum number of characters of an id.
const LONGEST: usize = 64;

/// The id of a background task, unique in its session. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(Arc<str>);

/// The reason why a text is not an id of a task.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an id of a task: use 1 to 64 letters, digits, `_` and `-`")]
pub struct TaskIdError(String);

impl TaskId {
    /// Creates an id from an existing name of a task, such as that of a subagent.
    ///
    /// # Errors
    /// Returns a [`TaskIdError`] if the text could not name a file.
    pub fn new(text: &str) -> Result<Self, TaskIdError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if text.is_empty() || text.len() > LONGEST || !text.chars().all(plain) {
            return Err(TaskIdError(crate::schema::brief(text)));
        }
        Ok(Self(text.into()))
    }

    /// Returns a random id, which is almost certainly unused.
    pub(crate) fn random(initial: char) -> Self {
        let number = RandomState::new().hash_one(initial);
        Self(format!("{initial}{:010x}", number & 0xff_ffff_ffff).into())
    }

    /// Returns the id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_can_name_a_file_and_nothing_else() {
        for good in ["a", "agent-1_B", &"x".repeat(64)] {
            assert_eq!(TaskId::new(good).unwrap().as_str(), good);
        }
        for bad in ["", ".", "..", "a/b", "a.b", "a b", "ä", "a\0", &"x".repeat(65)] {
            assert!(TaskId::new(bad).is_err(), "{bad:?}");
        }
        let ids: std::collections::HashSet<TaskId> = (0..1_000).map(|_| TaskId::random('b')).collect();
        assert_eq!(ids.len(), 1_000);
        assert!(ids.iter().all(|id| TaskId::new(id.as_str()).as_ref() == Ok(id)));
    }
}
