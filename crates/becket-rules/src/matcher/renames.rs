//! Other names under which a value matches: renamed tools (M7) and the error names of `StopFailure` (M5).
//!
//! The table is data. It never changes a value: the hook's input carries the new name.

use std::borrow::Cow;
use std::sync::Arc;

type Name = Cow<'static, str>;

/// The tools that were renamed: old name, new name.
const TOOLS: [(&str, &str); 4] =
    [("Task", "Agent"), ("BashOutput", "TaskOutput"), ("KillShell", "TaskStop"), ("KillBash", "TaskStop")];

/// A table of other names. Cloning is cheap.
#[derive(Debug, Clone, Default)]
pub struct Renames(Arc<Table>);

#[derive(Debug, Clone, Default)]
struct Table {
    /// (old, new): both names match in both directions.
    renamed: Vec<(Name, Name)>,
    /// (value, also): the value also matches under the other name, but not the reverse.
    also: Vec<(Name, Name)>,
}

impl Renames {
    /// Returns an empty table, for a field that does not contain a tool name.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Returns the renamed tools of M7.
    #[must_use]
    pub fn tools() -> Self {
        let renamed = TOOLS.map(|(old, new)| (Name::from(old), Name::from(new))).to_vec();
        Self(Arc::new(Table { renamed, also: Vec::new() }))
    }

    /// Returns the error names of `StopFailure` (M5): a matcher that names `server_error` also matches `overloaded`.
    #[must_use]
    pub fn stop_failures() -> Self {
        Self(Arc::new(Table {
            renamed: Vec::new(),
            also: vec![(Name::from("overloaded"), Name::from("server_error"))],
        }))
    }

    /// Returns this table with one more renaming, for a host whose tool had another name.
    #[must_use]
    pub fn with(self, old: impl Into<String>, new: impl Into<String>) -> Self {
        let mut table = Arc::unwrap_or_clone(self.0);
        table.renamed.push((Name::from(old.into()), Name::from(new.into())));
        Self(Arc::new(table))
    }

    /// Returns the current name: the new one for an old one, else the name itself.
    #[must_use]
    pub fn current<'a>(&'a self, name: &'a str) -> &'a str {
        self.0.renamed.iter().find(|(old, _)| old == name).map_or(name, |(_, new)| new)
    }

    /// Returns whether `value` has another name; most values have none.
    pub(crate) fn concerns(&self, value: &str) -> bool {
        self.0.renamed.iter().any(|(old, new)| old == value || new == value)
            || self.0.also.iter().any(|(name, _)| name == value)
    }

    /// Returns every other name under which `value` matches.
    pub fn also<'a>(&'a self, value: &'a str) -> impl Iterator<Item = &'a str> {
        let current = self.current(value);
        let family = self.0.renamed.iter().flat_map(move |(old, new)| {
            [Some(old.as_ref()), (current != value).then_some(new.as_ref())]
                .into_iter()
                .flatten()
                .filter(move |_| new == current)
        });
        let one_way =
            self.0.also.iter().filter(move |(name, _)| name == value).map(|(_, other)| other.as_ref());
        family.filter(move |name| *name != value).chain(one_way)
    }
}
