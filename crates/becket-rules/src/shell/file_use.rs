//! Files that well-known commands read and write, named in the line itself (rule P7).

mod collector;
mod contents;
mod edits;
mod git;
mod git_table;
mod operands;
mod patched;
mod sed;
mod special;
mod target;
mod urls;

use super::arg::Arg;
use super::file_table;
use super::limits::MAX_PATHS;
use super::line::Line;
use super::wrapper;
use collector::{Collector, Source};

pub(crate) use collector::paths;
pub(crate) use sed::{sed_in_place, sed_program, sed_script_files, sed_scripts};

/// The access of a command to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAccess {
    /// `cat`, `head`, `tail`, `sed`, `grep`, the source of `cp`: counts as `Read`.
    Read,
    /// `sed -i`, `tee`, `cp`, `mv`, `rm`: counts as `Edit`.
    Edit,
}

/// A file that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileUse {
    /// The access: read or edited.
    pub access: FileAccess,
    /// The path without quotes. A leading `~/` or `$HOME/` is `~/`; a file named `~` is `./~`. A variable is replaced
    /// by the value that the line sets; a path with another one, or with another `~`, is not listed.
    pub path: String,
    /// True if the path contains a glob, which is expanded at run time.
    pub glob: bool,
    /// True for the path of a copied or moved file if its target is a directory.
    pub landing: bool,
    /// True if the command also uses everything in the directories that a glob may become: `rm -r`, `grep -r`, `mv`.
    pub recursive: bool,
    /// True if the command removes, moves, replaces or changes everything in a directory of this name: `rm -r`, `mv`.
    pub contents: bool,
}

impl Line {
    /// Returns the files that well-known commands read (`cat`, `head`, `grep`, `sed`, …) and write (`tee`, `cp`, `mv`,
    /// `rm`, `sed -i`, …), as far as the text names them (protocol.md P7). Globs are left out, and so are relative
    /// paths if the line changes its directory.
    #[must_use]
    pub fn file_uses(&self) -> Vec<FileUse> {
        let (mut uses, _) = self.collect_uses(Unknown::LeftOut, usize::MAX);
        uses.retain(|file| !file.glob && !file.landing && (!self.moves || file.path.starts_with(['/', '~'])));
        uses
    }

    /// Returns the files with globs, and with relative paths, which start from the directory of the line at that point; an
    /// operand that only run time knows is each word of the line. The flag is true if there may be more. If there are more
    /// files than are compared with rules, the first are enough.
    pub(crate) fn all_file_uses(&self) -> (Vec<FileUse>, bool) {
        self.collect_uses(Unknown::AnyWord, MAX_PATHS + 1)
    }

    fn collect_uses(&self, unknown: Unknown, most: usize) -> (Vec<FileUse>, bool) {
        let mut uses = Collector::new(&self.values, unknown, most);
        self.collect_named(&mut uses);
        if unknown == Unknown::AnyWord {
            uses.begin(Source::AnyText, false);
            target::collect(self, &mut uses);
            self.any_word(&mut uses);
        }
        uses.finish()
    }

    /// Adds the files that commands, patches and variables name.
    fn collect_named(&self, uses: &mut Collector<'_>) {
        for command in &self.commands {
            let (args, _) = wrapper::strip(&command.args);
            let name = args.first().and_then(Arg::command_name).unwrap_or_default();
            if let Some(usage) = file_table::find(name) {
                usage.collect(&args[1..], uses);
            } else if name == "git" {
                git::collect(&args[1..], uses);
            }
        }
        patched::collect(self, uses);
        special::of_variables(&self.values, uses);
    }

    /// Adds each literal word of the line as a file of the commands whose operands are not known.
    fn any_word(&self, uses: &mut Collector<'_>) {
        let args = self.commands.iter().flat_map(|command| command.args.iter().skip(1));
        let literal = args.filter(|arg| !arg.dynamic && !arg.text.starts_with('-'));
        // `printf 'a\0b\n'` prints two names.
        let printed = literal.clone().filter(|arg| arg.text.contains('\\'));
        let printed: Vec<Arg> = printed.flat_map(|arg| printed_words(&arg.text)).collect();
        let given = self.values.all().filter(|text| !text.contains(['$', '`']));
        // `key=value` and `key = "value"` are lines of configurations.
        let split = |c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'');
        let words = |text: &'_ str| -> Vec<Arg> {
            text.split_whitespace().chain(text.split(split)).map(Arg::literal).collect()
        };
        let given: Vec<Arg> = given.flat_map(words).collect();
        for (access, source) in uses.take_unknown() {
            uses.all(literal.clone(), access);
            uses.all(&printed, access);
            match source {
                Source::AnyText => uses.all(&given, access),
                Source::Arguments => {}
            }
        }
    }
}

/// Returns the names that a format of `printf` separates.
fn printed_words(format: &str) -> Vec<Arg> {
    let ends = ["\\0", "\\n", "\\t"];
    let blanks = ends.iter().fold(format.to_owned(), |text, end| text.replace(end, " "));
    blanks.split_whitespace().map(Arg::literal).collect()
}

/// The meaning of an operand that is known only at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// The operand is left out.
    LeftOut,
    /// The operand is each word of the line: `f() { cat "$1"; }; f secrets/key`, `echo secrets/key | xargs cat`.
    AnyWord,
}

/// Returns the directory that `env -C`, `sudo -D` and `unshare -w` change to.
pub(crate) fn directory_option(args: &[Arg]) -> Option<Arg> {
    let name = args.first()?.command_name()?;
    let names: &[&str] = match name {
        "env" => &["C", "chdir"],
        "sudo" => &["D", "chdir"],
        "unshare" => &["w", "wd"],
        "nsenter" => &["w", "wd", "W", "wdns"],
        _ => return None,
    };
    wrapper::lookup(name)?.locate(args).options.values(names).last().cloned()
}
