//! The scripts of a `sed` command, and the files that they and the options name (rules P5 and P7).

use super::super::arg::Arg;
use super::super::file_table;
use super::super::input::PathInput;
use super::super::sed::{SedScript, continues};
use super::FileAccess;
use super::collector::Collector;
use super::operands::Arguments;

/// The options of `sed` whose value is a script.
const SCRIPTS: &[&str] = &["e", "expression"];

/// The options of `sed` whose value is a file with a script.
const SCRIPT_FILES: &[&str] = &["f", "file"];

/// The options that make `sed` write its operands.
const IN_PLACE: &[&str] = &["i", "in-place"];

/// A script of `sed` in the arguments.
#[derive(Debug)]
struct GivenScript {
    /// The script; the values of several options if the text of a command continues in the next one.
    arg: Arg,
    /// The text of the last of these values.
    last: String,
}

/// Adds the files of `sed`: its operands, those that its scripts name, and the copies that `-i` keeps.
pub(super) fn collect(arguments: &Arguments<'_>, uses: &mut Collector<'_>) {
    let Arguments { options, operands } = arguments;
    for script in scripts(arguments) {
        if let Some(text) = script.arg.value() {
            of_script(text, &script.arg, uses);
        }
    }
    if options.values(SCRIPT_FILES).any(|file| reads_input(file, uses)) {
        for text in uses.stdin_texts() {
            of_script(&text, &Arg::literal(&text), uses);
        }
        unknown(uses);
    }
    let first = usize::from(!gives_script(arguments) && options.certain);
    let files: Vec<&Arg> = operands.iter().copied().skip(first).collect();
    uses.all(files.iter().copied(), FileAccess::Read);
    if options.has(IN_PLACE) {
        uses.all(files.iter().copied(), FileAccess::Edit);
        if let Some(suffix) = options.values(IN_PLACE).last() {
            files.iter().for_each(|file| copy(file, suffix, uses));
        }
    }
}

fn of_script(text: &str, arg: &Arg, uses: &mut Collector<'_>) {
    let script = SedScript::read(text);
    let named = |file: &String| Arg { glob: false, dynamic: false, ..arg.part(file) };
    script.reads.iter().for_each(|file| uses.add(&named(file), FileAccess::Read));
    script.writes.iter().for_each(|file| uses.add(&named(file), FileAccess::Edit));
    if script.unread {
        unknown(uses);
    }
}

fn unknown(uses: &mut Collector<'_>) {
    uses.unknown(FileAccess::Read);
    uses.unknown(FileAccess::Edit);
}

/// Returns whether a file with a script is the input of the line, or may be, as far as the line gives its name.
fn reads_input(file: &Arg, uses: &mut Collector<'_>) -> bool {
    let by = |path: &str| PathInput::by(&Arg { text: path.to_owned(), dynamic: false, ..file.clone() });
    uses.paths(file).iter().any(|path| by(path) != PathInput::File)
}

/// Adds the copy of a file that `-i` keeps: with the suffix, in which a `*` stands for the name of the file. Versions
/// differ in the name and in the directory.
fn copy(file: &Arg, suffix: &Arg, uses: &mut Collector<'_>) {
    let (directory, name) = match file.text.rsplit_once('/') {
        Some((directory, name)) => (Some(directory), name),
        None => (None, file.text.as_str()),
    };
    let kept = |name: &str| match suffix.text.contains('*') {
        true => suffix.text.replace('*', name),
        false => format!("{name}{}", suffix.text),
    };
    let mut paths = vec![kept(&file.text), kept(name)];
    paths.extend(directory.map(|directory| format!("{directory}/{}", kept(name))));
    paths.dedup();
    for path in paths {
        let dynamic = file.dynamic || suffix.dynamic;
        uses.add(&Arg { dynamic, text: path.clone(), raw: path, ..file.clone() }, FileAccess::Edit);
    }
}

/// Returns whether the script is the value of an option, and not an operand.
fn gives_script(arguments: &Arguments<'_>) -> bool {
    arguments.options.has(SCRIPTS) || arguments.options.has(SCRIPT_FILES)
}

/// Returns the scripts in the arguments.
fn scripts(arguments: &Arguments<'_>) -> Vec<GivenScript> {
    let mut scripts: Vec<GivenScript> = Vec::new();
    let operands = arguments.operands.iter().copied().take(script_operands(arguments));
    for arg in arguments.options.values(SCRIPTS).chain(operands) {
        match scripts.last_mut().filter(|before| continues(&before.arg.text)) {
            Some(before) => {
                for text in [&mut before.arg.text, &mut before.arg.raw] {
                    text.push('\n');
                    text.push_str(&arg.text);
                }
                before.arg.dynamic |= arg.dynamic;
                before.last.clone_from(&arg.text);
            }
            None => scripts.push(GivenScript { arg: arg.clone(), last: arg.text.clone() }),
        }
    }
    scripts
}

/// Returns the number of operands that may be scripts. To BSD's `sed` the argument after `-i` is the suffix of a copy.
fn script_operands(arguments: &Arguments<'_>) -> usize {
    let takes_next = |name: &str| name == "i" || name == "in-place";
    let bare = arguments.options.given.iter().any(|given| takes_next(&given.name) && given.value.is_none());
    let suffix = |arg: &&&Arg| bare && (arg.text.is_empty() || arg.text.starts_with('.'));
    match gives_script(arguments) {
        true => 0,
        false => 1 + usize::from(arguments.operands.first().filter(suffix).is_some()),
    }
}

fn with_arguments<T: Default>(args: &[Arg], of: impl Fn(&Arguments<'_>) -> T) -> T {
    let usage = file_table::find("sed");
    usage.map(|usage| of(&usage.arguments(args.get(1..).unwrap_or_default()))).unwrap_or_default()
}

/// Returns the scripts of a `sed` command whose text is known.
pub(crate) fn sed_scripts(args: &[Arg]) -> Vec<Arg> {
    with_arguments(args, |arguments| {
        scripts(arguments).into_iter().map(|script| script.arg).filter(|arg| !arg.dynamic).collect()
    })
}

/// Returns the files with scripts of a `sed` command.
pub(crate) fn sed_script_files(args: &[Arg]) -> Vec<Arg> {
    with_arguments(args, |arguments| arguments.options.values(SCRIPT_FILES).cloned().collect())
}

/// Returns the index of the last argument of `sed` that gives it a script which runs programs, writes files, or can't
/// be read.
pub(crate) fn sed_program(args: &[Arg]) -> Option<usize> {
    let texts: Vec<String> = with_arguments(args, |arguments| {
        let acts = |script: &GivenScript| {
            let read = script.arg.value().map(SedScript::read);
            read.is_some_and(|read| read.runs || read.unread || !read.writes.is_empty())
        };
        let scripts = scripts(arguments).into_iter().filter(acts).map(|script| script.last);
        let input = |file: &&Arg| {
            PathInput::by(file) != PathInput::File && !(file.dynamic && file.text.ends_with(".sed"))
        };
        let files = arguments.options.values(SCRIPT_FILES).filter(input).map(|file| file.text.clone());
        scripts.chain(files).collect()
    });
    args.iter().rposition(|arg| texts.iter().any(|text| arg.text.ends_with(text.as_str())))
}

/// Returns the index of the last argument that makes `sed` write its operands.
pub(crate) fn sed_in_place(args: &[Arg]) -> Option<usize> {
    let writes = with_arguments(args, |arguments| arguments.options.has(IN_PLACE));
    let option = |arg: &Arg| {
        let long = arg.text.strip_prefix("--").and_then(|text| text.split('=').next());
        match long {
            Some(name) => name.starts_with('i') && "in-place".starts_with(name),
            None => arg.text.starts_with('-') && arg.text.contains('i'),
        }
    };
    args.iter().rposition(option).filter(|_| writes)
}
