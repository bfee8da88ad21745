//! The subcommand of git after its global options.
//!
//! An alias needs no code here: git executes `git SUBCOMMAND` for it, which is examined like any other program. For a
//! misspelled word that it corrects (`help.autocorrect`), it executes nothing.

use super::super::git_settings::may_correct;
use super::Files;

/// Global options whose value is the next argument.
const WITH_VALUE: [&str; 9] = [
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--super-prefix",
    "--config-env",
    "--attr-source",
    "--shallow-file",
];

/// Global options without a value, or with an attached one.
const WITHOUT_VALUE: [&str; 21] = [
    "-p",
    "-P",
    "-v",
    "-h",
    "--bare",
    "--exec-path",
    "--glob-pathspecs",
    "--help",
    "--html-path",
    "--icase-pathspecs",
    "--info-path",
    "--literal-pathspecs",
    "--man-path",
    "--no-advice",
    "--no-lazy-fetch",
    "--no-optional-locks",
    "--no-pager",
    "--no-replace-objects",
    "--noglob-pathspecs",
    "--paginate",
    "--version",
];

/// The maximum number of unknown options that are read in both ways: git refuses options that it does not know.
const MOST_UNKNOWN: usize = 4;

/// Subcommands that are a part of git's own program, separated by blanks.
const BUILTINS: &str = "\
    add am annotate apply archive backfill bisect blame branch bugreport bundle cat-file check-attr \
    check-ignore check-mailmap check-ref-format checkout checkout--worker checkout-index cherry cherry-pick \
    clean clone column commit commit-graph commit-tree config count-objects credential credential-cache \
    credential-cache--daemon credential-store describe diagnose diff diff-files diff-index diff-pairs \
    diff-tree difftool fast-export fast-import fetch fetch-pack fmt-merge-msg for-each-ref for-each-repo \
    format-patch fsck fsck-objects fsmonitor--daemon gc get-tar-commit-id grep hash-object help history hook \
    index-pack init init-db interpret-trailers last-modified log ls-files ls-remote ls-tree mailinfo \
    mailsplit maintenance merge merge-base merge-file merge-index merge-ours merge-recursive \
    merge-recursive-ours merge-recursive-theirs merge-subtree merge-tree mktag mktree multi-pack-index mv \
    name-rev notes pack-objects pack-redundant pack-refs patch-id pickaxe prune prune-packed pull push \
    range-diff read-tree rebase receive-pack reflog refs remote remote-ext remote-fd repack replace replay \
    repo rerere reset restore rev-list rev-parse revert rm send-pack shortlog show show-branch show-index \
    show-ref sparse-checkout stage stash status stripspace submodule--helper switch symbolic-ref tag \
    unpack-file unpack-objects update-index update-ref update-server-info upload-archive \
    upload-archive--writer upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree \
    write-tree";

/// Builtin subcommands that some versions of git don't have: one may be closest to a word, and yet not be taken.
const NOT_EVERYWHERE: &[&str] =
    &["backfill", "diagnose", "diff-pairs", "history", "hook", "last-modified", "refs", "replay", "repo"];

/// The distance from which git no longer corrects a word.
const FLOOR: usize = 7;

fn builtins() -> impl Iterator<Item = &'static str> {
    BUILTINS.split(' ')
}

/// Returns the commands without git's global options, if there are any: `git push` for `git -C dir push` and
/// `git-push`. A word that git may correct counts as the subcommand, too.
pub(super) fn subcommands(words: &[String], files: &dyn Files) -> Vec<Vec<String>> {
    let Some((name, rest)) = words.split_first() else { return Vec::new() };
    let name = name.rsplit('/').next().unwrap_or(name);
    if let Some(dashed) = name.strip_prefix("git-").filter(|dashed| !dashed.is_empty()) {
        return vec![together(dashed, rest)];
    }
    if name != "git" {
        return Vec::new();
    }
    let mut found = Vec::new();
    for at in positions(rest) {
        let Some((subcommand, after)) = rest.get(at..).and_then(<[String]>::split_first) else { continue };
        if at > 0 {
            found.push(together(subcommand, after));
        }
        let is_builtin = builtins().any(|builtin| builtin == subcommand);
        let is_certain = is_builtin && !NOT_EVERYWHERE.contains(&subcommand.as_str());
        if !is_certain && corrects(subcommand, &rest[..at], files) {
            found.extend(closest(subcommand).into_iter().map(|builtin| together(builtin, after)));
        }
    }
    found
}

/// Returns the positions at which the subcommand may be.
fn positions(rest: &[String]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut pending = vec![0];
    let mut unknown = 0;
    while let Some(mut at) = pending.pop() {
        while let Some(option) = rest.get(at).filter(|word| word.starts_with('-')) {
            let option = option.as_str();
            if WITH_VALUE.contains(&option) {
                at += 1;
            } else if !WITHOUT_VALUE.contains(&option) && !option.contains('=') && unknown < MOST_UNKNOWN {
                unknown += 1;
                pending.push(at + 2);
            }
            at += 1;
        }
        if !found.contains(&at) {
            found.push(at);
        }
    }
    found
}

/// Returns whether git may take a word that is none of its own subcommands for one.
fn corrects(word: &str, options: &[String], files: &dyn Files) -> bool {
    let word = word.to_ascii_lowercase();
    let alias = format!("alias.{word}=");
    let is_alias = |pair: &[String]| pair[0] == "-c" && pair[1].to_ascii_lowercase().starts_with(&alias);
    if options.windows(2).any(is_alias) {
        return false;
    }
    let says = options.iter().any(|option| may_correct(option));
    let settings = files.git_settings(options);
    (settings.corrects || says) && !settings.aliases.contains(&word)
}

/// Returns the subcommands that git may take a word for.
fn closest(word: &str) -> Vec<&'static str> {
    let distances: Vec<(usize, &str)> =
        builtins().map(|builtin| (distance(word, builtin) + 1, builtin)).collect();
    let everywhere = distances.iter().filter(|(_, builtin)| !NOT_EVERYWHERE.contains(builtin));
    let least = everywhere.map(|(distance, _)| *distance).min().unwrap_or(FLOOR).min(FLOOR - 1);
    distances.into_iter().filter(|(distance, _)| *distance <= least).map(|(_, builtin)| builtin).collect()
}

/// Returns the distance of two words as git measures it: exchanged letters are free, another letter costs 2, a letter
/// too few 1 and one too many 3.
fn distance(typed: &str, builtin: &str) -> usize {
    let (typed, builtin) = (typed.as_bytes(), builtin.as_bytes());
    if typed.len() > builtin.len() + FLOOR {
        return FLOOR;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=builtin.len()).collect();
    for (i, letter) in typed.iter().enumerate() {
        let mut row = vec![(i + 1) * 3];
        for (j, other) in builtin.iter().enumerate() {
            let mut cost = last[j] + if letter == other { 0 } else { 2 };
            if i > 0 && j > 0 && typed[i - 1] == *other && *letter == builtin[j - 1] {
                cost = cost.min(before[j - 1]);
            }
            row.push(cost.min(last[j + 1] + 3).min(row[j] + 1));
        }
        before = std::mem::replace(&mut last, row);
    }
    last[builtin.len()]
}

fn together(subcommand: &str, rest: &[String]) -> Vec<String> {
    let start = ["git".to_owned(), subcommand.to_owned()];
    start.into_iter().chain(rest.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: E1
    #[test]
    fn the_closest_subcommand_is_that_of_git() {
        for (word, expected) in [
            ("pushh", &["push"][..]),
            ("psuh", &["push"]),
            ("comit", &["commit"]),
            ("stauts", &["status"]),
            ("deploy", &["replay"]),
            ("somethingelse", &[]),
        ] {
            assert_eq!(closest(word), expected, "{word}");
        }
        // `refs`, which older versions don't have, and the next one.
        assert_eq!(closest("lfs"), ["log", "refs"]);
    }
}
