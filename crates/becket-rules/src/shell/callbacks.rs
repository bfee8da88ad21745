//! Programs in the arguments of `find` and some builtins (rule P6).

use super::arg::Arg;
use super::context::Context;
use super::cursor::Parser;
use super::filled::substitute;
use super::options::Syntax;
use super::refusal::UnknownReason;
use super::walk::Walk;
use super::word::WordContext;
use super::wrapper_table::FIND_RUNS;

const MAPFILE: Syntax = Syntax { short: "C:c:d:n:O:s:tu:", long: "" };
const COMPLETE: Syntax = Syntax { short: "abcdefgjksuvDEIo:A:G:W:P:S:X:F:C:pr", long: "" };

/// Options of `fd` that run a command.
const FD_RUNS: &[&str] = &["-x", "-X", "--exec", "--exec-batch"];

impl Walk {
    /// Finds the commands of `find -exec`, `fd -x` and similar options.
    pub(crate) fn find_actions(&mut self, name: &str, args: &[Arg], context: &Context) {
        let is_find = matches!(name, "find" | "bfs");
        if args.iter().any(Arg::is_open) {
            self.unknown(UnknownReason::Arguments(name.to_owned()), false);
        }
        for (at, arg) in args.iter().enumerate().skip(1) {
            if self.is_full() {
                return self.unknown(UnknownReason::TooComplex, true);
            }
            let attached = match arg.text.as_str() {
                option if is_find && FIND_RUNS.contains(&option) => None,
                option if !is_find && FD_RUNS.contains(&option) => None,
                option if !is_find => match fd_attached(option) {
                    Some(text) => Some(arg.part(text)),
                    None => continue,
                },
                _ => continue,
            };
            let rest = &args[at + 1..];
            let mut command: Vec<Arg> = attached.into_iter().chain(action(rest).iter().cloned()).collect();
            if !is_find && !command.iter().any(|arg| arg.text.contains('{')) {
                command.push(Arg::open());
            }
            self.run(&substitute(&command, "{"), context);
        }
    }

    /// Finds the programs of builtins that run the value of `-C` (`mapfile`, `compgen`, `complete`) or `-x` (`bind`),
    /// or expand that of `-W`.
    pub(crate) fn callback(&mut self, name: &str, args: &[Arg], context: &Context) {
        let found = self.found();
        if name == "bind" {
            for (at, _) in args.iter().enumerate().filter(|(_, arg)| arg.text == "-x") {
                self.joined(args.get(at + 1..at + 2).unwrap_or_default(), context);
            }
            return self.mark_open(found);
        }
        let syntax = if matches!(name, "mapfile" | "readarray") { MAPFILE } else { COMPLETE };
        let options = syntax.read(args, 1);
        for program in options.values(&["C"]) {
            self.program(&program.text, program.dynamic, context);
        }
        self.mark_open(found);
        for words in options.values(&["W"]) {
            self.expanded(words, context);
        }
    }

    /// Records a text that is expanded once more.
    fn expanded(&mut self, arg: &Arg, context: &Context) {
        if arg.dynamic {
            self.unknown(UnknownReason::ProgramText(arg.raw.clone()), false);
        }
        match Parser::new(&arg.text, context.depth).word_in(WordContext::Document) {
            Ok(word) => self.words(std::slice::from_ref(&word), context),
            Err(reason) => self.unknown(reason, false),
        }
    }
}

/// Returns the command of an action: up to `;`, or up to `+` after `{}`.
fn action(args: &[Arg]) -> &[Arg] {
    let ends =
        |at: usize, arg: &Arg| arg.text == ";" || (arg.text == "+" && at > 0 && args[at - 1].text == "{}");
    let end = args.iter().enumerate().position(|(at, arg)| ends(at, arg)).unwrap_or(args.len());
    &args[..end]
}

/// Returns the first word of the command, attached to an option of `fd`.
fn fd_attached(option: &str) -> Option<&str> {
    let long = option.strip_prefix("--exec-batch=").or_else(|| option.strip_prefix("--exec="));
    long.or_else(|| {
        if option.starts_with("--") { None } else { option.split_once(['x', 'X']).map(|(_, text)| text) }
    })
    .filter(|text| option.starts_with('-') && !text.is_empty())
}
