//! Names of servers.

use std::fmt;

/// The name of a server: the key of its entry, and the name of its plugin.
///
/// It is shown as `mcp_tool` handlers write it: `github`, or `plugin:tools:github` (`protocol.md` X5). Characters that
/// would garble a terminal are shown as escapes; no server that can be connected has any in its name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct ServerName {
    /// The key of the entry.
    pub plain: String,
    /// The name of the plugin, if it belongs to one.
    pub plugin: Option<String>,
}

/// The prefix of the names of plugin servers. It is reserved for them.
pub(super) const OF_A_PLUGIN: &str = "plugin:";

impl ServerName {
    /// Returns the name of a server without a plugin.
    #[must_use]
    pub fn plain(name: impl Into<String>) -> Self {
        Self { plain: name.into(), plugin: None }
    }

    /// Returns the name of a plugin's server.
    #[must_use]
    pub fn of_plugin(plugin: impl Into<String>, name: impl Into<String>) -> Self {
        Self { plain: name.into(), plugin: Some(plugin.into()) }
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(plugin) = &self.plugin {
            write!(f, "{OF_A_PLUGIN}{}:", Visible(plugin))?;
        }
        Visible(&self.plain).fmt(f)
    }
}

impl From<&str> for ServerName {
    fn from(name: &str) -> Self {
        Self::plain(name)
    }
}

/// Returns the reason why a text is not a valid server name.
pub(super) fn unfit(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("is empty")
    } else if name.starts_with(OF_A_PLUGIN) {
        Some("begins like that of a plugin's server")
    } else if name.chars().any(is_invisible) {
        Some("has a character in it that can't be seen")
    } else if name.trim() != name {
        Some("begins or ends with a blank")
    } else {
        None
    }
}

/// A text with escapes for characters that move the cursor, hide their neighbours or change the direction of text.
pub(super) struct Visible<'a>(pub(super) &'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| {
            if is_invisible(c) { write!(f, "{}", c.escape_unicode()) } else { write!(f, "{c}") }
        })
    }
}

/// Returns true for control characters, line-breaking blanks, and characters without width or that change the
/// direction of text.
pub(super) fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: X5
    #[test]
    fn a_name_is_shown_as_handlers_write_it() {
        for (name, shown) in [
            (ServerName::plain("github"), "github"),
            (ServerName::plain("时间 server"), "时间 server"),
            (ServerName::of_plugin("tools", "github"), "plugin:tools:github"),
            (ServerName::plain("a\u{1b}[31m\u{202e}b"), "a\\u{1b}[31m\\u{202e}b"),
        ] {
            assert_eq!(name.to_string(), shown);
        }
    }
}
