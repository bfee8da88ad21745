//! The subcommand of git behind its global options.
//!
//! An alias needs no code here: git executes `git SUBCOMMAND` for it, which is examined like any other program.

/// Global options whose value is the next argument.
const WITH_VALUE: [&str; 8] = [
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--super-prefix",
    "--config-env",
    "--attr-source",
];

/// Returns the command without git's global options, if there are any: `git push` for `git -C dir push` and
/// `git-push`.
pub(super) fn subcommand(words: &[String]) -> Option<Vec<String>> {
    let (name, rest) = words.split_first()?;
    let name = name.rsplit('/').next()?;
    if let Some(dashed) = name.strip_prefix("git-").filter(|dashed| !dashed.is_empty()) {
        return Some(together(dashed, rest));
    }
    if name != "git" {
        return None;
    }
    let mut at = 0;
    while let Some(option) = rest.get(at).filter(|word| word.starts_with('-')) {
        at += if WITH_VALUE.contains(&option.as_str()) { 2 } else { 1 };
    }
    let (subcommand, rest) = rest.get(at..)?.split_first()?;
    (at > 0).then(|| together(subcommand, rest))
}

fn together(subcommand: &str, rest: &[String]) -> Vec<String> {
    let start = ["git".to_owned(), subcommand.to_owned()];
    start.into_iter().chain(rest.iter().cloned()).collect()
}
