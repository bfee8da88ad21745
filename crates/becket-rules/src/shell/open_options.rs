//! Arguments that may become an option at run time (rule P5): `for x in --compress-program=y; do sort $x f; done`.
//!
//! An option that names a program counts unless the line gives every value of the argument; one that names a file to
//! write, only if the line shows it.

use std::collections::BTreeMap;

use super::arg::Arg;
use super::git;
use super::git_programs;
use super::limits::MAX_VALUES;
use super::line::{AllowForm, Command};
use super::option_programs;
use super::positions::{Positions, is_ssh};
use super::values::Values;
use super::variables;
use super::written_options;

/// An argument that may become an option which an allow rule must spell out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenOption {
    arg: Arg,
    /// True if it counts unless all of its values are known.
    strict: bool,
    /// For each text of the command, the number of bytes up to its end.
    spelled: Vec<usize>,
}

/// Returns a command's arguments that may become such an option; `spelled` returns the numbers of bytes up to one.
pub(crate) fn open_options(
    name: &str,
    args: &[Arg],
    spelled: impl Fn(usize) -> Vec<usize>,
) -> Vec<OpenOption> {
    let mut found: BTreeMap<usize, bool> = match name {
        "git" => git::open_at(args).into_iter().collect(),
        _ => option_programs::open_at(name, args).into_iter().map(|at| (at, true)).collect(),
    };
    if matches!(name, "sed" | "gsed") || written_options::has_any(name, args) {
        for at in candidates(name, args).into_iter().filter(|at| args[*at].could_be_option()) {
            found.entry(at).or_insert(false);
        }
    }
    let option =
        |(at, strict): (usize, bool)| OpenOption { arg: args[at].clone(), strict, spelled: spelled(at) };
    found.into_iter().map(option).collect()
}

/// Returns the index of each argument that is known only at run time, and that may be an option as far as its position
/// shows: not after `--`, and not the value of another option.
pub(crate) fn candidates(name: &str, args: &[Arg]) -> Vec<usize> {
    let at_run_time = |at: &usize| args[*at].dynamic || args[*at].glob;
    let open: Vec<usize> = (1..args.len()).filter(at_run_time).collect();
    if open.is_empty() {
        return open;
    }
    // `sort -T -- $x`: the dashes are a value.
    let end_without = |values: &[usize]| {
        let ends = |(at, arg): (usize, &Arg)| arg.text == "--" && !values.contains(&at);
        args.iter().enumerate().position(ends).unwrap_or(args.len())
    };
    let Some(positions) = Positions::of(name, args) else {
        let values = if name == "git" { git_programs::option_values(args) } else { Vec::new() };
        let end = end_without(&values);
        return open.into_iter().filter(|at| *at < end).collect();
    };
    // After the literal start of a command for another host, ssh reads no options.
    let sent = positions.operands.get(1).filter(|at| is_ssh(name) && !args[**at].dynamic);
    let end = sent.copied().unwrap_or_else(|| end_without(&positions.values));
    let fixed =
        |at: &usize| positions.certain && positions.values.binary_search(at).is_ok() && !args[*at].splits;
    open.into_iter().filter(|at| *at < end && !fixed(at)).collect()
}

impl OpenOption {
    /// Returns whether it may be an option with the values that the line gives to variables; `certain` unless it gives
    /// others in ways that are not followed.
    fn counts(&self, values: &Values, certain: bool, steps: &mut usize) -> bool {
        let text = self.arg.text.as_str();
        if !self.arg.dynamic {
            return self.strict;
        }
        if is_number(text) {
            return false;
        }
        // Operators are read for rules that restrict.
        let plain = !(text.contains("${") && text.contains(['#', '%', '/', '^', ',', '@', '!', '[']));
        let known = (certain && plain).then(|| values.all_texts(text, steps)).flatten();
        let Some(known) = known.filter(|_| *steps > 0) else {
            return self.strict || shows_option(text);
        };
        let starts = |text: &str| {
            let glob = self.strict && text.starts_with(['*', '?', '[']);
            text.starts_with('-') || glob
        };
        known.iter().any(|text| starts(text) || (self.arg.splits && text.split_whitespace().any(starts)))
    }
}

/// Returns whether an expansion is a number, or the part of a word that is none can't be an option.
fn is_number(text: &str) -> bool {
    matches!(text, "$#" | "$?" | "$$" | "$!")
        || (text.starts_with("${#") && text.find('}') == Some(text.len() - 1))
        || (text.starts_with("$((") && text.find("))") == Some(text.len() - 2))
}

/// Returns whether the text of `${x:-default}` contains an option.
fn shows_option(text: &str) -> bool {
    text.starts_with("${")
        && ["--", "=-", "+-", "/-", "'-", "\"-", " -"].iter().any(|start| text.contains(start))
}

/// Commands that give variables values which are not followed.
const SETTERS: &[&str] = &["let", "eval", "source", ".", "select", "coproc"];

/// Returns whether a command may give a variable a value that is not followed.
fn sets(command: &Command) -> bool {
    let Some((name, args)) = command.args.split_first() else { return false };
    let option = |letter: char| {
        args.iter().any(|arg| arg.dynamic || (arg.text.starts_with('-') && arg.text.contains(letter)))
    };
    match name.command_name() {
        Some("printf") => args.first().is_some_and(|arg| arg.dynamic || arg.text.starts_with("-v")),
        Some("declare" | "typeset" | "local" | "export" | "readonly") => option('n') || option('i'),
        Some(name) if variables::sets_operands(name) => args.iter().any(|arg| arg.dynamic || arg.glob),
        Some(name) => SETTERS.contains(&name),
        None => true,
    }
}

/// Adds the options that may appear at run time to what allow rules must spell out, once all values are known.
pub(crate) fn settle(commands: &mut [Command], values: &Values, certain: bool) {
    let certain = certain && values.of("IFS").is_empty() && !commands.iter().any(sets);
    let mut steps = MAX_VALUES;
    for allow in commands.iter_mut().filter_map(|command| command.allow.as_mut()) {
        let AllowForm { spelled, open_options, .. } = allow;
        for option in open_options.iter().filter(|option| option.counts(values, certain, &mut steps)) {
            for (least, with) in spelled.iter_mut().zip(&option.spelled) {
                *least = (*least).max(*with);
            }
        }
    }
}
