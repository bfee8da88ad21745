//! Warnings about names, for authors of permission rules.

use super::Name;

/// An unexpected name, or a rule that matches more than expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameWarning {
    /// Two names have the same spelling, and the later one was disambiguated.
    #[error(
        "`{name}` of the MCP server `{server}` is called `{full}`: `{first_name}` of `{first_server}` has the name \
         `{written}` already; rename one of the servers to tell them apart yourself"
    )]
    ToldApart {
        /// The server of the later tool or prompt.
        server: String,
        /// The later tool or prompt.
        name: String,
        /// The full name of the later one now.
        full: String,
        /// The full name that both would have.
        written: String,
        /// The server of the tool that keeps the name.
        first_server: String,
        /// The tool that keeps the name.
        first_name: String,
    },
    /// The full name would be too long, or empty after the server's part.
    #[error(
        "`{name}` of the MCP server `{server}` is called `{full}`: `{written}` is not a name of at most 64 characters"
    )]
    Cut {
        /// The server.
        server: String,
        /// The tool or prompt.
        name: String,
        /// The current full name.
        full: String,
        /// The full name that it would have.
        written: String,
    },
    /// The name of the server alone is too long.
    #[error(
        "the name of the MCP server `{server}` is too long for the names of its tools: rules for it must say `{rule}`, \
         not `{written}`; give it a shorter name"
    )]
    ServerCut {
        /// The server.
        server: String,
        /// The rule that applies to all its tools.
        rule: String,
        /// The expected rule.
        written: String,
    },
    /// A rule for one server also applies to the tools of another one. Of several such servers the nearest is named.
    #[error(
        "the permission rule `{rule}` for the MCP server `{first}` also means the tools of `{server}`; rename one of them"
    )]
    SharedRules {
        /// The other server.
        server: String,
        /// The server for which the rule is written.
        first: String,
        /// The rule.
        rule: String,
    },
    /// A server lists one name twice; the first counts.
    #[error("the MCP server `{server}` lists `{name}` twice; the first counts")]
    ListedTwice {
        /// The server.
        server: String,
        /// The tool or prompt.
        name: String,
    },
}

impl NameWarning {
    /// Determines the reason for the mark of a name: another one has the plain name, or the plain name is not
    /// possible.
    pub(super) fn of(own: &Name, first: Option<&Name>) -> Self {
        let (server, name, full) = (own.server.to_string(), own.name.to_string(), own.full.to_string());
        let written = own.written.clone().unwrap_or_default();
        match first {
            Some(first) => Self::ToldApart {
                server,
                name,
                full,
                written,
                first_server: first.server.to_string(),
                first_name: first.name.to_string(),
            },
            None => Self::Cut { server, name, full, written },
        }
    }
}
