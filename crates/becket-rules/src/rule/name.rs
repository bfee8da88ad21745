//! The tool that a rule names: exact, an MCP server's tools (P2), or a glob (P1).

use crate::matcher::Renames;
use crate::wildcard;

/// A rule's tool name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ToolName(String);

/// The positions where a tool's name may contain a glob (P1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Globs {
    /// Anywhere: deny and ask rules, and a handler's `if`, which must not miss.
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
        Self(text.to_owned())
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Returns whether the name is a glob that an allow rule may not use.
    pub(crate) fn is_unanchored_glob(&self) -> bool {
        let Some((literal, _)) = self.0.split_once('*') else { return false };
        let server = literal.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
        server.is_none_or(|(server, _)| server.is_empty())
    }

    /// Returns whether the rule's name matches the tool, under any of its names. The bare name of an MCP server matches
    /// all its tools.
    pub(crate) fn matches(&self, tool: &str, globs: Globs, renames: &Renames) -> bool {
        if globs == Globs::AfterServer && self.is_unanchored_glob() {
            return false;
        }
        self.means_exactly(tool) || renames.also(tool).any(|name| self.means_exactly(name))
    }

    fn means_exactly(&self, tool: &str) -> bool {
        wildcard::matches(&self.0, tool)
            || self.server().is_some_and(|server| {
                tool.strip_prefix(server)
                    .and_then(|rest| rest.strip_prefix("__"))
                    .is_some_and(|rest| !rest.is_empty())
            })
    }

    /// Returns the whole text if it is `mcp__server`.
    fn server(&self) -> Option<&str> {
        let server = self.0.strip_prefix("mcp__")?;
        (!server.is_empty() && !server.contains("__") && !server.contains('*')).then_some(&self.0)
    }
}
