//! Programs that git runs because of its arguments (rule P6): `-c core.sshCommand=…`, `rebase --exec` and similar ones.

use super::arg::Arg;
use super::context::Context;
use super::dialect::Dialect;
use super::git_programs::{GitProgram, Runs, programs};
use super::open_options::candidates;
use super::option_programs::is_filter;
use super::refusal::UnknownReason;
use super::walk::Walk;

impl Walk {
    /// Finds the programs in the arguments of a `git` command.
    pub(crate) fn git(&mut self, args: &[Arg], context: &Context) {
        for program in programs(args) {
            if self.is_full() {
                return self.unknown(UnknownReason::TooComplex, true);
            }
            self.git_program(&program, args, context);
        }
    }

    fn git_program(&mut self, program: &GitProgram, args: &[Arg], context: &Context) {
        let Some(value) = args.get(program.at) else { return };
        match program.runs {
            Runs::Text => self.shell_text(&program.text, value.dynamic, context),
            Runs::Words => {
                self.words_of(&program.text, value, context);
                // What follows an alias are the arguments of the subcommand that it means.
                let rest = args.get(subcommand_at(args) + 1..).unwrap_or_default();
                let mut command: Vec<Arg> =
                    program.text.split_whitespace().map(|word| value.part(word)).collect();
                command.extend(rest.iter().cloned());
                self.run(&command, context);
            }
            Runs::Address => {
                let text = program.text.replace("% ", "\0");
                let words = text.split_whitespace().map(|word| value.part(&word.replace('\0', " ")));
                let words: Vec<Arg> = words.chain([Arg::open()]).collect();
                self.run(&words, context);
            }
            Runs::Rest => {
                self.joined(&args[program.at..], &Context { dialect: Dialect::Posix, ..context.clone() });
            }
            Runs::Command => self.run(&args[program.at..], context),
            Runs::Git => {
                let command: Vec<Arg> =
                    std::iter::once(Arg::literal("git")).chain(args[program.at..].iter().cloned()).collect();
                self.run(&command, context);
            }
            Runs::Environment => self.git_environment(&program.text, value, context),
            Runs::Unknown => self.unknown(UnknownReason::ProgramText(value.raw.clone()), false),
        }
    }

    /// Handles a setting whose value is in a variable: each value that the line gives to it, or another one.
    fn git_environment(&mut self, pair: &str, value: &Arg, context: &Context) {
        let Some((key, variable)) = pair.rsplit_once('=') else { return };
        for text in self.values.of(variable).to_vec() {
            let pair = format!("{key}={text}");
            let value = Arg { dynamic: value.dynamic || text.contains(['$', '`']), ..value.part(&pair) };
            self.git(&[Arg::literal("git"), Arg::literal("-c"), value], context);
        }
        self.unknown(UnknownReason::ProgramText(value.raw.clone()), false);
    }
}

/// Returns the index of the last argument that an allow rule must spell out, since a program is named there.
pub(crate) fn named_at(args: &[Arg]) -> Option<usize> {
    let subcommand = subcommand_at(args);
    let is_clone = args.get(subcommand).is_some_and(|arg| arg.text == "clone");
    // `-c` is a setting before the subcommand, and of `clone`.
    let other = |program: &GitProgram| {
        !is_clone
            && program.option > subcommand
            && args.get(program.option).is_some_and(|arg| arg.text == "-c")
    };
    let mut left = MOST_ALIASES;
    let mut harmless = |program: &GitProgram| {
        is_filter(&program.text) || is_plain_alias(program, args, &mut left) || other(program)
    };
    let own = programs(args).into_iter().filter(|program| !harmless(program)).map(|program| program.option);
    let hidden = |pair: &[Arg]| pair[0].text == "-c" && pair[1].dynamic && !pair[1].text.contains('=');
    let settings = args.windows(2).rposition(hidden);
    let path = args.iter().position(|arg| arg.text.starts_with("--exec-path="));
    own.max().max(settings).max(path)
}

/// The maximum number of aliases of a command that are followed.
const MOST_ALIASES: u32 = 8;

/// Returns whether a setting is an alias for a subcommand, which runs no program with the arguments after it.
fn is_plain_alias(program: &GitProgram, args: &[Arg], left: &mut u32) -> bool {
    let name = program.text.strip_prefix("git ").filter(|_| program.runs == Runs::Words);
    if !name.is_some_and(|name| name.starts_with(char::is_alphabetic)) || *left == 0 {
        return false;
    }
    *left -= 1;
    let rest = args.get(subcommand_at(args) + 1..).unwrap_or_default();
    let words = program.text.split_whitespace().map(Arg::literal);
    let command: Vec<Arg> = words.chain(rest.iter().cloned()).collect();
    programs(&command).iter().all(|program| is_filter(&program.text))
}

/// Returns the indexes of the arguments that may become an option which names a program, each with whether it counts
/// unless the line gives all of its values: after the name of a subcommand that has such an option.
pub(crate) fn open_at(args: &[Arg]) -> Vec<(usize, bool)> {
    let subcommand = subcommand_at(args);
    let runs = args.get(subcommand).and_then(Arg::value).is_some_and(|name| RUNNERS.contains(&name));
    let named = |at: &usize| (*at <= subcommand || runs) && args[*at].could_be_option();
    let of_git = |at: &usize| *at < subcommand && TAKES_VALUE.contains(&args[*at - 1].text.as_str());
    let value = |at: &usize| of_git(at) && !args[*at].splits;
    let open = candidates("git", args).into_iter().filter(|at| named(at) && !value(at));
    open.map(|at| (at, at > subcommand)).collect()
}

/// Subcommands with an option that names a program.
const RUNNERS: &[&str] = &[
    "archive",
    "bisect",
    "clone",
    "difftool",
    "fetch",
    "fetch-pack",
    "filter-branch",
    "grep",
    "instaweb",
    "ls-remote",
    "pull",
    "push",
    "rebase",
    "send-email",
    "send-pack",
    "submodule",
];

/// Options of git itself whose value is the next argument.
pub(crate) const TAKES_VALUE: &[&str] = &[
    "-c",
    "-C",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--super-prefix",
    "--config-env",
    "--attr-source",
    "--shallow-file",
];

/// Returns the index of the subcommand, or of a word that may be the subcommand.
fn subcommand_at(args: &[Arg]) -> usize {
    let mut at = 1;
    while let Some(arg) = args.get(at).filter(|arg| arg.text.starts_with('-') || arg.could_be_option()) {
        at += if TAKES_VALUE.contains(&arg.text.as_str()) { 2 } else { 1 };
    }
    at
}
