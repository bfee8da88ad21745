//! A pattern: a name, a command line, or addresses.

use std::ffi::OsStr;

use super::url::UrlPattern;
use crate::config::name::ServerName;
use crate::config::server::{ServerConfig, Stdio, Transport};

/// A pattern of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pattern {
    /// `serverName`: the name of the server.
    Name(String),
    /// `serverCommand`: program and arguments, all of them and nothing else.
    Command(Vec<String>),
    /// `serverUrl`: the address of the server.
    Url(UrlPattern),
    /// A pattern that can't be parsed, with its key if that is known.
    Unreadable(Option<Key>),
}

/// The key of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Name,
    Command,
    Url,
}

/// The kind of list that contains a pattern. Ambiguities are resolved to the disadvantage of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Allow,
    Deny,
}

impl Pattern {
    pub(super) fn key(&self) -> Option<Key> {
        match self {
            Pattern::Name(_) => Some(Key::Name),
            Pattern::Command(_) => Some(Key::Command),
            Pattern::Url(_) => Some(Key::Url),
            Pattern::Unreadable(key) => *key,
        }
    }

    /// Returns whether it matches a server. If the server's configuration is invalid, only its name is known.
    pub(super) fn matches(&self, name: &ServerName, config: Option<&ServerConfig>, list: List) -> bool {
        let transport = config.map(|config| &config.transport);
        match self {
            Pattern::Name(pattern) => {
                *pattern == name.to_string() || (list == List::Deny && *pattern == name.plain)
            }
            Pattern::Command(words) => {
                matches!(transport, Some(Transport::Stdio(stdio)) if is_command(stdio, words))
            }
            Pattern::Url(pattern) => {
                transport.and_then(Transport::url).is_some_and(|url| pattern.matches(url, list))
            }
            Pattern::Unreadable(_) => list == List::Deny,
        }
    }
}

fn is_command(stdio: &Stdio, words: &[String]) -> bool {
    let used = std::iter::once(&stdio.command).chain(&stdio.args);
    used.map(|word| word.as_os_str()).eq(words.iter().map(OsStr::new))
}
