//! The files in the options and operands of a command, read by its entry in the table (rule P7).

use std::borrow::Cow;

use super::super::arg::Arg;
use super::super::file_table::{self, Operands, Usage};
use super::super::options::Options;
use super::super::sed::SedScript;
use super::FileAccess;
use super::collector::Collector;

/// Arguments of a command that takes options and operands in any order.
struct Arguments<'a> {
    options: Options,
    operands: Vec<&'a Arg>,
}

impl Usage {
    /// Adds the files that a command names in its arguments.
    pub(super) fn collect(&self, args: &[Arg], uses: &mut Collector<'_>) {
        let args = self.dashed(args);
        let arguments = self.arguments(&args);
        self.of_options(&arguments.options, uses);
        self.of_operands(&arguments, uses);
        if self.edits.contains(&"target-directory") {
            let into = arguments.options.values(&["t", "target-directory"]).cloned().collect();
            uses.landings(arguments.operands.into_iter().cloned().collect(), into);
        }
    }

    /// `tar xf a`: its first word may be letters without their dash.
    fn dashed<'a>(&self, args: &'a [Arg]) -> Cow<'a, [Arg]> {
        let bundled = |first: &&Arg| !first.dynamic && !first.text.starts_with('-');
        match args.first().filter(bundled) {
            Some(first) if self.names.contains(&"tar") => {
                let mut args = args.to_vec();
                args[0].text = format!("-{}", first.text);
                Cow::Owned(args)
            }
            Some(_) | None => Cow::Borrowed(args),
        }
    }

    fn of_options(&self, options: &Options, uses: &mut Collector<'_>) {
        for (names, access) in [(self.reads, FileAccess::Read), (self.edits, FileAccess::Edit)] {
            for value in options.values(names) {
                match value.text.split_once('@') {
                    // `curl -d @file` and `-F name=@file`; without the mark it is text.
                    Some((_, file)) if self.names.contains(&"curl") => uses.add(&value.part(file), access),
                    Some(_) | None => uses.add(value, access),
                }
            }
        }
    }

    fn of_operands(&self, arguments: &Arguments<'_>, uses: &mut Collector<'_>) {
        let Arguments { options, operands } = arguments;
        // An unknown option may have taken what counts as the first operand here.
        // `--context` takes a number in GNU's `grep`, and none in others.
        let certain = options.certain && !options.has(&["context"]);
        let after = |names: &[&str]| {
            let skipped = usize::from(!options.has(names) && certain);
            operands.iter().copied().skip(skipped)
        };
        match self.operands {
            Operands::Read => uses.all(operands.iter().copied(), FileAccess::Read),
            Operands::Edit => uses.all(operands.iter().copied(), FileAccess::Edit),
            Operands::ReadAfter(names) => uses.all(after(names), FileAccess::Read),
            Operands::EditAfter(names) => uses.all(after(names), FileAccess::Edit),
            Operands::Copy(into) => self.copied(arguments, into, uses),
            Operands::InOut => {
                uses.all(operands.iter().copied().take(1), FileAccess::Read);
                uses.all(operands.iter().copied().skip(1), FileAccess::Edit);
            }
            Operands::Sed => sed(arguments, uses),
            Operands::Dd => operands.iter().for_each(|arg| dd(arg, uses)),
            Operands::None => {}
        }
    }

    /// Files to read, then one to write, unless an option in `into` names it.
    fn copied(&self, arguments: &Arguments<'_>, into: &[&str], uses: &mut Collector<'_>) {
        let Arguments { options, operands } = arguments;
        let last = operands.len().saturating_sub(usize::from(!options.has(into)));
        uses.all(operands.iter().copied().take(last), FileAccess::Read);
        uses.all(operands.iter().copied().skip(last), FileAccess::Edit);
        // Several directories are made by `install -d`.
        if self.names.contains(&"install") && options.has(&["d", "directory"]) {
            uses.all(operands.iter().copied(), FileAccess::Edit);
        }
    }

    /// Options and operands, in any order as GNU's programs take them.
    fn arguments<'a>(&self, args: &'a [Arg]) -> Arguments<'a> {
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
                read.operands.extend(args.get(more.operand..).unwrap_or_default());
                break;
            }
            read.operands.extend(args.get(more.operand));
            from = more.operand + 1;
        }
        read
    }
}

/// The files of `sed`: its operands, and those that its scripts name.
fn sed(arguments: &Arguments<'_>, uses: &mut Collector<'_>) {
    let Arguments { options, operands } = arguments;
    for script in arguments.sed_scripts() {
        let read = script.value().and_then(SedScript::parse).unwrap_or_default();
        let named = |file: &String| Arg { glob: false, ..script.part(file) };
        read.reads.iter().for_each(|file| uses.add(&named(file), FileAccess::Read));
        read.writes.iter().for_each(|file| uses.add(&named(file), FileAccess::Edit));
    }
    let first = usize::from(!arguments.gives_sed_script() && options.certain);
    let files = operands.iter().copied().skip(first);
    uses.all(files.clone(), FileAccess::Read);
    if options.has(&["i", "in-place"]) {
        uses.all(files, FileAccess::Edit);
    }
}

/// The options of `sed` whose value is a script.
const SED_SCRIPTS: &[&str] = &["e", "expression"];

impl Arguments<'_> {
    /// Returns whether the script of `sed` is the value of an option, and not an operand.
    fn gives_sed_script(&self) -> bool {
        self.options.has(SED_SCRIPTS) || self.options.has(&["f", "file"])
    }

    /// The scripts of `sed`.
    fn sed_scripts(&self) -> impl Iterator<Item = &Arg> {
        let first = self.operands.first().copied().filter(|_| !self.gives_sed_script());
        self.options.values(SED_SCRIPTS).chain(first)
    }
}

/// The scripts of a `sed` command that run programs, each with what is known of these.
pub(crate) fn sed_runs(args: &[Arg]) -> Vec<(Arg, SedScript)> {
    let Some(usage) = file_table::find("sed") else { return Vec::new() };
    let arguments = usage.arguments(args.get(1..).unwrap_or_default());
    let scripts =
        arguments.sed_scripts().filter_map(|arg| Some((arg.clone(), SedScript::parse(arg.value()?)?)));
    scripts.filter(|(_, script)| script.runs).collect()
}

/// Returns the index of the last argument of `sed` with such a script.
pub(crate) fn sed_program(args: &[Arg]) -> Option<usize> {
    let scripts = sed_runs(args);
    let holds = |arg: &Arg| scripts.iter().any(|(script, _)| arg.text.ends_with(&script.text));
    args.iter().rposition(holds)
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
