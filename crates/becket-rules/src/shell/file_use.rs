//! Files that well-known commands read and write, named in the line itself (rule P7).

use std::collections::BTreeSet;

use super::arg::Arg;
use super::file_table::{self, Operands, Usage};
use super::limits::MAX_VALUES;
use super::line::Line;
use super::options::{Options, Syntax};
use super::sed::SedScript;
use super::values::Values;
use super::wrapper;

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
        let (mut uses, _) = self.all_file_uses(Unknown::LeftOut);
        uses.retain(|file| !file.glob && !file.landing && (!self.moves || file.path.starts_with(['/', '~'])));
        uses
    }

    /// The same with globs, and with relative paths, which start from wherever the line is by then. The flag says that there
    /// may be more.
    pub(crate) fn all_file_uses(&self, unknown: Unknown) -> (Vec<FileUse>, bool) {
        let mut uses =
            Collector { values: &self.values, uses: Vec::new(), unknown: BTreeSet::new(), steps: MAX_VALUES };
        for command in &self.commands {
            let (args, _) = wrapper::strip(&command.args);
            let name = args.first().and_then(Arg::command_name).unwrap_or_default();
            if let Some(usage) = file_table::find(name) {
                usage.collect(&args[1..], &mut uses);
            } else if name == "git" {
                git(&args[1..], &mut uses);
            }
        }
        if unknown == Unknown::AnyWord {
            self.any_word(&mut uses);
        }
        let mut seen = BTreeSet::new();
        uses.uses
            .retain(|file| seen.insert((file.path.clone(), file.access == FileAccess::Edit, file.landing)));
        (uses.uses, uses.steps == 0)
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

impl Line {
    /// Adds each literal word of the line as a file of the commands whose operands are not known.
    fn any_word(&self, uses: &mut Collector<'_>) {
        let args = self.commands.iter().flat_map(|command| command.args.iter().skip(1));
        let literal = args.filter(|arg| !arg.dynamic && !arg.text.starts_with('-'));
        let words: Vec<Arg> = literal.cloned().collect();
        let given = self.values.all().filter(|text| !text.contains(['$', '`']));
        let given: Vec<Arg> = given.flat_map(str::split_whitespace).map(Arg::literal).collect();
        for edits in std::mem::take(&mut uses.unknown) {
            let access = if edits { FileAccess::Edit } else { FileAccess::Read };
            uses.all(&words, access);
            uses.all(&given, access);
        }
    }
}

/// Arguments of a command that takes options and operands in any order.
struct Arguments {
    options: Options,
    operands: Vec<Arg>,
}

impl Usage {
    fn collect(&self, args: &[Arg], uses: &mut Collector<'_>) {
        let mut args = args.to_vec();
        // `tar xf a`: its first word may be letters without their dash.
        if let Some(first) = args
            .first_mut()
            .filter(|first| self.names.contains(&"tar") && !first.dynamic && !first.text.starts_with('-'))
        {
            first.text.insert(0, '-');
        }
        let Arguments { options, operands } = self.arguments(&args);
        let is_given = |names: &[&str]| options.has(names);
        for (names, access) in [(self.reads, FileAccess::Read), (self.edits, FileAccess::Edit)] {
            for value in options.values(names) {
                match value.text.split_once('@') {
                    // `curl -d @file` and `-F name=@file`; without the mark it is text.
                    Some((_, file)) if self.names.contains(&"curl") => uses.add(&value.part(file), access),
                    Some(_) | None => uses.add(value, access),
                }
            }
        }
        // An unknown option may have taken what counts as the first operand here.
        // `--context` takes a number in GNU's `grep`, and none in others.
        let certain = options.certain && !is_given(&["context"]);
        let skipped = |names: &[&str]| usize::from(!is_given(names) && certain);
        match self.operands {
            Operands::Read => uses.all(&operands, FileAccess::Read),
            Operands::Edit => uses.all(&operands, FileAccess::Edit),
            Operands::ReadAfter(names) => {
                uses.all(operands.get(skipped(names)..).unwrap_or_default(), FileAccess::Read);
            }
            Operands::EditAfter(names) => {
                uses.all(operands.get(skipped(names)..).unwrap_or_default(), FileAccess::Edit);
            }
            Operands::Copy(into) => {
                // Several directories are made by `install -d`.
                let last = operands.len().saturating_sub(usize::from(!is_given(into)));
                let (sources, targets) = operands.split_at(last);
                uses.all(sources, FileAccess::Read);
                uses.all(targets, FileAccess::Edit);
                if self.names.contains(&"install") && is_given(&["d", "directory"]) {
                    uses.all(&operands, FileAccess::Edit);
                }
            }
            Operands::InOut => {
                let (input, output) = operands.split_at(operands.len().min(1));
                uses.all(input, FileAccess::Read);
                uses.all(output, FileAccess::Edit);
            }
            Operands::Sed => sed(&options, &operands, uses),
            Operands::Dd => operands.iter().for_each(|arg| dd(arg, uses)),
            Operands::None => {}
        }
        if self.edits.contains(&"target-directory") {
            let into = options.values(&["t", "target-directory"]).cloned().collect();
            uses.landings(operands, into);
        }
    }

    /// Options and operands, in any order as GNU's programs take them.
    fn arguments(&self, args: &[Arg]) -> Arguments {
        let mut read =
            Arguments { options: Options { certain: true, ..Options::default() }, operands: Vec::new() };
        let mut from = 0;
        while from < args.len() {
            let more = self.syntax.read(args, from);
            let ends = more.operand > from && args[more.operand - 1].text == "--";
            read.options.given.extend(more.given);
            // An argument that is known only at run time ends the reading, and matters where it may be an option.
            let (known, rest) = args.split_at(more.operand);
            let hides_option = rest.first().is_some_and(|arg| arg.dynamic && arg.could_be_option());
            read.options.certain &= !hides_option && (more.certain || self.syntax.read(known, from).certain);
            if ends {
                read.operands.extend_from_slice(args.get(more.operand..).unwrap_or_default());
                break;
            }
            read.operands.extend(args.get(more.operand).cloned());
            from = more.operand + 1;
        }
        read
    }
}

/// The files of `sed`: its operands, and those that its scripts name.
fn sed(options: &Options, operands: &[Arg], uses: &mut Collector<'_>) {
    const SCRIPTS: &[&str] = &["e", "expression"];
    let given = options.has(SCRIPTS) || options.has(&["f", "file"]);
    let first = operands.first().filter(|_| !given);
    for script in options.values(SCRIPTS).chain(first) {
        let read = script.value().and_then(SedScript::parse).unwrap_or_default();
        let named = |file: &String, access| (script.part(file), access);
        let reads = read.reads.iter().map(|file| named(file, FileAccess::Read));
        let writes = read.writes.iter().map(|file| named(file, FileAccess::Edit));
        reads.chain(writes).for_each(|(file, access)| uses.add(&Arg { glob: false, ..file }, access));
    }
    let files = operands.get(usize::from(!given && options.certain)..).unwrap_or_default();
    uses.all(files, FileAccess::Read);
    if options.has(&["i", "in-place"]) {
        uses.all(files, FileAccess::Edit);
    }
}

fn dd(arg: &Arg, uses: &mut Collector<'_>) {
    let Some((key, file)) = arg.text.split_once('=') else { return };
    let tilde = arg.raw.contains("=~");
    match key {
        "if" => uses.add(&Arg { tilde, ..arg.part(file) }, FileAccess::Read),
        "of" => uses.add(&Arg { tilde, ..arg.part(file) }, FileAccess::Edit),
        _ => {}
    }
}

/// The directories that `git` writes in: that of `-C`, and what `init` and `clone` make.
fn git(args: &[Arg], uses: &mut Collector<'_>) {
    let (mut rest, mut directory) = (args.iter(), None);
    let subcommand = loop {
        let Some(arg) = rest.next() else { return };
        match arg.text.as_str() {
            "-C" => directory = rest.next(),
            "-c" | "--git-dir" | "--work-tree" | "--namespace" => _ = rest.next(),
            option if option.starts_with('-') => {}
            name => break name,
        }
    };
    if GIT_READS.contains(&subcommand) {
        return;
    }
    let operands: Vec<&Arg> = rest.filter(|arg| !arg.text.starts_with('-')).collect();
    let made = match subcommand {
        "init" => operands.first(),
        "clone" => operands.get(1),
        _ => None,
    };
    match (directory, made) {
        (Some(directory), Some(made)) if !made.text.starts_with('/') => {
            let text = format!("{}/{}", directory.text, made.text);
            let dynamic = directory.dynamic || made.dynamic;
            uses.add(&Arg { raw: text.clone(), text, dynamic, ..(*directory).clone() }, FileAccess::Edit);
        }
        (_, Some(made)) => uses.add(made, FileAccess::Edit),
        (Some(directory), None) => uses.add(directory, FileAccess::Edit),
        (None, None) => {}
    }
}

/// Subcommands of `git` that leave the directory as it is.
const GIT_READS: [&str; 18] = [
    "status",
    "log",
    "diff",
    "show",
    "blame",
    "grep",
    "ls-files",
    "ls-tree",
    "rev-parse",
    "describe",
    "shortlog",
    "cat-file",
    "branch",
    "tag",
    "remote",
    "config",
    "reflog",
    "help",
];

/// Gathers the paths of arguments.
struct Collector<'l> {
    values: &'l Values,
    uses: Vec<FileUse>,
    /// Records that commands use files known only at run time: they read them (`false`), or edit them.
    unknown: BTreeSet<bool>,
    /// Values of variables that may still be looked at.
    steps: usize,
}

impl Collector<'_> {
    fn all(&mut self, args: &[Arg], access: FileAccess) {
        args.iter().for_each(|arg| self.add(arg, access));
    }

    /// Records where sources end up in the directory `into`, or else in the last operand.
    fn landings(&mut self, mut sources: Vec<Arg>, mut into: Vec<Arg>) {
        if into.is_empty() {
            into.extend(sources.pop());
        }
        let mut known = |args: &[Arg]| -> Vec<String> {
            args.iter().flat_map(|arg| paths(arg, self.values, &mut self.steps)).collect()
        };
        let (sources, into) = (known(&sources), known(&into));
        for directory in &into {
            for name in sources.iter().filter_map(|path| path.trim_end_matches('/').rsplit('/').next()) {
                let path = format!("{}/{name}", directory.trim_end_matches('/'));
                let glob = path.contains(['*', '?', '[']);
                self.uses.push(FileUse { access: FileAccess::Edit, path, glob, landing: true });
            }
        }
    }

    fn add(&mut self, arg: &Arg, access: FileAccess) {
        let paths = paths(arg, self.values, &mut self.steps);
        let filled = arg.dynamic && (paths.is_empty() || !arg.text.contains(['$', '`']));
        if filled {
            self.unknown.insert(access == FileAccess::Edit);
        }
        for path in paths {
            if path != "-" && !path.is_empty() {
                let glob = arg.glob || (arg.dynamic && path.contains(['*', '?', '[']));
                self.uses.push(FileUse { access, path, glob, landing: false });
            }
        }
    }
}

/// The paths that an argument may name, as far as the text and the home directory say it.
pub(crate) fn paths(arg: &Arg, values: &Values, steps: &mut usize) -> Vec<String> {
    if arg.dynamic {
        return values.texts(&arg.text, steps);
    }
    if arg.tilde {
        let rest = arg.text.strip_prefix('~').unwrap_or_default();
        let (own, rest) = match rest.strip_prefix(['+', '-']) {
            Some(rest) => (".", rest),
            None => ("~", rest),
        };
        if !rest.is_empty() && !rest.starts_with('/') {
            return Vec::new();
        }
        let given = if own == "~" { values.of("HOME") } else { &[] };
        let homes = given.iter().flat_map(|home| values.texts(home, steps));
        return [own.to_owned()].into_iter().chain(homes).map(|home| format!("{home}{rest}")).collect();
    }
    vec![if arg.text.starts_with('~') { format!("./{}", arg.text) } else { arg.text.clone() }]
}

/// The directory that `env -C` and `sudo -D` change to.
pub(crate) fn directory_option(args: &[Arg]) -> Option<Arg> {
    const ENV: Syntax = Syntax {
        short: "i0u:C:S:va:",
        long: "ignore-environment null unset: chdir: argv0: split-string: block-signal:: default-signal:: \
            ignore-signal:: list-signal-handling debug",
    };
    const SUDO: Syntax = Syntax {
        short: "Aa:BbC:c:D:Eeg:Hh:iKklNnPp:R:r:SsT:t:U:u:Vv",
        long: "askpass auth-type: background bell chdir: chroot: close-from: command-timeout: edit group: host: list \
            login login-class: non-interactive no-update other-user: preserve-env:: preserve-groups prompt: \
            remove-timestamp reset-timestamp role: set-home shell stdin type: user: validate version help",
    };
    let (name, args) = args.split_first()?;
    let (syntax, options): (_, &[&str]) = match name.command_name()? {
        "env" => (ENV, &["C", "chdir"]),
        "sudo" => (SUDO, &["D", "chdir"]),
        _ => return None,
    };
    syntax.read(args, 0).values(options).last().cloned()
}
