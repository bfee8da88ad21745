//! Removals that no hook's allow passes (D3): `rm` or `rmdir` of the root and its children, the home directory, the cwd
//! and its parents, and of a glob or slash straight after a variable, which is the root where the variable is empty.
//!
//! It errs on the side of a prompt: all that is in a directory (`dir/*`) counts as the directory, wherever in the command
//! `rm` stands, and a line that can't be read but names `rm` is critical.

use super::call::{Call, CommandLine, Scope};
use super::directories::directories;
use crate::path::{Normal, lexical};
use crate::shell::{self, CommandPattern};
use crate::tools::Primary;

/// Why a call removes a critical path, if it does.
#[must_use]
pub fn critical_removal(call: &Call<'_>, scope: &Scope<'_>) -> Option<String> {
    if let Primary::Bash(field) = call.primary()
        && call.text(field).is_some_and(names_no_removal)
    {
        return None;
    }
    match call.line()? {
        CommandLine::Bash(line) => in_bash(line, scope),
        CommandLine::PowerShell(line) => {
            let places = Places::new(scope, vec![Normal::of(scope.cwd)]);
            line.commands().find_map(|command| {
                let mut words = command.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
                words.find(|word| is_powershell_removal(word))?;
                words.find_map(|word| places.critical(word, word.contains('*'), word.contains('$')))
            })
        }
    }
}

/// Whether a line can't run `rm`, seen without an analysis, which most lines are not worth. In a text of these characters alone
/// each word stands as the shell reads it: nothing is quoted, expanded or brought in from elsewhere.
fn names_no_removal(line: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b" \t\n./-_,:=@%+;|&".contains(&byte);
    line.bytes().all(is_plain) && !line.contains("rm")
}

fn in_bash(line: &shell::Line, scope: &Scope<'_>) -> Option<String> {
    let places = Places::new(scope, directories(line, scope));
    let found = line.commands().iter().find_map(|command| {
        let start = command.args.iter().position(|arg| arg.command_name().is_some_and(is_removal))?;
        let operands = command.args.get(start + 1..)?;
        operands.iter().find_map(|arg| places.critical(&arg.text, arg.glob, arg.dynamic))
    });
    found.or_else(|| {
        let hidden = ["rm *", "rmdir *"].into_iter().find(|text| {
            let pattern = CommandPattern::new(text);
            // Nothing was found as a command, so it is the scan of an unreadable line that hits.
            line.hit(&pattern).is_some() && line.find(&pattern).is_none()
        })?;
        let why = line.unknowns().next().map(ToString::to_string).unwrap_or_default();
        Some(format!("the line may run `{}`, and {why}", hidden.trim_end_matches(" *")))
    })
}

fn is_removal(name: &str) -> bool {
    matches!(name, "rm" | "rmdir")
}

fn is_powershell_removal(name: &str) -> bool {
    ["rm", "rmdir", "ri", "rd", "del", "erase", "remove-item"]
        .iter()
        .any(|own| name.eq_ignore_ascii_case(own))
}

/// Where things are.
struct Places<'a> {
    scope: &'a Scope<'a>,
    home: Option<Normal>,
    /// Every directory that relative paths may start from.
    directories: Vec<Normal>,
}

impl<'a> Places<'a> {
    fn new(scope: &'a Scope<'a>, directories: Vec<Normal>) -> Self {
        Self { scope, home: scope.home_path(), directories }
    }

    fn critical(&self, text: &str, glob: bool, dynamic: bool) -> Option<String> {
        let expanded = if dynamic { self.expanded(text) } else { None };
        let known = expanded.as_deref().unwrap_or(text);
        if dynamic && expanded.is_none() {
            return glob_or_slash_after_variable(text).then(|| {
                format!("`{text}` is the root, or all that is in a directory, where the variable is empty")
            });
        }
        if text.starts_with('-') {
            return None;
        }
        let whole = if glob { whole_directory(known) } else { known };
        let other_home = whole.strip_prefix('~').filter(|rest| !rest.is_empty() && !rest.starts_with('/'));
        if other_home.is_some_and(|rest| !rest.trim_end_matches('/').contains('/')) {
            return Some(format!("`{text}` is a home directory"));
        }
        let paths = self.directories.iter().filter_map(|from| lexical(whole, from, self.home.as_ref()));
        let what = paths.into_iter().find_map(|path| self.place(&path))?;
        Some(format!("`{text}` is {what}"))
    }

    fn place(&self, path: &Normal) -> Option<&'static str> {
        if path.text() == "/" {
            return Some("the root of the file system");
        }
        if path.text().matches('/').count() == 1 {
            return Some("a directory of the root");
        }
        let places = self.scope.places(self.scope.anchor);
        if places.home().contains(path) {
            return Some("the home directory");
        }
        let mut directories = self.directories.iter().cloned().chain(places.cwd());
        directories.any(|cwd| cwd.below(path).is_some()).then_some("the cwd or a parent of it")
    }

    /// The text with `$HOME` or `$PWD` in front as what it is, where no other variable is left.
    fn expanded(&self, text: &str) -> Option<String> {
        let cwd = Normal::of(self.scope.cwd);
        let known = [("$HOME", self.home.as_ref()), ("${HOME}", self.home.as_ref())];
        let known = known.into_iter().chain([("$PWD", Some(&cwd)), ("${PWD}", Some(&cwd))]);
        let (value, rest) = known
            .filter_map(|(name, value)| Some((value?, text.strip_prefix(name)?)))
            .find(|(_, rest)| rest.is_empty() || rest.starts_with('/'))?;
        (!rest.contains(['$', '`'])).then(|| format!("{}{rest}", value.text()))
    }
}

/// The directory whose whole content the text names (`dir/*`, `*`, `.[!.]*`), else the text itself.
fn whole_directory(text: &str) -> &str {
    let trimmed = text.trim_end_matches('/');
    let (directory, last) = match trimmed.rsplit_once('/') {
        Some(("", last)) => ("/", last),
        Some((directory, last)) => (directory, last),
        None => (".", trimmed),
    };
    let everything = last.contains('*') && last.chars().all(|c| "*?.[]!^".contains(c));
    if everything { directory } else { text }
}

/// `$X/…`, `$X*`, `${X}/…`, `$(…)/…`.
fn glob_or_slash_after_variable(text: &str) -> bool {
    text.split('$').skip(1).any(|rest| {
        let after = match rest.chars().next() {
            Some('{') => rest.split_once('}').map(|(_, after)| after),
            Some('(') => rest.rsplit_once(')').map(|(_, after)| after),
            Some(_) => {
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').and_then(|at| rest.get(at..))
            }
            None => None,
        };
        after.is_some_and(|after| after.starts_with(['/', '*', '?', '[', '\\']))
    }) || text.rsplit_once('`').is_some_and(|(_, after)| after.starts_with(['/', '*', '?', '[']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::NoLinks;
    use proptest::prelude::*;
    use std::path::Path;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        // rule: D3
        #[test]
        fn no_line_is_passed_over_that_the_analysis_would_hold(
            parts in prop::collection::vec("rm|rmdir|r|m|[a-z]{1,3}|[ -~\n\t]|/|/etc|\\.\\.| |;|\\|&|sudo |xargs |sh -c |eval |-rf|\\$", 0..12),
            ends in prop::bool::ANY,
        ) {
            let line = format!("{}{}", parts.concat(), if ends { " -rf /" } else { "" });
            let scope = Scope {
                cwd: Path::new("/work/app"),
                home: Some(Path::new("/home/ann")),
                anchor: Path::new("/work/app"),
                links: &NoLinks,
            };
            if names_no_removal(&line) {
                prop_assert_eq!(in_bash(&shell::Line::parse(&line), &scope), None);
            }
        }
    }

    #[test]
    fn what_is_written_otherwise_is_analysed() {
        for line in ["rm -rf /", "r\\m x", "'r''m' x", "$x /", "r{m,} x", "`x`", "~/x", "a <b", "(a)", "ärm"]
        {
            assert!(!names_no_removal(line), "{line}");
        }
        for line in ["ls", "cargo test -p a --lib; git status | cat", "make A=b\n./x.sh"] {
            assert!(names_no_removal(line), "{line}");
        }
    }
}
