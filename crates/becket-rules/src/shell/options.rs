//! Options as a program reads them: clusters, attached values, and prefixes of long names (rule P6).
//!
//! A [`Syntax`] is written in the notation of getopt(3), so that it can be compared with the program's own source.

use super::arg::Arg;

/// The options of a program, as getopt(3) describes them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Syntax {
    /// Letters; `:` follows one that takes a value, `::` one whose value can only be attached.
    pub(crate) short: &'static str,
    /// Long names without their dashes, blanks between them, with the same marks.
    pub(crate) long: &'static str,
}

/// An option in the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParsedOption {
    /// The letter, or the long name written out.
    pub(crate) name: String,
    pub(crate) value: Option<Arg>,
    /// The index of the argument that is the option.
    pub(crate) at: usize,
    /// The index of the argument that the value is in.
    pub(crate) value_at: usize,
}

/// The arguments of a program up to its first operand.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) given: Vec<ParsedOption>,
    /// The index of the first operand; the number of arguments if there is none.
    pub(crate) operand: usize,
    /// True if `--` ended the options.
    pub(crate) ended: bool,
    /// True if every option was known. If not, any later word may be the first operand.
    pub(crate) certain: bool,
}

/// The way in which an option takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    /// A value, attached or the next argument.
    Value,
    /// A value, attached or none.
    Attached,
}

impl Options {
    /// Returns whether one of the options in `names` was given.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.given.iter().any(|given| names.contains(&given.name.as_str()))
    }

    /// Returns the values of the options in `names`.
    pub(crate) fn values<'o>(&'o self, names: &'o [&str]) -> impl Iterator<Item = &'o Arg> {
        let wanted = |given: &&ParsedOption| names.contains(&given.name.as_str());
        self.given.iter().filter(wanted).filter_map(|given| given.value.as_ref())
    }
}

impl Syntax {
    /// Parses `args` from index `from` up to the first operand or past `--`. An argument that is known only at run time
    /// may be an option, so parsing ends there and is not certain.
    pub(crate) fn read(&self, args: &[Arg], from: usize) -> Options {
        let mut options = Options { given: Vec::new(), operand: from, ended: false, certain: true };
        while let Some(arg) = args.get(options.operand) {
            let Some(text) = arg.value() else {
                options.certain = false;
                break;
            };
            if !text.starts_with('-') || text.len() == 1 {
                break;
            }
            options.operand += 1;
            options.ended = text == "--";
            if options.ended {
                break;
            }
            let next = args.get(options.operand);
            let took_next = match text.strip_prefix("--") {
                Some(long) => self.read_long(long, arg, next, &mut options),
                None => self.read_cluster(arg, next, &mut options),
            };
            options.certain &= !took_next || next.is_some_and(|value| !value.is_open());
            options.operand += usize::from(took_next);
        }
        options.operand = options.operand.min(args.len());
        options
    }

    /// Parses one long option; returns `true` if its value is the next argument.
    fn read_long(&self, text: &str, arg: &Arg, next: Option<&Arg>, options: &mut Options) -> bool {
        let (typed, attached) = match text.split_once('=') {
            Some((name, value)) => (name, Some(arg.part(value))),
            None => (text, None),
        };
        let Some((name, takes)) = self.long_name(typed) else {
            options.certain = false;
            return false;
        };
        let takes_next = takes == Takes::Value && attached.is_none();
        let value = if takes_next { next.cloned() } else { attached };
        let at = options.operand - 1;
        let value_at = at + usize::from(takes_next);
        options.given.push(ParsedOption { name: name.to_owned(), value, at, value_at });
        takes_next
    }

    /// Parses a cluster of short options; returns `true` if the value of the last one is the next argument.
    fn read_cluster(&self, arg: &Arg, next: Option<&Arg>, options: &mut Options) -> bool {
        let mut rest = arg.text.chars();
        rest.next();
        let at = options.operand - 1;
        while let Some(letter) = rest.next() {
            let Some(takes) = self.letter(letter) else {
                options.certain = false;
                continue;
            };
            let attached = Some(rest.as_str()).filter(|text| !text.is_empty()).map(|text| arg.part(text));
            let value_at = at + usize::from(takes == Takes::Value && attached.is_none());
            let (value, ends) = match takes {
                Takes::Nothing => (None, false),
                Takes::Attached => (attached, true),
                Takes::Value => (attached.or_else(|| next.cloned()), true),
            };
            options.given.push(ParsedOption { name: letter.to_string(), value, at, value_at });
            if ends {
                return takes == Takes::Value && rest.as_str().is_empty();
            }
        }
        false
    }

    /// Returns whether a letter takes a value, attached or the next argument.
    pub(crate) fn takes_value(&self, letter: char) -> bool {
        self.letter(letter) == Some(Takes::Value)
    }

    fn letter(&self, wanted: char) -> Option<Takes> {
        let (_, rest) = self.short.split_once(wanted).filter(|_| wanted != ':')?;
        Some(marks(rest))
    }

    /// Returns the long option that `typed` is, or is a prefix of. Several candidates count as one if they take their
    /// values in the same way.
    fn long_name(&self, typed: &str) -> Option<(&'static str, Takes)> {
        let split = |entry: &'static str| {
            let name = entry.trim_end_matches(':');
            (name, marks(&entry[name.len()..]))
        };
        let mut found = self.long.split_whitespace().map(split).filter(|(name, _)| name.starts_with(typed));
        if let Some(exact) = found.clone().find(|(name, _)| *name == typed) {
            return Some(exact);
        }
        let first = found.next().filter(|_| !typed.is_empty())?;
        found.all(|(_, takes)| takes == first.1).then_some(first)
    }
}

fn marks(text: &str) -> Takes {
    match (text.starts_with("::"), text.starts_with(':')) {
        (true, _) => Takes::Attached,
        (false, true) => Takes::Value,
        (false, false) => Takes::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::super::arg::Arg;
    use super::Syntax;

    const SYNTAX: Syntax = Syntax { short: "ab:c::", long: "all best: colour:: command: commit:" };

    fn read(words: &[&str]) -> (Vec<String>, usize, bool) {
        let args: Vec<Arg> = words.iter().map(|word| Arg::literal(word)).collect();
        let options = SYNTAX.read(&args, 0);
        let shown = |given: &super::ParsedOption| match &given.value {
            Some(value) => format!("{}={}", given.name, value.text),
            None => given.name.clone(),
        };
        (options.given.iter().map(shown).collect(), options.operand, options.certain)
    }

    #[test]
    fn options_are_read_as_getopt_reads_them() {
        // rule: P6
        let cases: [(&[&str], &[&str], usize, bool); 13] = [
            (&["x"], &[], 0, true),
            (&["-a", "x"], &["a"], 1, true),
            (&["-ab", "v", "x"], &["a", "b=v"], 2, true),
            (&["-abv", "x"], &["a", "b=v"], 1, true),
            (&["-c", "x"], &["c"], 1, true),
            (&["-cav", "x"], &["c=av"], 1, true),
            (&["--", "-a"], &[], 1, true),
            (&["-", "-a"], &[], 0, true),
            (&["--best", "v", "x"], &["best=v"], 2, true),
            (&["--be=v", "x"], &["best=v"], 1, true),
            (&["--col", "x"], &["colour"], 1, true),
            (&["--comm", "v", "x"], &["command=v"], 2, true),
            (&["--co", "x"], &[], 1, false),
        ];
        for (words, given, operand, certain) in cases {
            let given = given.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(read(words), (given, operand, certain), "{words:?}");
        }
        assert_eq!(read(&["-ax", "y"]), (vec!["a".to_owned()], 1, false));
        for (words, ended) in [(["-a", "--"], true), (["-b", "--"], false)] {
            let args: Vec<Arg> = words.iter().map(|word| Arg::literal(word)).collect();
            assert_eq!(SYNTAX.read(&args, 0).ended, ended, "{words:?}");
        }
    }
}
