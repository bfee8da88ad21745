//! Programs that git runs because of its arguments (rule P6): `-c core.sshCommand=…`, `rebase --exec` and similar ones.

use super::arg::Arg;
use super::context::Context;
use super::dialect::Dialect;
use super::option_programs::is_filter;
use super::walk::Walk;

/// Options of some subcommand whose value a shell runs.
const TEXT_OPTIONS: &[&str] =
    &["--exec", "--extcmd", "--upload-pack", "--receive-pack", "--open-files-in-pager"];

/// Short options of the same kind, and the subcommands that have them.
const SHORT_OPTIONS: &[(&str, &str)] =
    &[("rebase", "-x"), ("difftool", "-x"), ("grep", "-O"), ("clone", "-u")];

/// Last parts of the settings that hold a program.
const PROGRAM_KEYS: &[&str] = &[
    "askpass",
    "clean",
    "cmd",
    "command",
    "difffilter",
    "driver",
    "editor",
    "external",
    "fsmonitor",
    "gitproxy",
    "helper",
    "packobjectshook",
    "pager",
    "process",
    "program",
    "receivepack",
    "smudge",
    "sshcommand",
    "textconv",
    "tocmd",
    "cccmd",
    "uploadpack",
];

/// A program in the arguments of a `git` command.
#[derive(Debug)]
struct GitProgram {
    /// The index of the option, or of the word, that says that a program follows.
    option: usize,
    /// The index of the argument that holds it.
    at: usize,
    runs: Runs,
    text: String,
}

/// The way in which git runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// By a shell.
    Text,
    /// Split at blanks, with more arguments behind it.
    Words,
    /// The arguments from here on are joined, and run by a shell.
    Rest,
    /// The arguments from here on are a command.
    Command,
}

impl Walk {
    /// Finds the programs in the arguments of a `git` command.
    pub(crate) fn git(&mut self, args: &[Arg], context: &Context) {
        for GitProgram { at, runs, text, .. } in programs(args) {
            let Some(value) = args.get(at) else { continue };
            match runs {
                Runs::Text => self.shell_text(&text, value.dynamic, context),
                Runs::Words => self.words_of(&text, value, context),
                Runs::Rest => {
                    self.joined(&args[at..], &Context { dialect: Dialect::Posix, ..context.clone() });
                }
                Runs::Command => self.run(&args[at..], context),
            }
        }
    }
}

/// Returns the index of the last argument that an allow rule must spell out, since a program is named there.
pub(crate) fn named_at(args: &[Arg]) -> Option<usize> {
    // An alias for a subcommand is only a subcommand.
    let alias = |program: &GitProgram| {
        let name = program.text.strip_prefix("git ").filter(|_| program.runs == Runs::Words);
        name.is_some_and(|name| name.starts_with(char::is_alphabetic))
    };
    let subcommand = subcommand_at(args);
    let is_clone = args.get(subcommand).is_some_and(|arg| arg.text == "clone");
    // `-c` is a setting in front of the subcommand, and of `clone`.
    let other = |program: &GitProgram| {
        !is_clone
            && program.option > subcommand
            && args.get(program.option).is_some_and(|arg| arg.text == "-c")
    };
    let harmless = |program: &GitProgram| is_filter(&program.text) || alias(program) || other(program);
    let own = programs(args).into_iter().filter(|program| !harmless(program)).map(|program| program.option);
    let hidden = |pair: &[Arg]| pair[0].text == "-c" && pair[1].dynamic && !pair[1].text.contains('=');
    let settings = args.windows(2).rposition(hidden);
    let path = args.iter().position(|arg| arg.text.starts_with("--exec-path="));
    own.max().max(settings).max(path)
}

/// Returns the index of the subcommand, or of a word that may be it.
fn subcommand_at(args: &[Arg]) -> usize {
    let mut at = 1;
    while let Some(arg) = args.get(at).filter(|arg| arg.text.starts_with('-') || arg.could_be_option()) {
        at += if matches!(arg.text.as_str(), "-c" | "-C") { 2 } else { 1 };
    }
    at
}

fn programs(args: &[Arg]) -> Vec<GitProgram> {
    let is = |text: &str| args.iter().any(|arg| arg.text == text);
    let short: Vec<&str> =
        SHORT_OPTIONS.iter().filter(|(subcommand, _)| is(subcommand)).map(|(_, option)| *option).collect();
    let mut found = Vec::new();
    for (option, arg) in args.iter().enumerate().skip(1) {
        let (at, next) = (option, args.get(option + 1));
        let text = arg.text.as_str();
        let attached = match text.split_once('=') {
            Some((name, value)) if is_text_option(name) => Some(value),
            _ => short.iter().find_map(|option| text.strip_prefix(option)),
        };
        let program = match (attached, next) {
            (Some(""), Some(value)) => Some((at + 1, Runs::Text, value.text.clone())),
            (Some(value), _) => Some((at, Runs::Text, value.to_owned())),
            (None, Some(value)) if is_text_option(text) => Some((at + 1, Runs::Text, value.text.clone())),
            (None, Some(pair)) if matches!(text, "-c" | "--config") => {
                setting(&pair.text).map(|(runs, text)| (at + 1, runs, text))
            }
            (None, _) => None,
        };
        let pair = text.strip_prefix("--config=").and_then(setting).map(|(runs, text)| (at, runs, text));
        let remote = text.strip_prefix("ext::").map(|words| (at, Runs::Words, words.to_owned()));
        let program = [program, pair, remote].into_iter().flatten();
        found.extend(program.map(|(at, runs, text)| GitProgram { option, at, runs, text }));
    }
    found.extend(command_behind(args, "submodule", "foreach", Runs::Rest));
    found.extend(command_behind(args, "bisect", "run", Runs::Command));
    found
}

/// `git submodule foreach command`, `git bisect run command`.
fn command_behind(args: &[Arg], subcommand: &str, verb: &str, runs: Runs) -> Option<GitProgram> {
    let from = args.iter().position(|arg| arg.text == subcommand)?;
    let at = from + args.get(from..)?.iter().position(|arg| arg.text == verb)? + 1;
    let options = args.get(at..)?.iter().take_while(|arg| arg.text.starts_with('-')).count();
    let first = args.get(at + options)?;
    Some(GitProgram { option: at - 1, at: at + options, runs, text: first.text.clone() })
}

/// The program in `section.key=value`: one of the shell's, or for `alias.name` a subcommand unless it starts with `!`.
fn setting(pair: &str) -> Option<(Runs, String)> {
    let (key, value) = pair.split_once('=')?;
    let key = key.to_ascii_lowercase();
    let last = key.rsplit('.').next().unwrap_or_default();
    match value.strip_prefix('!') {
        Some(text) => Some((Runs::Text, text.to_owned())),
        None if key.starts_with("alias.") => Some((Runs::Words, format!("git {value}"))),
        None if PROGRAM_KEYS.contains(&last) || key.starts_with("pager.") => {
            Some((Runs::Text, value.to_owned()))
        }
        None => None,
    }
}

/// Returns whether it is one of the options, or the beginning of one.
fn is_text_option(name: &str) -> bool {
    let begins = |option: &&str| name.len() > "--exe".len() && option.starts_with(name);
    TEXT_OPTIONS.iter().any(begins) || (name.starts_with("--") && name.ends_with("-filter"))
}
