//! The MCP servers that an agent's own configuration names. Some agents join the names of server and tool so that only
//! this list separates them.
//!
//! A file that is missing, broken or too large names no server; its tools are then unknown, and pass no guard.

use crate::ProcessContext;
use becket_base::text_file::read_if_there;
use becket_dialects::{Dialect, McpFiles};
use becket_engine::config::repository_root;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Returns the names of the servers for a session in a directory.
pub(super) fn configured(dialect: &Dialect, cwd: &Path, process: &ProcessContext) -> Vec<String> {
    if dialect.mcp_files == McpFiles::NONE {
        return Vec::new();
    }
    let McpFiles { built_in, key, .. } = dialect.mcp_files;
    let mut names: Vec<String> = built_in.iter().map(|&name| name.to_owned()).collect();
    for file in files(dialect.mcp_files, cwd, process) {
        let text = read_if_there(&file).ok().flatten().unwrap_or_default();
        let value: Option<Value> = serde_json::from_str(&without_comments(&text)).ok();
        let servers = value.as_ref().and_then(|value| value.get(key)?.as_object());
        names.extend(servers.into_iter().flat_map(|servers| servers.keys().cloned()));
    }
    names
}

/// Returns the files: the user's, and those of each directory from this one up to the root of its repository.
fn files(of: McpFiles, cwd: &Path, process: &ProcessContext) -> Vec<PathBuf> {
    let named = of.variable.and_then(|(name, below)| Some(Path::new(process.var(name)?).join(below)));
    let named = named.filter(|directory| directory.is_absolute());
    let user = named.or_else(|| Some(process.home.as_ref()?.join(of.user_directory)));
    let users = user.iter().flat_map(|directory| of.user.iter().map(|file| directory.join(file)));
    let root = repository_root(cwd).unwrap_or_else(|| cwd.to_owned());
    let within = cwd.ancestors().take_while(|directory| directory.starts_with(&root));
    let projects = within.flat_map(|directory| of.project.iter().map(|file| directory.join(file)));
    users.chain(projects).collect()
}

/// Returns the text of a JSON file without comments and commas at the end of lists, which agents accept.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let skipped = match rest.as_bytes() {
            [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
            [b'/', b'*', comment @ ..] => end_of_comment(comment).map_or(rest.len(), |end| end + 2),
            [b'"', ..] => {
                let end = end_of_text(rest);
                out.push_str(rest.get(..end).unwrap_or_default());
                end
            }
            _ => {
                if matches!(first, ']' | '}') && out.trim_end().ends_with(',') {
                    out.truncate(out.trim_end().len() - 1);
                }
                out.push(first);
                first.len_utf8()
            }
        };
        rest = rest.get(skipped..).unwrap_or_default();
    }
    out
}

/// Returns the end of a comment, after its start.
fn end_of_comment(comment: &[u8]) -> Option<usize> {
    comment.windows(2).position(|pair| pair == b"*/").map(|at| at + 2)
}

/// Returns the end of the quoted text at the start.
fn end_of_text(quoted: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in quoted.char_indices().skip(1) {
        match c {
            '"' if !is_escaped => return at + 1,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    quoted.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_are_not_part_of_a_file() {
        let text = r#"{ // one, "two"
            "a//b": "/* \" */", /* three
            , */ "c": [1, 2, /* four */ ],
        }"#;
        let value: Option<Value> = serde_json::from_str(&without_comments(text)).ok();
        assert_eq!(value, Some(serde_json::json!({"a//b": "/* \" */", "c": [1, 2]})));
    }

    #[test]
    fn a_comment_that_does_not_end_is_the_rest_of_the_file() {
        assert_eq!(without_comments("{} /* x"), "{} ");
        assert_eq!(without_comments("{} // x"), "{} ");
        assert_eq!(without_comments("{} /*/ x */"), "{} ");
        assert_eq!(without_comments("\"x\\"), "\"x\\");
    }
}
