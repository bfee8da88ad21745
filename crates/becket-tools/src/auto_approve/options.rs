//! Parses the arguments of a command against the options that are known to be harmless.
//!
//! INVARIANT: an option that is not listed by its full name, or a letter that is not listed, makes parsing fail. A
//! value that is an argument of its own counts as an operand, too: if the program parses it otherwise, it was judged.

/// The harmless options of a command.
#[derive(Debug)]
pub(super) struct Options {
    /// Letters of options without a value.
    pub(super) flags: &'static str,
    /// Letters of options with a value, attached or in the next argument.
    pub(super) valued: &'static str,
    /// Names of options without a value.
    pub(super) long: &'static [&'static str],
    /// Names of options with a value; it is the next argument if not attached, unless the name is in `long`, too.
    pub(super) long_valued: &'static [&'static str],
    /// True if `-20` is a number of lines.
    pub(super) number: bool,
}

/// The options of a command that may have none.
pub(super) const NONE: Options =
    Options { flags: "", valued: "", long: &[], long_valued: &[], number: false };

/// Parsed arguments.
#[derive(Debug, Default)]
pub(super) struct Arguments<'a> {
    pub(super) operands: Vec<&'a str>,
    /// Values that were arguments of their own.
    pub(super) values: Vec<&'a str>,
    /// Letters and names of the given options.
    pub(super) given: Vec<String>,
    /// Values that were attached to their options.
    pub(super) attached: Vec<&'a str>,
}

impl Arguments<'_> {
    /// Returns whether one of the options was given.
    pub(super) fn gave(&self, names: &[&str]) -> bool {
        self.given.iter().any(|option| names.contains(&option.as_str()))
    }
}

impl Options {
    /// Parses the arguments after the command's name; `None` if one is an unknown option.
    pub(super) fn read<'a>(&self, args: &[&'a str]) -> Option<Arguments<'a>> {
        let (mut read, mut rest) = (Arguments::default(), args.iter().copied());
        while let Some(arg) = rest.next() {
            let takes_next = match arg.strip_prefix('-') {
                Some("-") => {
                    read.operands.extend(rest.by_ref());
                    break;
                }
                None | Some("") => {
                    read.operands.push(arg);
                    false
                }
                Some(option) => match option.strip_prefix('-') {
                    Some(long) => self.long(long, &mut read)?,
                    None => self.cluster(option, &mut read)?,
                },
            };
            if takes_next {
                read.values.push(rest.next()?);
            }
        }
        Some(read)
    }

    /// Returns whether the next argument is the option's value; `None` for an unknown one.
    fn long<'a>(&self, option: &'a str, read: &mut Arguments<'a>) -> Option<bool> {
        let (name, value) =
            option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        let attached = value.is_some();
        read.attached.extend(value);
        let (alone, valued) = (self.long.contains(&name), self.long_valued.contains(&name));
        read.given.push(name.to_owned());
        match (attached, alone, valued) {
            (true, _, true) | (false, true, _) => Some(false),
            (false, false, true) => Some(true),
            (true, _, false) | (false, false, false) => None,
        }
    }

    fn cluster<'a>(&self, option: &'a str, read: &mut Arguments<'a>) -> Option<bool> {
        if self.number && option.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(false);
        }
        let mut letters = option.chars();
        while let Some(letter) = letters.next() {
            read.given.push(letter.to_string());
            if self.valued.contains(letter) {
                let attached = Some(letters.as_str()).filter(|value| !value.is_empty());
                read.attached.extend(attached);
                return Some(attached.is_none());
            }
            if !self.flags.contains(letter) {
                return None;
            }
        }
        Some(false)
    }
}
