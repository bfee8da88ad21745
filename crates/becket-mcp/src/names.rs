//! The names under which a host shows the tools of all its servers to a model, and the reverse map (`protocol.md` X5).
//!
//! Names are not parsed: `__` may occur inside a server's name or a tool's, so a map is needed.
//!
//! INVARIANT: names are unique, have at most 64 characters, all of `[A-Za-z0-9_-]`, and begin with the prefix of their
//! server, `mcp__<server>__`, followed by at least one character: no shortening removes a tool from the permission
//! rules of its server (P2).
//! INVARIANT: a name depends only on its server and its tool, unless two have the same spelling: then the later one
//! (in the order of the configuration, then of the list) is renamed, and gets its plain name back when the earlier one
//! is removed.
//! removed.

mod prefix;
mod spelling;
mod warning;

use std::collections::HashMap;
use std::sync::Arc;

use crate::prompt::Prompt;
use crate::tool::Tool;
use becket_model::as_tool_name;
use prefix::{Prefix, prefixes};
pub use spelling::has_mark;
use spelling::{LONGEST, distinguish};
pub use warning::NameWarning;

/// The full names of the tools, or of the prompts, of several servers.
///
/// ```
/// use becket_mcp::Names;
///
/// let names = Names::build([("plugin:tidy:files", ["read.all", "read_all"])]);
/// let plain = names.get("mcp__plugin_tidy_files__read_all").unwrap();
/// assert_eq!((&*plain.server, &*plain.name), ("plugin:tidy:files", "read.all"));
///
/// let other = names.find("plugin:tidy:files", "read_all").unwrap();
/// assert!(other.full.starts_with("mcp__plugin_tidy_files__read_all_"));
/// assert_eq!(names.warnings().len(), 1);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Names {
    all: Vec<Name>,
    by_full: HashMap<Arc<str>, usize>,
    by_place: HashMap<Arc<str>, HashMap<Arc<str>, usize>>,
    prefixes: HashMap<Arc<str>, String>,
    warnings: Vec<NameWarning>,
}

/// A name, with its server and its tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Name {
    /// The full name, `mcp__<server>__<tool>`, at most 64 characters.
    pub full: Arc<str>,
    /// The configured name of the server; that of a plugin is `plugin:<plugin>:<server>`.
    pub server: Arc<str>,
    /// The name of the tool or prompt on its server.
    pub name: Arc<str>,
    /// The full name before it was shortened or disambiguated, if it was. A deny or ask rule with this name applies to
    /// this tool too; an allow rule does not, since it may be the name of another one.
    pub written: Option<String>,
}

impl Names {
    /// Names the listed tools or prompts of servers, in the order of the configuration and of the lists. A duplicate
    /// name of one server is used once.
    pub fn build<'a, S, L>(servers: S) -> Self
    where
        S: IntoIterator<Item = (&'a str, L)>,
        L: IntoIterator<Item = &'a str>,
    {
        let servers: Vec<(&str, L)> = servers.into_iter().collect();
        let (prefixes, warnings) = prefixes(servers.iter().map(|(server, _)| *server));
        let mut building = NamesBuilder { names: Self { warnings, ..Self::default() }, later: Vec::new() };
        for (server, list) in servers {
            // INVARIANT: `prefixes` has an entry for each server that it was given.
            let Some(prefix) = prefixes.get(server) else { continue };
            let server = Arc::<str>::from(server);
            building.names.prefixes.insert(Arc::clone(&server), prefix.text.clone());
            for name in list {
                building.plain(&server, name, prefix);
            }
        }
        building.finish()
    }

    /// Names the tools of servers.
    pub fn of_tools<'a>(servers: impl IntoIterator<Item = (&'a str, &'a [Tool])>) -> Self {
        let names = |tools: &'a [Tool]| tools.iter().map(|tool| tool.name.as_str());
        Self::build(servers.into_iter().map(|(server, tools)| (server, names(tools))))
    }

    /// Names the prompts of servers; each is the command `/` and its full name (`protocol.md` X8).
    pub fn of_prompts<'a>(servers: impl IntoIterator<Item = (&'a str, &'a [Prompt])>) -> Self {
        let names = |prompts: &'a [Prompt]| prompts.iter().map(|prompt| prompt.name.as_str());
        Self::build(servers.into_iter().map(|(server, prompts)| (server, names(prompts))))
    }

    /// Returns the tool of a full name.
    #[must_use]
    pub fn get(&self, full: &str) -> Option<&Name> {
        self.by_full.get(full).and_then(|index| self.all.get(*index))
    }

    /// Returns the full name of a server's tool or prompt.
    #[must_use]
    pub fn find(&self, server: &str, name: &str) -> Option<&Name> {
        self.by_place.get(server)?.get(name).and_then(|index| self.all.get(*index))
    }

    /// Returns all names, in the order of the configuration and of the lists.
    pub fn iter(&self) -> impl Iterator<Item = &Name> {
        self.all.iter()
    }

    /// Returns the prefix of all names of a server: `mcp__<server>__`. Followed by a `*`, it is the permission rule
    /// for all of them (`protocol.md` P2).
    #[must_use]
    pub fn prefix(&self, server: &str) -> Option<&str> {
        self.prefixes.get(server).map(String::as_str)
    }

    /// Returns warnings for authors of rules.
    #[must_use]
    pub fn warnings(&self) -> &[NameWarning] {
        &self.warnings
    }
}

/// Names under construction: first all plain ones, so that none of them depends on a generated one.
struct NamesBuilder {
    names: Names,
    /// Names that need a hash, by their position in `names.all`; their `full` is empty until then.
    later: Vec<Later>,
}

struct Later {
    index: usize,
    prefix: String,
    /// The owner of the plain name, if there is a conflict.
    taken_by: Option<usize>,
}

impl NamesBuilder {
    fn plain(&mut self, server: &Arc<str>, name: &str, prefix: &Prefix) {
        let known = self.names.by_place.entry(Arc::clone(server)).or_default();
        if known.contains_key(name) {
            let (server, name) = (server.to_string(), name.to_owned());
            self.names.warnings.push(NameWarning::ListedTwice { server, name });
            return;
        }
        let (index, name) = (self.names.all.len(), Arc::<str>::from(name));
        known.insert(Arc::clone(&name), index);
        let rest = as_tool_name(&name);
        let plain = format!("{}{rest}", prefix.text);
        let taken_by = self.names.by_full.get(plain.as_str()).copied();
        let written = (prefix.is_cut || plain.len() > LONGEST || taken_by.is_some() || rest.is_empty())
            .then(|| format!("{}{rest}", prefix.written));
        let full = if taken_by.is_none() && plain.len() <= LONGEST && !rest.is_empty() {
            let full = Arc::<str>::from(plain);
            self.names.by_full.insert(Arc::clone(&full), index);
            full
        } else {
            self.later.push(Later { index, prefix: prefix.text.clone(), taken_by });
            Arc::from("")
        };
        self.names.all.push(Name { full, server: Arc::clone(server), name, written });
    }

    fn finish(mut self) -> Names {
        for Later { index, prefix, taken_by } in self.later {
            let first = taken_by.and_then(|first| self.names.all.get(first)).cloned();
            let Some(own) = self.names.all.get_mut(index) else { continue };
            let taken = |full: &str| self.names.by_full.contains_key(full);
            own.full = distinguish(&prefix, &own.server, &own.name, taken).into();
            self.names.by_full.insert(Arc::clone(&own.full), index);
            self.names.warnings.push(NameWarning::of(own, first.as_ref()));
        }
        self.names
    }
}
