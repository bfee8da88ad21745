//! Files that well-known commands read and write, named in the line itself (rule P7).

use super::arg::Arg;
use super::line::Line;
use super::wrapper;

/// How a command uses a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileAccess {
    /// `cat`, `head`, `tail`, `sed`, `grep`, the source of `cp`: counts as `Read`.
    Read,
    /// `sed -i`, `tee`, `cp`, `mv`, `rm`: counts as `Edit`.
    Edit,
}

/// A file that a command names literally.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileUse {
    /// Read or edited.
    pub access: FileAccess,
    /// The path without quotes. `~/` and `$HOME/` in front are `~/`; a file named `~` is `./~`. A path with another `~`,
    /// a glob or another variable is not listed.
    pub path: String,
}

/// How a command's operands are used.
struct Usage {
    name: &'static str,
    /// Options whose value is the next argument.
    valued: &'static [&'static str],
    operands: Operands,
}

enum Operands {
    Read,
    Edit,
    /// A script or a pattern first, unless an option gave it.
    AfterScript(&'static [&'static str]),
    /// Sources, then a destination.
    Copy,
}

const USAGES: &[Usage] = &[
    Usage { name: "cat", valued: &[], operands: Operands::Read },
    Usage { name: "head", valued: &["-n", "-c", "--lines", "--bytes"], operands: Operands::Read },
    Usage {
        name: "tail",
        valued: &["-n", "-c", "-s", "--lines", "--bytes", "--pid", "--sleep-interval"],
        operands: Operands::Read,
    },
    Usage {
        name: "sed",
        valued: &["-e", "-f", "-l", "--expression", "--file", "--line-length"],
        operands: Operands::AfterScript(&["-e", "-f", "--expression", "--file"]),
    },
    Usage {
        name: "grep",
        valued: &[
            "-e",
            "-f",
            "-m",
            "-A",
            "-B",
            "-C",
            "-d",
            "-D",
            "--regexp",
            "--file",
            "--max-count",
            "--after-context",
            "--before-context",
            "--context",
        ],
        operands: Operands::AfterScript(&["-e", "-f", "--regexp", "--file"]),
    },
    Usage { name: "tee", valued: &[], operands: Operands::Edit },
    Usage { name: "rm", valued: &[], operands: Operands::Edit },
    Usage { name: "mv", valued: &["-S", "-t", "--suffix", "--target-directory"], operands: Operands::Edit },
    Usage { name: "cp", valued: &["-S", "-t", "--suffix", "--target-directory"], operands: Operands::Copy },
];

impl Line {
    /// The files that `cat`, `head`, `tail`, `sed`, `grep` read and `sed -i`, `tee`, `cp`, `mv`, `rm` write
    /// (protocol.md P7). Only operands that are literal paths; relative ones are left out where the line changes its
    /// directory.
    #[must_use]
    pub fn file_uses(&self) -> Vec<FileUse> {
        let mut uses = self.all_file_uses();
        uses.retain(|file| !self.moves || file.path.starts_with(['/', '~']));
        uses
    }

    /// The same with relative paths, which start from wherever the line is by then.
    pub(crate) fn all_file_uses(&self) -> Vec<FileUse> {
        let mut uses = Vec::new();
        for command in &self.commands {
            let (args, _) = wrapper::strip(&command.args);
            let name = args.first().and_then(Arg::command_name).unwrap_or_default();
            if let Some(usage) = USAGES.iter().find(|usage| usage.name == name) {
                usage.collect(&args[1..], &mut uses);
            }
        }
        uses
    }
}

impl Usage {
    fn collect(&self, args: &[Arg], uses: &mut Vec<FileUse>) {
        let (options, operands) = self.split(args);
        let mut push = |arg: &Arg, access| {
            if let Some(path) = path(arg).filter(|path| path != "-" && !path.is_empty()) {
                uses.push(FileUse { access, path });
            }
        };
        let given = |names: &[&str]| {
            options.iter().any(|option| names.iter().any(|name| names_option(&option.text, name)))
        };
        match &self.operands {
            Operands::Read => operands.iter().for_each(|arg| push(arg, FileAccess::Read)),
            Operands::Edit => operands.iter().for_each(|arg| push(arg, FileAccess::Edit)),
            Operands::AfterScript(scripts) => {
                let in_place = self.name == "sed" && given(&["-i", "--in-place"]);
                let skipped = usize::from(!given(scripts));
                for arg in operands.iter().skip(skipped) {
                    push(arg, FileAccess::Read);
                    if in_place {
                        push(arg, FileAccess::Edit);
                    }
                }
            }
            Operands::Copy => {
                let sources = if given(&["-t", "--target-directory"]) {
                    operands.len()
                } else {
                    operands.len().saturating_sub(1)
                };
                operands[..sources].iter().for_each(|arg| push(arg, FileAccess::Read));
                operands[sources..].iter().for_each(|arg| push(arg, FileAccess::Edit));
            }
        }
        self.target_directory(args, &mut push);
    }

    /// The directory of `cp -t` and `mv -t`.
    fn target_directory(&self, args: &[Arg], push: &mut impl FnMut(&Arg, FileAccess)) {
        if !self.valued.contains(&"-t") {
            return;
        }
        for (at, arg) in args.iter().enumerate() {
            let attached = arg
                .text
                .strip_prefix("--target-directory=")
                .or_else(|| arg.text.strip_prefix("-t").filter(|directory| !directory.is_empty()));
            if let Some(directory) = attached {
                push(&Arg { text: directory.to_owned(), ..arg.clone() }, FileAccess::Edit);
            } else if matches!(arg.text.as_str(), "-t" | "--target-directory")
                && let Some(next) = args.get(at + 1)
            {
                push(next, FileAccess::Edit);
            }
        }
    }

    /// Options apart from operands; values of options are neither.
    fn split<'a>(&self, args: &'a [Arg]) -> (Vec<&'a Arg>, Vec<&'a Arg>) {
        let (mut options, mut operands) = (Vec::new(), Vec::new());
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            if arg.text == "--" {
                operands.extend(rest.by_ref());
            } else if arg.text.starts_with('-') && arg.text.len() > 1 {
                options.push(arg);
                if self.valued.contains(&arg.text.as_str()) {
                    rest.next();
                }
            } else {
                operands.push(arg);
            }
        }
        (options, operands)
    }
}

/// The path that an argument names, as far as its text and the home directory say it.
fn path(arg: &Arg) -> Option<String> {
    if arg.glob || arg.open {
        return None;
    }
    if arg.dynamic {
        let rest = arg.text.strip_prefix("$HOME").or_else(|| arg.text.strip_prefix("${HOME}"))?;
        let below = (rest.is_empty() || rest.starts_with('/')) && !rest.contains('$');
        return below.then(|| format!("~{rest}"));
    }
    if arg.tilde {
        return (arg.text == "~" || arg.text.starts_with("~/")).then(|| arg.text.clone());
    }
    Some(if arg.text.starts_with('~') { format!("./{}", arg.text) } else { arg.text.clone() })
}

/// Whether an argument gives the option: alone, with an attached value, or (a letter) in a cluster.
fn names_option(text: &str, option: &str) -> bool {
    match option.strip_prefix("--") {
        Some(_) => text == option || text.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')),
        None => !text.starts_with("--") && text.contains(&option[1..]),
    }
}
