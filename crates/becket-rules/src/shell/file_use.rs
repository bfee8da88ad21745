//! Files that well-known commands read and write, named in the line itself (rule P7).

mod collector;
mod git;
mod operands;

use super::arg::Arg;
use super::file_table;
use super::limits::MAX_PATHS;
use super::line::Line;
use super::wrapper;
use collector::Collector;

pub(crate) use collector::paths;
pub(crate) use operands::{sed_program, sed_runs};

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
    /// Read or edited.
    pub access: FileAccess,
    /// The path without quotes. `~/` and `$HOME/` in front are `~/`; a file named `~` is `./~`. A variable is what the line
    /// sets it to; a path with another one, or with another `~`, is not listed.
    pub path: String,
    /// The path holds a glob, which run time expands.
    pub glob: bool,
    /// True for the path that a copied or moved file gets if its target is a directory.
    pub landing: bool,
}

impl Line {
    /// The files that well-known commands read (`cat`, `head`, `grep`, `sed`, …) and write (`tee`, `cp`, `mv`, `rm`, `sed -i`,
    /// …), as far as the text names them (protocol.md P7). No globs; relative paths are left out where the line changes
    /// its directory.
    #[must_use]
    pub fn file_uses(&self) -> Vec<FileUse> {
        let (mut uses, _) = self.collect_uses(Unknown::LeftOut, usize::MAX);
        uses.retain(|file| !file.glob && !file.landing && (!self.moves || file.path.starts_with(['/', '~'])));
        uses
    }

    /// The same with globs, and with relative paths, which start from wherever the line is by then. The flag says that there
    /// may be more. Of more files than are compared with rules, the first are enough.
    pub(crate) fn all_file_uses(&self, unknown: Unknown) -> (Vec<FileUse>, bool) {
        self.collect_uses(unknown, MAX_PATHS + 1)
    }

    fn collect_uses(&self, unknown: Unknown, most: usize) -> (Vec<FileUse>, bool) {
        let mut uses = Collector::new(&self.values, most);
        for command in &self.commands {
            let (args, _) = wrapper::strip(&command.args);
            let name = args.first().and_then(Arg::command_name).unwrap_or_default();
            if let Some(usage) = file_table::find(name) {
                usage.collect(&args[1..], &mut uses);
            } else if name == "git" {
                git::collect(&args[1..], &mut uses);
            }
        }
        if unknown == Unknown::AnyWord {
            self.any_word(&mut uses);
        }
        uses.finish()
    }

    /// Adds each literal word of the line as a file of the commands whose operands are not known.
    fn any_word(&self, uses: &mut Collector<'_>) {
        let args = self.commands.iter().flat_map(|command| command.args.iter().skip(1));
        let literal = args.filter(|arg| !arg.dynamic && !arg.text.starts_with('-'));
        let given = self.values.all().filter(|text| !text.contains(['$', '`']));
        let given: Vec<Arg> = given.flat_map(str::split_whitespace).map(Arg::literal).collect();
        for access in uses.take_unknown() {
            uses.all(literal.clone(), access);
            uses.all(&given, access);
        }
    }
}

/// The meaning of an operand that is known only at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// Nothing.
    LeftOut,
    /// Each word of the line: `f() { cat "$1"; }; f secrets/key`, `echo secrets/key | xargs cat`.
    AnyWord,
}

/// The directory that `env -C` and `sudo -D` change to.
pub(crate) fn directory_option(args: &[Arg]) -> Option<Arg> {
    let name = args.first()?.command_name()?;
    let names: &[&str] = match name {
        "env" => &["C", "chdir"],
        "sudo" => &["D", "chdir"],
        _ => return None,
    };
    wrapper::lookup(name)?.locate(args).options.values(names).last().cloned()
}
