//! The files in the options and operands of a command, read by its entry in the table (rule P7).

use std::borrow::Cow;

use super::super::arg::Arg;
use super::super::file_table::{Here, Operands, Recursion, Usage};
use super::super::options::Options;
use super::FileAccess;
use super::collector::{Collector, Source};
use super::sed;

/// Arguments of a command that takes options and operands in any order.
pub(super) struct Arguments<'a> {
    pub(super) options: Options,
    pub(super) operands: Vec<&'a Arg>,
}

/// Commands whose first word may be letters of options without a dash.
const BUNDLERS: [&str; 3] = ["tar", "ar", "jar"];

impl Usage {
    /// Adds the files that a command names in its arguments.
    pub(super) fn collect(&self, args: &[Arg], uses: &mut Collector<'_>) {
        let args = self.dashed(args);
        let arguments = self.arguments(&args);
        uses.begin(Source::AnyText, self.is_recursive(&arguments.options));
        self.of_options(&arguments.options, uses);
        self.of_operands(&arguments, uses);
        self.of_own_choice(&arguments, uses);
        self.special(&args, &arguments, uses);
        self.of_contents(&args, &arguments, uses);
        if self.edits.contains(&"target-directory") {
            let into = arguments.options.values(&["t", "target-directory"]).cloned().collect();
            uses.landings(arguments.operands.into_iter().cloned().collect(), into);
        }
    }

    /// Writes the first word of `tar xfC a d`, whose letters may lack the dash, as options: the values follow in the
    /// order of the letters.
    fn dashed<'a>(&self, args: &'a [Arg]) -> Cow<'a, [Arg]> {
        let bundled = |first: &Arg| !first.dynamic && !first.text.starts_with('-');
        match args.split_first().filter(|(first, _)| bundled(first)) {
            Some((first, rest)) if self.names.iter().any(|name| BUNDLERS.contains(name)) => {
                let (mut dashed, mut rest) = (Vec::new(), rest.iter());
                for letter in first.text.chars() {
                    dashed.push(first.part(&format!("-{letter}")));
                    if self.syntax.takes_value(letter) {
                        dashed.extend(rest.next().cloned());
                    }
                }
                Cow::Owned(dashed.into_iter().chain(rest.cloned()).collect())
            }
            Some(_) | None => Cow::Borrowed(args),
        }
    }

    /// Returns whether the command also uses what is in the directories that it names.
    pub(super) fn is_recursive(&self, options: &Options) -> bool {
        match self.recursion {
            Recursion::Never => false,
            Recursion::Always => true,
            Recursion::With(names) => options.has(names) || !options.certain,
        }
    }

    /// Adds the files whose names are not in the arguments: those in a list, and those that the command names itself.
    fn of_own_choice(&self, arguments: &Arguments<'_>, uses: &mut Collector<'_>) {
        let Arguments { options, operands } = arguments;
        let edits = options.has(self.edited_by);
        if edits {
            uses.all(operands.iter().copied(), FileAccess::Edit);
        }
        if options.has(self.lists) {
            uses.unknown(if edits { FileAccess::Edit } else { FileAccess::Read });
        }
        let writes = |here: Here| here.when.is_empty() || options.has(here.when);
        if self.here.is_some_and(|here| writes(here) && !options.has(here.unless)) {
            uses.add(&Arg::literal("."), FileAccess::Edit);
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
        // An unknown option may have taken the first operand as its value.
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
            Operands::Sed => sed::collect(arguments, uses),
            Operands::Dd => operands.iter().for_each(|arg| dd(arg, uses)),
            Operands::Archive => {
                uses.all(operands.iter().copied().take(1), FileAccess::Edit);
                uses.all(operands.iter().copied().skip(1), FileAccess::Read);
            }
            Operands::Command(own) => uses.all(operands.iter().copied().take(own), FileAccess::Edit),
            Operands::Words(_) | Operands::EditedWords(_) | Operands::None => {}
        }
    }

    /// Handles files to read, then one to write, unless an option in `into` names it.
    fn copied(&self, arguments: &Arguments<'_>, into: &[&str], uses: &mut Collector<'_>) {
        let Arguments { options, operands } = arguments;
        let last = operands.len().saturating_sub(usize::from(!options.has(into)));
        uses.all(operands.iter().copied().take(last), FileAccess::Read);
        uses.all(operands.iter().copied().skip(last), FileAccess::Edit);
        // `ln a` makes a link in the directory.
        if let ([one], true) = (operands.as_slice(), self.names.contains(&"ln") && !options.has(into)) {
            uses.add(one, FileAccess::Read);
            uses.add(&Arg::literal("."), FileAccess::Edit);
        }
        // `install -d` creates several directories.
        if self.names.contains(&"install") && options.has(&["d", "directory"]) {
            uses.all(operands.iter().copied(), FileAccess::Edit);
        }
    }

    /// Parses options and operands in any order, as GNU programs do.
    pub(super) fn arguments<'a>(&self, args: &'a [Arg]) -> Arguments<'a> {
        let mut read =
            Arguments { options: Options { certain: true, ..Options::default() }, operands: Vec::new() };
        let mut from = 0;
        // Those after a wrapper's command are not its own.
        let leading = matches!(self.operands, Operands::Command(_));
        while from < args.len() {
            let more = self.syntax.read(args, from);
            read.options.given.extend(more.given);
            // An argument that is known only at run time ends the parsing, and matters if it may be an option.
            let (known, rest) = args.split_at(more.operand);
            let hides_option = rest.first().is_some_and(|arg| arg.dynamic && arg.could_be_option());
            read.options.certain &= !hides_option && (more.certain || self.syntax.read(known, from).certain);
            if more.ended || leading {
                read.operands.extend(args.get(more.operand..).unwrap_or_default());
                break;
            }
            read.operands.extend(args.get(more.operand));
            from = more.operand + 1;
        }
        read
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
