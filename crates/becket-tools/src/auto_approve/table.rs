//! The read-only commands other than `cd`, `find` and `git`, with the options for which they only read:
//! `commands.txt`.
//!
//! The list is for the GNU and BSD programs of these names.

use super::options::Options;
use std::sync::LazyLock;

/// One line of the list.
#[derive(Debug)]
pub(super) struct ReadOnly {
    names: Vec<&'static str>,
    pub(super) options: Options,
    pub(super) operands: Operands,
    /// True if the shell itself runs it.
    pub(super) builtin: bool,
    /// Options with which it reads files that are not among its operands.
    pub(super) whole_tree: Vec<&'static str>,
}

/// The kind of a command's operands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operands {
    /// Files and directories.
    Paths,
    /// Files and directories; `@FILE` would be a list of options and files.
    PathsOrLists,
    /// One file at most.
    File,
    /// An expression, unless one of these options gives it; then files and directories.
    AfterPattern(Vec<&'static str>),
    /// Two files, neither of which is a directory.
    TwoFiles,
    /// Names without a slash, at least one.
    Names,
    /// Names without a slash.
    Words,
    /// Any text, including options.
    Text,
    /// Any text whose first word is not an option.
    Format,
    /// No operands.
    None,
    Date,
    Ps,
    Test,
    Sed,
    Jq,
    Version,
}

const LIST: &str = include_str!("commands.txt");

static TABLE: LazyLock<Vec<ReadOnly>> = LazyLock::new(|| LIST.lines().filter_map(entry).collect());

/// Returns the entry of that name.
pub(super) fn find(name: &str) -> Option<&'static ReadOnly> {
    TABLE.iter().find(|entry| entry.names.contains(&name))
}

/// Parses a line of the list; `None` for a comment, and for one that is invalid.
fn entry(line: &'static str) -> Option<ReadOnly> {
    let mut words = line.split_whitespace().filter(|_| !line.starts_with('#'));
    let names = words.next()?.split(',').collect();
    let operands = operands(words.next()?)?;
    let mut options = Options { flags: "", valued: "", long: &[], long_valued: &[], number: false };
    let (mut builtin, mut whole_tree) = (false, Vec::new());
    for word in words {
        let list = |text: &'static str| text.split(',').collect::<Vec<_>>();
        match word.split_once('=').unwrap_or((word, "")) {
            ("flags", letters) => options.flags = letters,
            ("valued", letters) => options.valued = letters,
            // The list is parsed once and kept for as long as the program runs.
            ("long", names) => options.long = list(names).leak(),
            ("long-valued", names) => options.long_valued = list(names).leak(),
            ("whole-tree", names) => whole_tree = list(names),
            ("numbers", "") => options.number = true,
            ("builtin", "") => builtin = true,
            _ => return None,
        }
    }
    Some(ReadOnly { names, options, operands, builtin, whole_tree })
}

fn operands(word: &'static str) -> Option<Operands> {
    Some(match word {
        "paths" => Operands::Paths,
        "paths-or-lists" => Operands::PathsOrLists,
        "file" => Operands::File,
        "two-files" => Operands::TwoFiles,
        "names" => Operands::Names,
        "words" => Operands::Words,
        "text" => Operands::Text,
        "format" => Operands::Format,
        "none" => Operands::None,
        "date" => Operands::Date,
        "ps" => Operands::Ps,
        "test" => Operands::Test,
        "sed" => Operands::Sed,
        "jq" => Operands::Jq,
        "version" => Operands::Version,
        _ => Operands::AfterPattern(word.strip_prefix("pattern:")?.split(',').collect()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    // rule: P14
    #[test]
    fn every_line_of_the_list_can_be_read_and_no_name_stands_twice() {
        let lines = LIST.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
        let mut seen = BTreeSet::new();
        for line in lines {
            let entry = entry(line);
            assert!(entry.is_some(), "{line}");
            for name in entry.into_iter().flat_map(|entry| entry.names) {
                assert!(seen.insert(name), "`{name}` stands twice");
            }
        }
        assert!(seen.len() > 80, "{}", seen.len());
    }

    // rule: P14
    #[test]
    fn what_writes_or_runs_is_in_no_entry() {
        for (name, letters, long) in [
            ("sort", "oT", &["output", "compress-program", "temporary-directory", "files0-from"][..]),
            ("date", "sf", &["set", "file"]),
            ("sed", "if", &["in-place", "file"]),
            ("rg", "zLf", &["pre", "search-zip", "follow", "file"]),
            ("tree", "olR", &["fromfile"]),
            ("file", "CmLsz", &["compile", "magic-file", "dereference"]),
            ("man", "PHC", &["pager", "html", "config-file"]),
            ("hostname", "Fb", &["file"]),
            ("jq", "fL", &["from-file", "rawfile", "slurpfile"]),
            ("xxd", "r", &[]),
            ("wc", "", &["files0-from"]),
            ("du", "X", &["files0-from", "exclude-from"]),
            ("md5sum", "c", &["check"]),
        ] {
            let Some(ReadOnly { options, .. }) = find(name) else { unreachable!("{name}") };
            let listed = |letter: char| options.flags.contains(letter) || options.valued.contains(letter);
            assert!(!letters.chars().any(listed), "{name}");
            let known = |option: &&str| options.long.contains(option) || options.long_valued.contains(option);
            assert!(!long.iter().any(known), "{name}");
        }
    }
}
