//! Files in arguments of one command alone: pairs of `jq`, URLs of `curl`, actions of `find`, and others (rule P7).

use super::super::arg::Arg;
use super::super::file_table::{Operands, Usage};
use super::super::values::Values;
use super::FileAccess;
use super::collector::{Collector, Source};
use super::operands::Arguments;
use super::urls;

impl Usage {
    /// Adds the files that only this command names in this way.
    pub(super) fn special(&self, args: &[Arg], arguments: &Arguments<'_>, uses: &mut Collector<'_>) {
        match self.operands {
            Operands::Words(edits) => self.words(args, edits, FileAccess::Read, uses),
            Operands::EditedWords(edits) => self.words(args, edits, FileAccess::Edit, uses),
            Operands::Read
            | Operands::Edit
            | Operands::ReadAfter(_)
            | Operands::EditAfter(_)
            | Operands::Copy(_)
            | Operands::InOut
            | Operands::Sed
            | Operands::Dd
            | Operands::Archive
            | Operands::Command(_)
            | Operands::None => {}
        }
        match self.names.first().copied().unwrap_or_default() {
            "jq" => pairs(args, uses),
            "curl" => urls::collect(arguments, uses),
            "wget" => settings(arguments, uses),
            "tar" => transforms(arguments, uses),
            "zip" => zipped(arguments, uses),
            "python" => modules(args, arguments, uses),
            "find" => self.found(args, uses),
            "strings" => lists(args, uses),
            "perf" => self.subcommand(args, uses),
            _ => {}
        }
    }

    /// Adds the words of a command whose options have long names and one dash.
    fn words(&self, args: &[Arg], edits: &[&str], access: FileAccess, uses: &mut Collector<'_>) {
        let mut rest = args.iter();
        while let Some(arg) = rest.next() {
            let text = arg.text.as_str();
            let attached =
                |edit: &&str| text.strip_prefix(edit.strip_suffix(':')?).map(|value| arg.part(value));
            if edits.iter().any(|edit| edit.trim_end_matches(':') == text) {
                uses.all(rest.next(), FileAccess::Edit);
            } else if let Some(value) = edits.iter().find_map(attached) {
                // `-Xlog:gc:file=a`
                let parts = value.text.split([':', '=']).map(|part| value.part(part));
                uses.all(&parts.chain([value.clone()]).collect::<Vec<_>>(), FileAccess::Edit);
            } else if text.starts_with('@') {
                lists(std::slice::from_ref(arg), uses);
            } else if !text.starts_with('-') {
                uses.add(arg, access);
            } else if let Some((name, value)) = text.split_once('=') {
                let edit = edits.contains(&name);
                uses.add(&arg.part(value), if edit { FileAccess::Edit } else { access });
            }
        }
    }

    /// Adds the files that actions of `find` write, and the directories in which it removes.
    fn found(&self, args: &[Arg], uses: &mut Collector<'_>) {
        let named = |names: &[&str]| {
            let pairs = args.iter().zip(args.iter().skip(1));
            pairs.filter(|(option, _)| option.could_be(names)).map(|(_, file)| file).collect::<Vec<&Arg>>()
        };
        uses.all(named(self.edits), FileAccess::Edit);
        let lists = named(&["-files0-from"]);
        if !lists.is_empty() {
            uses.all(lists, FileAccess::Read);
            uses.unknown(FileAccess::Read);
        }
        if args.iter().any(|arg| arg.text == "-delete") {
            uses.begin(Source::AnyText, true);
            uses.all(&places(args), FileAccess::Edit);
        }
    }

    /// Adds the files of a subcommand's options.
    fn subcommand(&self, args: &[Arg], uses: &mut Collector<'_>) {
        if let Some((name, rest)) = args.split_first()
            && !name.text.starts_with('-')
        {
            let options = self.syntax.read(rest, 0);
            uses.all(options.values(self.reads), FileAccess::Read);
            uses.all(options.values(self.edits), FileAccess::Edit);
        }
    }
}

/// Returns the places in which `find` searches.
fn places(args: &[Arg]) -> Vec<Arg> {
    let leads = |text: &str| LEADING.contains(&text) || text.starts_with("-O");
    let before = args.iter().take_while(|arg| leads(&arg.text) || !arg.text.starts_with(['-', '(', '!']));
    let mut places: Vec<Arg> = before.filter(|arg| !leads(&arg.text)).cloned().collect();
    if places.is_empty() {
        places.push(Arg::literal("."));
    }
    places
}

/// Returns the places in which `find` removes everything: no name, pattern or age leaves anything out.
pub(super) fn cleared(args: &[Arg]) -> Vec<Arg> {
    let mut tests = args
        .iter()
        .skip_while(|arg| !arg.text.starts_with(['-', '(', '!']) || LEADING.contains(&arg.text.as_str()));
    let mut deletes = false;
    let leaves_out = loop {
        match tests.next().map(|arg| arg.text.as_str()) {
            None => break false,
            Some("-delete") => deletes = true,
            Some("-depth" | "-mount" | "-xdev" | "-print" | "-true" | "-a" | "-and") => {}
            // Files alone are enough.
            Some("-type" | "-mindepth") => {
                tests.next();
            }
            Some(_) => break true,
        }
    };
    if deletes && !leaves_out { places(args) } else { Vec::new() }
}

/// Options of `find` before its starting points, those of BSD included.
const LEADING: [&str; 10] = ["--", "-D", "-E", "-H", "-L", "-P", "-X", "-d", "-s", "-x"];

/// Adds the files in `@FILE`, which contain options and names of files.
fn lists(args: &[Arg], uses: &mut Collector<'_>) {
    for arg in args {
        if let Some(file) = arg.text.strip_prefix('@') {
            uses.add(&arg.part(file), FileAccess::Read);
            uses.unknown(FileAccess::Read);
        }
    }
}

/// Adds the files of `jq --rawfile name file`.
fn pairs(args: &[Arg], uses: &mut Collector<'_>) {
    let takes = |arg: &Arg| matches!(arg.text.as_str(), "--rawfile" | "--slurpfile" | "--argfile");
    let files =
        args.iter().zip(args.iter().skip(2)).filter(|(option, _)| takes(option)).map(|(_, file)| file);
    uses.all(files, FileAccess::Read);
}

/// Adds the files in settings: `wget -e output_document=a`.
fn settings(arguments: &Arguments<'_>, uses: &mut Collector<'_>) {
    for value in arguments.options.values(&["e", "execute"]) {
        if let Some((_, file)) = value.text.split_once('=') {
            uses.add(&value.part(file.trim()), FileAccess::Edit);
        }
    }
}

/// Adds the replacement of `tar --transform=s,a,b,` as the name of files that are extracted.
fn transforms(arguments: &Arguments<'_>, uses: &mut Collector<'_>) {
    for value in arguments.options.values(&["transform", "xform"]) {
        for script in value.text.split(';') {
            let mut letters = script.trim_start().chars();
            let mark = letters.nth(1).unwrap_or('/');
            let replacement = letters.as_str().split(mark).nth(1);
            if let Some(text) = replacement {
                uses.add(&value.part(text), FileAccess::Edit);
            }
        }
    }
}

/// Adds the archive that `zip` writes, with its suffix.
fn zipped(arguments: &Arguments<'_>, uses: &mut Collector<'_>) {
    let archive = arguments.operands.first().copied();
    for value in arguments.options.values(&["O", "out", "output-file"]).chain(archive) {
        if !value.text.ends_with(".zip") && value.text != "-" {
            uses.add(&value.part(&format!("{}.zip", value.text)), FileAccess::Edit);
        }
    }
}

/// Modules of Python that write the files in their arguments.
const WRITING_MODULES: &[&str] =
    &["venv", "virtualenv", "zipfile", "tarfile", "json.tool", "compileall", "gzip"];

/// Adds the files of `python3 -m venv a`: every argument that is not an option.
fn modules(args: &[Arg], arguments: &Arguments<'_>, uses: &mut Collector<'_>) {
    if arguments.options.values(&["m"]).any(|module| module.could_be(WRITING_MODULES)) {
        uses.all(args.iter().filter(|arg| !arg.text.starts_with('-')), FileAccess::Edit);
    }
}

/// Variables whose value is a file or a directory that programs write. A `*` stands for any end.
const WRITTEN: &[&str] = &[
    "HISTFILE",
    "TMPDIR",
    "TMP",
    "TEMP",
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_CONFIG",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_TRACE*",
    "GIT_REDIRECT_STD*",
    "GNUPGHOME",
    "LESSHISTFILE",
    "MYSQL_HISTFILE",
    "NODE_V8_COVERAGE",
    "NODE_REDIRECT_WARNINGS",
    "NODE_REPL_HISTORY",
    "PSQL_HISTORY",
    "PYTHONPYCACHEPREFIX",
    "PYTHONHISTFILE",
    "PYTHON_HISTORY",
    "SQLITE_HISTORY",
];

/// Adds the files in the values of variables that programs write to.
pub(super) fn of_variables(values: &Values, uses: &mut Collector<'_>) {
    let written = |name: &str| {
        WRITTEN.iter().any(|known| match known.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => *known == name,
        })
    };
    // `GIT_TRACE=1` is a switch.
    let is_switch = |name: &str, value: &str| name.starts_with("GIT_TRACE") && !value.contains('/');
    uses.begin(Source::Arguments, false);
    for (_, value) in values.entries().filter(|(name, value)| written(name) && !is_switch(name, value)) {
        let arg = Arg::literal(value);
        let (dynamic, tilde) = (value.contains(['$', '`']), value.starts_with('~'));
        uses.add(&Arg { dynamic, tilde, ..arg }, FileAccess::Edit);
    }
}
