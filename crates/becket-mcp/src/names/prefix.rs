//! The prefix of all names of one server.
//!
//! A server whose own name leaves no room for a tool's is shortened and marked, in the same way for all its tools: one
//! rule still applies to all of them, though not the one that its full name suggests. A warning names it.

use std::collections::HashMap;

use super::spelling::{LONGEST, MARK, mark};
use super::warning::NameWarning;
use becket_model::as_tool_name;

/// The limit on the server's part: it fits with `mcp__`, `__`, and a mark.
const ROOM: usize = LONGEST - "mcp__".len() - "__".len() - MARK;

/// The beginning of all names of a server.
#[derive(Debug, Clone)]
pub(super) struct Prefix {
    /// `mcp__<server>__`.
    pub(super) text: String,
    /// The prefix before it was shortened.
    pub(super) written: String,
    pub(super) is_cut: bool,
}

/// Returns the prefixes of servers by name, and warnings about rules for one server that match another one too.
pub(super) fn prefixes<'a>(
    servers: impl Iterator<Item = &'a str>,
) -> (HashMap<&'a str, Prefix>, Vec<NameWarning>) {
    let (mut all, mut order, mut warnings) = (HashMap::new(), Vec::new(), Vec::new());
    for server in servers {
        if all.contains_key(server) {
            continue;
        }
        let prefix = prefix(server);
        if prefix.is_cut {
            let (rule, written) = (rule(&prefix.text), rule(&prefix.written));
            warnings.push(NameWarning::ServerCut { server: server.to_owned(), rule, written });
        }
        order.push((prefix.text.clone(), server));
        all.insert(server, prefix);
    }
    warnings.extend(overlaps(order));
    (all, warnings)
}

fn prefix(server: &str) -> Prefix {
    let part = as_tool_name(server);
    let written = format!("mcp__{part}__");
    if part.len() <= ROOM {
        return Prefix { text: written.clone(), written, is_cut: false };
    }
    let text = format!("mcp__{}{}__", &part[..ROOM - MARK], mark(&[server], 0));
    Prefix { text, written, is_cut: true }
}

/// Returns the rule for all tools of a server. Without `__*` it would match none if the server's own name has a `__`.
fn rule(prefix: &str) -> String {
    format!("{prefix}*")
}

/// Returns warnings about servers whose prefix begins with that of another one. When sorted, all that begin with a
/// prefix follow it.
fn overlaps(mut prefixes: Vec<(String, &str)>) -> Vec<NameWarning> {
    // The sort is stable: of two servers with the same prefix, the first stays the first.
    prefixes.sort_by(|a, b| a.0.cmp(&b.0));
    let (mut open, mut found): (Vec<(String, &str)>, Vec<NameWarning>) = (Vec::new(), Vec::new());
    for (prefix, server) in prefixes {
        while open.last().is_some_and(|(outer, _)| !prefix.starts_with(outer.as_str())) {
            open.pop();
        }
        if let Some((outer, first)) = open.last() {
            let (server, first) = (server.to_owned(), (*first).to_owned());
            found.push(NameWarning::SharedRules { server, first, rule: rule(outer) });
        }
        open.push((prefix, server));
    }
    found
}
