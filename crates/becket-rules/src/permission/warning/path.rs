//! Specifiers of path rules that match no file, or another one than they seem to (rule P7).

use super::RuleWarning;
use super::alternatives::{BRACES, PARENTHESES, written_apart};
use crate::path::PathPattern;
use crate::rule::Rule;

/// Directories of the root that an absolute path starts with.
const OF_THE_ROOT: [&str; 26] = [
    "etc",
    "usr",
    "var",
    "home",
    "root",
    "tmp",
    "opt",
    "bin",
    "sbin",
    "lib",
    "lib64",
    "boot",
    "dev",
    "proc",
    "sys",
    "mnt",
    "media",
    "srv",
    "run",
    "Users",
    "Library",
    "System",
    "Applications",
    "Volumes",
    "private",
    "nix",
];

/// Returns the warning about the pattern of a path rule.
pub(super) fn warning(rule: &Rule, specifier: &str) -> Option<RuleWarning> {
    let pattern = &PathPattern::new(specifier);
    let path = specifier.trim();
    let first = path.strip_prefix('/').and_then(|rest| rest.split('/').next()).unwrap_or_default();
    if OF_THE_ROOT.contains(&first) {
        let instead = format!("{}(/{path})", rule.tool());
        return Some(RuleWarning::StartsAtSettings {
            rule: rule.to_string(),
            path: path.to_owned(),
            instead,
        });
    }
    if pattern.is_negated() {
        return Some(RuleWarning::Negated { rule: rule.to_string() });
    }
    let text = PathText { tool: rule.tool(), path };
    if let Some(why) = CHECKS.iter().find_map(|check| check(&text)) {
        return Some(RuleWarning::NoFile { rule: rule.to_string(), why });
    }
    pattern.is_malformed().then(|| RuleWarning::Malformed { rule: rule.to_string() })
}

struct PathText<'r> {
    tool: &'r str,
    path: &'r str,
}

impl PathText<'_> {
    /// Returns the rule with another path.
    fn rule(&self, path: &str) -> String {
        format!("`{}({path})`", self.tool)
    }
}

/// Returns the fault of a path, and the correct form.
type Check = fn(&PathText<'_>) -> Option<String>;

const CHECKS: [Check; 9] = [
    uri,
    drive,
    home_of_another_user,
    quotes,
    braces,
    extended_glob,
    list,
    regular_expression,
    end_of_a_command,
];

/// Finds an address: `file:///etc/**`, `https://example.com`.
fn uri(text: &PathText<'_>) -> Option<String> {
    let (scheme, rest) = text.path.split_once(':')?;
    let is_scheme = scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || c == '+');
    if !is_scheme || !rest.starts_with('/') {
        return None;
    }
    let after = rest.strip_prefix("//");
    Some(match scheme {
        "file" => {
            let path = after.and_then(|rest| rest.find('/').and_then(|at| rest.get(at..))).unwrap_or(rest);
            format!("a path has no scheme; write {}", text.rule(&format!("/{path}")))
        }
        "http" | "https" => {
            let host = after.unwrap_or_default().split(['/', ':', '?', '*']).next().unwrap_or_default();
            let host = if host.is_empty() { "example.com" } else { host };
            format!("an address is not a path; write `WebFetch(domain:{host})`")
        }
        _ => "an address is not a path".to_owned(),
    })
}

/// Finds a drive of Windows: `C:\Users\**`.
fn drive(text: &PathText<'_>) -> Option<String> {
    let mut letters = text.path.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    let rest = letters.as_str().strip_prefix(':').filter(|rest| rest.starts_with(['/', '\\']))?;
    let path = format!("//{}{}", letter.to_ascii_lowercase(), rest.replace("\\\\", "/").replace('\\', "/"));
    Some(format!("a drive is a directory of the root; write {}", text.rule(&path)))
}

/// Finds the home directory of another user: `~root/**`.
fn home_of_another_user(text: &PathText<'_>) -> Option<String> {
    let (user, rest) = text.path.strip_prefix('~')?.split_once('/')?;
    let is_user = user.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && user.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    is_user.then(|| {
        let home = if user == "root" { "//root".to_owned() } else { format!("//home/{user}") };
        format!("only `~` itself is a home directory; write {}", text.rule(&format!("{home}/{rest}")))
    })
}

fn quotes(text: &PathText<'_>) -> Option<String> {
    let quote = text.path.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let inner = text.path.strip_prefix(quote)?.strip_suffix(quote).filter(|inner| !inner.is_empty())?;
    Some(format!("quotes are a part of the path; write {}", text.rule(inner)))
}

/// Finds braces, of which patterns of gitignore know nothing: `*.{pem,key}`.
fn braces(text: &PathText<'_>) -> Option<String> {
    let group = BRACES.find(text.path).filter(|_| !text.path.contains("{{"))?;
    let inner = text.path.get(group.start + 1..group.end - 1)?;
    let parts: Vec<&str> = inner.split(BRACES.separator).collect();
    let rules = written_apart(text.tool, text.path, group, &parts);
    Some(format!("braces are not expanded in a rule; write one rule for each: {rules}"))
}

/// Finds alternatives of shells: `@(a|b)`.
fn extended_glob(text: &PathText<'_>) -> Option<String> {
    let group = PARENTHESES.find(text.path)?;
    let inner = text.path.get(group.start + 1..group.end - 1)?;
    let parts: Vec<&str> = inner.split(PARENTHESES.separator).collect();
    let is_marked = text.path.get(..group.start).is_some_and(|before| before.ends_with(['@', '+', '?', '!']));
    let rules = written_apart(text.tool, text.path, group.start - usize::from(is_marked)..group.end, &parts);
    Some(format!("a pattern has no alternatives; write one rule for each: {rules}"))
}

/// Finds several paths in one rule: `.env, .env.local`, `.env|*.pem`.
fn list(text: &PathText<'_>) -> Option<String> {
    let separator = ["|", ", "].into_iter().find(|separator| text.path.contains(separator))?;
    let parts: Vec<&str> = text.path.split(separator).map(str::trim).collect();
    let is_word = |part: &&str| !part.is_empty() && !part.contains(' ');
    let is_path = |part: &&str| part.contains(['.', '/', '*', '~']);
    // A name may contain a comma and a blank.
    let begins = |part: &&str| part.starts_with(['.', '/', '~']) || part.contains('*');
    let is_list = if separator == ", " { parts.iter().all(begins) } else { parts.iter().any(is_path) };
    (parts.iter().all(is_word) && is_list).then(|| {
        let rules = written_apart(text.tool, text.path, 0..text.path.len(), &parts);
        format!("a rule is about one path; write one rule for each: {rules}")
    })
}

fn regular_expression(text: &PathText<'_>) -> Option<String> {
    let is_expression = text.path.starts_with('^')
        || (text.path.ends_with('$') && text.path.contains(['*', '\\']))
        || [".*\\.", "(?i"].iter().any(|mark| text.path.contains(mark));
    is_expression.then(|| {
        let plain = text
            .path
            .trim_start_matches('^')
            .trim_end_matches('$')
            .replace(".*\\.", "*.")
            .replace("\\.", ".");
        format!(
            "a path rule is a pattern as in .gitignore, not a regular expression; write {}",
            text.rule(&plain)
        )
    })
}

/// Finds the end of a rule for commands: `src:*`.
fn end_of_a_command(text: &PathText<'_>) -> Option<String> {
    let path = text.path.strip_suffix(":*").filter(|path| !path.is_empty())?;
    Some(format!("`:*` ends a command, not a path; write {}", text.rule(path)))
}
