//! Shell options that change how the rest of a program is read, and commands that run the history.

use super::arg::Arg;
use super::options::Syntax;
use super::refusal::UnknownReason;
use super::walk::Walk;

/// Names for `set -o` that change how text is read: `NAME=value` anywhere is an assignment, `!` repeats commands.
const NAMES: &[&str] = &["keyword", "histexpand"];

/// The letters of the same options.
const LETTERS: &[char] = &['k', 'H'];

/// Names for `shopt -u`: without it, an interactive shell has no comments.
const SHOPT_OFF: &[&str] = &["interactive_comments"];

const SHOPT: Syntax = Syntax { short: "opqsu", long: "" };
const FC: Syntax = Syntax { short: "e:lnrs", long: "" };

/// Returns whether a letter of `set`, or of a shell's own options, changes how a program is read.
pub(crate) fn is_letter(letter: char) -> bool {
    LETTERS.contains(&letter)
}

/// Returns whether the name after `-o` (`on`) or `+o` changes how a program is read, or may do so.
pub(crate) fn changes(name: &Arg, on: bool) -> bool {
    match name.value() {
        Some(name) if on => NAMES.contains(&name),
        Some(name) => SHOPT_OFF.contains(&name),
        None => true,
    }
}

impl Walk {
    /// Records `set`, `shopt` and `fc`.
    pub(crate) fn note_modes(&mut self, name: &str, args: &[Arg], direct: bool) {
        let changed = match name {
            "set" => set_changes(&args[1..]),
            "shopt" => shopt_changes(args),
            _ => None,
        };
        if let Some(arg) = changed {
            self.unknown(UnknownReason::Mode(format!("{name} {}", arg.raw)), direct);
        }
        let lists = |args: &[Arg]| {
            let options = FC.read(args, 1);
            options.certain && options.has(&["l"]) && !options.has(&["s", "e"])
        };
        if name == "fc" && !lists(args) {
            self.unknown(UnknownReason::History(name.to_owned()), direct);
        }
    }
}

/// Returns the argument of `set` that changes how the rest is read.
fn set_changes(args: &[Arg]) -> Option<&Arg> {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let Some(text) = arg.value() else {
            return Some(arg).filter(|arg| arg.could_be_option() || arg.could_start_with("+"));
        };
        if !text.starts_with(['-', '+']) || text == "--" || text == "-" {
            return None;
        }
        let on = text.starts_with('-');
        for letter in text.chars().skip(1) {
            if on && is_letter(letter) {
                return Some(arg);
            }
            // The name is the next argument, unless that is an option.
            if letter == 'o'
                && let Some(name) = args.get(at).filter(|name| !name.text.starts_with(['-', '+']))
            {
                if on && changes(name, on) {
                    return Some(name);
                }
                at += 1;
            }
        }
    }
    None
}

/// Returns the argument of `shopt` that changes how the rest is read.
fn shopt_changes(args: &[Arg]) -> Option<&Arg> {
    let options = SHOPT.read(args, 1);
    let names = &args[options.operand..];
    let (on, off) = (options.has(&["s"]), options.has(&["u"]));
    let of_set = options.has(&["o"]) && on;
    let steers = |name: &&Arg| {
        (of_set && changes(name, true)) || (off && !options.has(&["o"]) && changes(name, false))
    };
    let hidden = args.iter().skip(1).find(|arg| arg.dynamic);
    hidden.or_else(|| names.iter().find(steers))
}
