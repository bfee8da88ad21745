//! Commands that are made from data or split text: `xargs`, and `env -S` (rule P6).

use super::arg::Arg;
use super::input::Input;
use super::refusal::UnknownReason;
use super::walk::{Context, Walk};
use super::wrapper;
use super::wrapper_table::{SHELLS, WIDE};

impl Walk {
    /// `xargs`: what it reads is appended, or replaces a mark.
    pub(crate) fn xargs(&mut self, options: &[Arg], rest: &[Arg], context: &Context) {
        let inner = Context { input: Input::Opaque, ..context.clone() };
        let replace = replacement(options);
        let found = self.found();
        match replace {
            Some(mark) => self.run(&substitute(rest, &mark), &inner),
            None => self.run(rest, &inner),
        }
        self.mark_open(found);
        // What is appended may be a program, or the command itself.
        let needs_more = rest.last().and_then(Arg::command_name).is_some_and(|name| {
            SHELLS.contains(&name)
                || WIDE.contains(&name)
                || wrapper::lookup(name).is_some()
                || name == "eval"
        });
        let ends_in_c = rest.last().is_some_and(|arg| arg.text.starts_with('-') && arg.text.ends_with('c'));
        if needs_more || ends_in_c {
            self.unknown(UnknownReason::Arguments("xargs".to_owned()), false);
        }
    }

    /// `env -S 'text' more`: the text is split like a command line, but has no operators.
    pub(crate) fn split_string(&mut self, args: &[Arg], context: &Context) {
        let split =
            args.iter().enumerate().skip(1).find_map(|(at, arg)| Some((at, split_option(&arg.text)?)));
        let Some((at, attached)) = split else { return };
        let (own, rest) = match attached {
            Some(text) => (text, at + 1),
            None => (args.get(at + 1).map(|arg| arg.text.clone()).unwrap_or_default(), at + 2),
        };
        let plain = |c: char| c.is_alphanumeric() || " \t\n_./=:,@%+-'\"".contains(c);
        let dynamic = !own.chars().all(plain) || args[at..].iter().any(|arg| arg.dynamic);
        // The text may go on with options of `env`.
        let mut text = format!("env {}", own.replace('\n', " "));
        for arg in args.iter().skip(rest) {
            text.push(' ');
            text.push_str(&arg.raw);
        }
        self.program(&text, dynamic, context);
    }
}

/// `-S`, alone or in a cluster, or any abbreviation of `--split-string`; the inner value is the attached text.
fn split_option(option: &str) -> Option<Option<String>> {
    let attached = match option.strip_prefix("--") {
        Some(long) => {
            let (name, text) = long.split_once('=').unwrap_or((long, ""));
            (name.starts_with('s') && "split-string".starts_with(name)).then_some(text)?
        }
        None => {
            let (flags, text) = option.strip_prefix('-')?.split_once('S')?;
            flags.chars().all(|flag| "iv0".contains(flag)).then_some(text)?
        }
    };
    Some(Some(attached.to_owned()).filter(|text| !text.is_empty()))
}

/// What `xargs -I` replaces.
fn replacement(options: &[Arg]) -> Option<String> {
    for (at, option) in options.iter().enumerate() {
        let text = option.text.as_str();
        if text == "-I" {
            return options.get(at + 1).map(|arg| arg.text.clone());
        }
        let attached = text
            .strip_prefix("-I")
            .or_else(|| text.strip_prefix("-i"))
            .or_else(|| text.strip_prefix("--replace="));
        if let Some(mark) = attached.filter(|mark| !mark.is_empty()) {
            return Some(mark.to_owned());
        }
        if matches!(text, "-i" | "--replace") {
            return Some("{}".to_owned());
        }
    }
    None
}

/// Words that hold `mark` are filled in at run time.
pub(crate) fn substitute(args: &[Arg], mark: &str) -> Vec<Arg> {
    let filled = |arg: &Arg| {
        let filled = arg.text.contains(mark);
        Arg { dynamic: arg.dynamic || filled, open: arg.open || filled, ..arg.clone() }
    };
    args.iter().map(filled).collect()
}
