//! The files and directories that `git` reads and writes (rule P7).
//!
//! Its options are not parsed as each subcommand does: every word, and every value of an option that is not known to be
//! a text, counts as a file. The name of a branch is rarely that of a file that a rule is about.

use super::super::arg::Arg;
use super::super::git::TAKES_VALUE;
use super::FileAccess;
use super::collector::{Collector, Source};
use super::git_table::{self, GitOperands, READS, SHOWING, SHOWING_LETTERS, TEXTS, WRITES};

/// The arguments before the subcommand.
#[derive(Debug, Default)]
struct Global<'a> {
    /// The directories of `-C`.
    directories: Vec<&'a Arg>,
    /// The values of `--git-dir` and `--work-tree`.
    places: Vec<Arg>,
}

/// Collects the files of `git`: operands, values of options, and the directories that it changes.
pub(super) fn collect(args: &[Arg], uses: &mut Collector<'_>) {
    let (global, subcommand, rest) = split(args);
    let Some(subcommand) = subcommand else { return };
    uses.begin(Source::Arguments, true);
    let base = global.directory();
    let reads = READS.contains(&subcommand);
    if !reads {
        uses.all(&global.places, FileAccess::Edit);
    }
    let mut files = Files { base: base.as_ref(), uses, added: false };
    files.arguments(subcommand, rest);
    let made = files.added && matches!(subcommand, "init" | "clone");
    if let (Some(base), false) = (&base, reads || made) {
        uses.add(base, FileAccess::Edit);
    } else if matches!(subcommand, "apply" | "am") || (subcommand == "clone" && !made) {
        uses.add(&Arg::literal("."), FileAccess::Edit);
    }
}

/// Returns the subcommand.
pub(super) fn subcommand(args: &[Arg]) -> Option<&str> {
    split(args).1
}

/// Splits the arguments at the subcommand.
fn split(args: &[Arg]) -> (Global<'_>, Option<&str>, &[Arg]) {
    let (mut global, mut at) = (Global::default(), 0);
    while let Some(arg) = args.get(at) {
        let next = args.get(at + 1);
        at += if TAKES_VALUE.contains(&arg.text.as_str()) { 2 } else { 1 };
        match arg.text.as_str() {
            "-C" => global.directories.extend(next),
            "--git-dir" | "--work-tree" => global.places.extend(next.cloned()),
            option if option.starts_with('-') => {
                let place = ["--git-dir=", "--work-tree="].iter().find_map(|name| option.strip_prefix(name));
                global.places.extend(place.map(|place| arg.part(place)));
            }
            name => return (global, Some(name), args.get(at..).unwrap_or_default()),
        }
    }
    (global, None, &[])
}

impl Global<'_> {
    /// Returns the directory of all `-C` together.
    fn directory(&self) -> Option<Arg> {
        let (first, rest) = self.directories.split_first()?;
        Some(rest.iter().fold((*first).clone(), |base, directory| joined(&base, directory)))
    }
}

/// Returns a path as it is seen from a directory.
fn joined(base: &Arg, arg: &Arg) -> Arg {
    if arg.text.starts_with('/') || arg.tilde {
        return arg.clone();
    }
    let text = format!("{}/{}", base.text, arg.text);
    Arg { raw: text.clone(), text, dynamic: base.dynamic || arg.dynamic, glob: arg.glob, ..base.clone() }
}

/// The files of a subcommand.
struct Files<'f, 'l> {
    base: Option<&'f Arg>,
    uses: &'f mut Collector<'l>,
    /// True once a file was added as written.
    added: bool,
}

impl Files<'_, '_> {
    /// Adds the operands of a subcommand and the values of its options.
    fn arguments(&mut self, subcommand: &str, args: &[Arg]) {
        let mut operands = Vec::new();
        let (mut rest, mut ended) = (args.iter(), false);
        while let Some(arg) = rest.next() {
            let text = arg.text.as_str();
            if ended || !text.starts_with('-') || text == "-" {
                operands.push(arg);
            } else if text == "--" {
                ended = true;
            } else if takes_text(subcommand, text) {
                rest.next();
            } else if let Some((name, value)) = value_of(text) {
                self.value(subcommand, name, &arg.part(value));
            } else if let Some(value) = written_by(subcommand, text).then(|| rest.next()).flatten() {
                self.value(subcommand, text, value);
            } else if reads_value(subcommand, text) {
                self.files(rest.next(), FileAccess::Read);
            }
        }
        self.operands(subcommand, args, &operands);
    }

    /// Adds the value of an option.
    fn value(&mut self, subcommand: &str, name: &str, value: &Arg) {
        let is = |known: &&str| *known == name || (name.len() > 4 && known.starts_with(name));
        let searched = name == "-S" && !matches!(subcommand, "annotate" | "blame");
        if searched || TEXTS.iter().any(is) {
            return;
        }
        let writes = written_by(subcommand, name);
        self.files(Some(value), if writes { FileAccess::Edit } else { FileAccess::Read });
    }

    fn operands(&mut self, subcommand: &str, args: &[Arg], operands: &[&Arg]) {
        let has = |names: &[&str]| args.iter().any(|arg| names.iter().any(|name| gives(&arg.text, name)));
        let here = Arg::literal(".");
        let is_clean = subcommand == "clean" && !has(&["-n", "--dry-run"]);
        // The value of `-e` looks like an operand.
        let excludes = |arg: &Arg| arg.text.starts_with("--ex") || in_cluster(&arg.text, 'e');
        let operands = match operands {
            given if is_clean && (given.is_empty() || args.iter().any(excludes)) => &[&here][..],
            given => given,
        };
        match (subcommand, operands.split_last()) {
            ("clean", _) if is_clean => self.contents(operands),
            ("rm", _) if !has(&["--cached"]) => self.contents(operands),
            ("mv", Some((_, sources))) => self.contents(sources),
            _ => {}
        }
        let operands = operands.iter().copied();
        match git_table::operands(subcommand) {
            GitOperands::Names => {}
            GitOperands::ReadIfShown if !args.iter().any(|arg| shows_content(&arg.text)) => {}
            GitOperands::Read | GitOperands::ReadIfShown => {
                let edits = subcommand == "interpret-trailers" && has(&["--in-place"]);
                self.files(operands, if edits { FileAccess::Edit } else { FileAccess::Read });
            }
            GitOperands::ReadAfter => {
                let skipped = usize::from(!has(&["-e", "-f"]));
                self.files(operands.skip(skipped), FileAccess::Read);
            }
            GitOperands::From => self.files(operands.take(1), FileAccess::Read),
            GitOperands::To => self.files(operands.take(1), FileAccess::Edit),
            GitOperands::Clone => {
                self.files(operands.clone().take(1), FileAccess::Read);
                self.files(operands.skip(1), FileAccess::Edit);
            }
            // `--cached` leaves the files alone.
            GitOperands::Edit if subcommand == "rm" && has(&["--cached"]) => {}
            GitOperands::Edit => self.files(operands, FileAccess::Edit),
        }
    }

    /// Marks the files among the operands whose content, if they are directories, changes as a whole.
    fn contents(&mut self, operands: &[&Arg]) {
        for arg in operands.iter().flat_map(|arg| pathspecs(arg)) {
            let arg = self.base.map_or(arg.clone(), |base| joined(base, &arg));
            self.uses.change_contents(&arg);
        }
    }

    fn files<'a>(&mut self, args: impl IntoIterator<Item = &'a Arg>, access: FileAccess) {
        for arg in args {
            self.added |= access == FileAccess::Edit;
            for arg in pathspecs(arg) {
                let arg = self.base.map_or(arg.clone(), |base| joined(base, &arg));
                self.uses.add(&arg, access);
            }
        }
    }
}

/// Returns whether an argument is the option, alone, with a value or in a cluster.
fn gives(text: &str, option: &str) -> bool {
    match option.strip_prefix("--") {
        Some(_) => text == option || text.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')),
        None => text.starts_with(option),
    }
}

/// Returns whether an argument is a cluster of options with this letter.
fn in_cluster(text: &str, letter: char) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
}

/// Returns whether an argument is an option of `log` that shows content, alone or in a cluster.
fn shows_content(text: &str) -> bool {
    let has_value = matches!(text.get(..2), Some("-G" | "-O" | "-S" | "-n"));
    if text.starts_with("--") {
        SHOWING.iter().any(|name| gives(text, name))
    } else {
        text.starts_with('-') && !has_value && text.contains(SHOWING_LETTERS)
    }
}

/// Returns whether the next argument is a text: `-m text`, `-am text`, `--message text`.
fn takes_text(subcommand: &str, text: &str) -> bool {
    let cluster = !text.starts_with("--") && text.len() > 2;
    let messages = matches!(subcommand, "commit" | "tag" | "stash" | "merge" | "notes");
    let by_subcommand = match text {
        "-m" => messages,
        "-n" => matches!(subcommand, "log" | "reflog" | "rev-list" | "show" | "whatchanged"),
        "-G" | "-S" => searches_changes(subcommand),
        _ => false,
    };
    by_subcommand
        || (cluster && messages && text.ends_with(['m', 'C', 'c']))
        || (matches!(text, "-b" | "-B")
            && matches!(subcommand, "checkout" | "clone" | "worktree" | "submodule"))
        || (TEXTS.contains(&text) && !OPTIONAL.contains(&text))
}

/// Returns whether `-G` and `-S` of a subcommand search for a text in changes.
fn searches_changes(subcommand: &str) -> bool {
    matches!(
        subcommand,
        "diff"
            | "diff-files"
            | "diff-index"
            | "diff-tree"
            | "format-patch"
            | "log"
            | "range-diff"
            | "reflog"
            | "shortlog"
            | "show"
            | "whatchanged"
    )
}

/// Texts that only count if they are attached, or that are not a value for some subcommands.
const OPTIONAL: &[&str] = &[
    "-C",
    "-L",
    "-X",
    "-c",
    "--abbrev",
    "--color",
    "--color-words",
    "--decorate",
    "--stat",
    "--word-diff",
    "--pretty",
];

/// Returns the name and the value of an option with an attached value.
fn value_of(text: &str) -> Option<(&str, &str)> {
    if text.starts_with("--") {
        return text.split_once('=');
    }
    let (name, value) = text.split_at_checked(2)?;
    (!value.is_empty() && matches!(name, "-F" | "-o" | "-f" | "-O" | "-t" | "-S")).then_some((name, value))
}

/// Returns whether the value of an option is written.
fn written_by(subcommand: &str, name: &str) -> bool {
    match name {
        "-f" => subcommand == "config",
        name if subcommand == "config" && name.len() > 3 && "--file".starts_with(name) => true,
        "-o" => matches!(subcommand, "archive" | "bugreport" | "diagnose" | "format-patch" | "mailsplit"),
        "--prefix" => !matches!(subcommand, "archive" | "subtree"),
        _ => WRITES.iter().any(|known| *known == name || (name.len() > 4 && known.starts_with(name))),
    }
}

/// Returns whether the next argument is a file that is read.
fn reads_value(subcommand: &str, name: &str) -> bool {
    match name {
        "-F" => matches!(subcommand, "commit" | "tag" | "notes" | "merge"),
        "-f" => subcommand == "grep",
        "-t" => subcommand == "commit",
        "--file" | "--template" | "--pathspec-from-file" | "--ignore-revs-file" | "--reference" => true,
        _ => false,
    }
}

/// Returns the files that an operand may mean: `HEAD:a`, `:a`, `:/a` and `:(top)a` name `a`, and its globs are git's.
fn pathspecs(arg: &Arg) -> Vec<Arg> {
    let text = arg.text.as_str();
    if text.starts_with(":!") || text.starts_with(":^") || text.starts_with(":(exclude") {
        return Vec::new();
    }
    let with_globs = |text: &str| {
        let glob = arg.glob || (!arg.dynamic && text.contains(['*', '?', '[']));
        Arg { glob, tilde: arg.tilde && text == arg.text, ..arg.part(text) }
    };
    let magic = text.strip_prefix(":(").and_then(|rest| rest.split_once(')')).map(|(_, path)| path);
    let below = magic.or_else(|| text.strip_prefix(":/")).or_else(|| Some(text.rsplit_once(':')?.1));
    let mut found = vec![with_globs(text)];
    found.extend(below.filter(|path| !path.is_empty()).map(with_globs));
    found
}
