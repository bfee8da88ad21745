//! The tool that a rule names: exact, an MCP server's tools (P2), or a glob (P1).

use crate::matcher::Renames;
use crate::wildcard;
use becket_model::is_tool_name_char;

/// The prefix of the names of tools of MCP servers.
const MCP: &str = "mcp__";

/// A rule's tool name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ToolName {
    text: String,
    /// The name with the characters that tools of MCP servers have (X5), if it is another one.
    folded: Option<String>,
}

/// The positions where a tool's name may contain a glob (P1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Globs {
    /// Anywhere: deny and ask rules, and a handler's `if`, which must not miss. The name of an MCP tool may be spelled
    /// as its server and the configuration spell it.
    Anywhere,
    /// Only after a literal `mcp__<server>__`: allow rules.
    AfterServer,
}

/// Returns whether a tool's name may contain the character.
pub(super) fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '*')
}

impl ToolName {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), folded: folded(text) }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the name that tools of an MCP server have, if no tool can have the one that is written (X5).
    pub(crate) fn folded(&self) -> Option<&str> {
        self.folded.as_deref()
    }

    /// Returns whether the name is a glob that an allow rule may not use.
    pub(crate) fn is_unanchored_glob(&self) -> bool {
        let Some((literal, _)) = self.text.split_once('*') else { return false };
        let server = literal.strip_prefix(MCP).and_then(|rest| rest.split_once("__"));
        server.is_none_or(|(server, _)| server.is_empty())
    }

    /// Returns whether the rule's name matches the tool, under any of its names. The bare name of an MCP server matches
    /// all its tools.
    pub(crate) fn matches(&self, tool: &str, globs: Globs, renames: &Renames) -> bool {
        if globs == Globs::AfterServer && self.is_unanchored_glob() {
            return false;
        }
        let means = |name: &str| {
            self.means_exactly(&self.text, name)
                || (globs == Globs::Anywhere
                    && self.folded().is_some_and(|folded| self.means_exactly(folded, name)))
        };
        means(tool) || renames.also(tool).any(means)
    }

    /// Returns whether this spelling of the name matches the tool.
    fn means_exactly(&self, spelling: &str, tool: &str) -> bool {
        wildcard::matches(spelling, tool)
            || self.is_server()
                && tool
                    .strip_prefix(spelling)
                    .and_then(|rest| rest.strip_prefix("__"))
                    .is_some_and(|rest| !rest.is_empty())
    }

    /// Returns whether the whole text, as written, is `mcp__server`.
    fn is_server(&self) -> bool {
        let server = self.text.strip_prefix(MCP).unwrap_or_default();
        !server.is_empty() && !server.contains("__") && !server.contains('*')
    }
}

/// Replaces each character after `mcp__` that tool names can't contain with `_` (X5). Returns `None` if there is no such
/// character.
fn folded(text: &str) -> Option<String> {
    let is_of_tool = |c: char| is_tool_name_char(c) || c == '*';
    let rest = text.strip_prefix(MCP).filter(|rest| !rest.chars().all(is_of_tool))?;
    let folded: String = rest.chars().map(|c| if is_of_tool(c) { c } else { '_' }).collect();
    Some(format!("{MCP}{folded}"))
}
