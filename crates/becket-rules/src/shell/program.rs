//! Looking through a command: wrappers, shells, and builtins that take a program as text (rules P5 and P6).

use super::arg::Arg;
use super::filled::substitute;
use super::refusal::UnknownReason;
use super::walk::{Context, Walk};
use super::wrapper::{self, is_assignment};
use super::wrapper_table::{EVALUATORS, FIND_RUNS, SETTERS, SHELLS, STARTUP_VARIABLES, WIDE};

impl Walk {
    /// Finds the commands that a command runs.
    pub(crate) fn look_through(&mut self, args: &[Arg], context: &Context) {
        let Some(name) = args.first().and_then(Arg::command_name).map(str::to_owned) else {
            // `$X git push` runs `git push` where `$X` is empty.
            return;
        };
        self.note_effects(&name, args);
        let inner = context.through(&name);
        match name.as_str() {
            shell if SHELLS.contains(&shell) => self.shell(args, &inner),
            "eval" => self.joined(&args[1..], &inner),
            "trap" => self.trap(args, &inner),
            "alias" => self.alias(args, context),
            "hash" | "enable" if args.len() > 1 => self.redefinition(args, context),
            "source" | "." => self.source(args, &inner),
            "su" | "runuser" | "script" => self.dash_c(args, &inner),
            "find" | "fd" | "fdfind" => self.find_actions(args, &inner),
            "mapfile" | "readarray" | "compgen" | "complete" | "bind" => self.callback(args, &inner),
            "command" if asks_only(args) => {}
            wide if WIDE.contains(&wide) => self.every_word(&args[1..], &inner),
            _ => self.wrapped(&name, args, &inner),
        }
    }

    fn note_effects(&mut self, name: &str, args: &[Arg]) {
        self.moves |= match name {
            "cd" | "pushd" | "popd" | "chroot" => true,
            "env" => args
                .iter()
                .any(|arg| arg.dynamic || names_letter(&arg.text, &['C']) || arg.text.starts_with("--c")),
            "sudo" => {
                args.iter().any(|arg| names_letter(&arg.text, &['D', 'i', 'R']) || arg.text.starts_with("--"))
            }
            _ => false,
        };
        if EVALUATORS.contains(&name) {
            self.evaluates.get_or_insert_with(|| name.to_owned());
        }
        let names_startup = |arg: &&Arg| {
            let variable = arg.text.split(['=', '+']).next().unwrap_or_default();
            STARTUP_VARIABLES.contains(&variable) || variable.starts_with("BASH_FUNC_")
        };
        if let Some(arg) = args.iter().skip(1).find(names_startup).filter(|_| SETTERS.contains(&name)) {
            self.unknown(UnknownReason::Redefinition(arg.raw.clone()), false);
        }
    }

    /// A wrapper of the table, or nothing.
    fn wrapped(&mut self, name: &str, args: &[Arg], context: &Context) {
        let Some(entry) = wrapper::lookup(name) else { return };
        if name == "env" {
            self.split_string(args, context);
        }
        let found = entry.locate(args);
        let rest = &args[found.start..];
        if !found.certain {
            if let Some(arg) = rest.first().filter(|arg| arg.dynamic) {
                self.unknown(UnknownReason::CommandWord(arg.raw.clone()), false);
            }
            return self.every_word(&args[1..], context);
        }
        match name {
            "xargs" => self.xargs(&args[1..found.start], rest, context),
            "watch" => {
                self.joined(rest, context);
                self.run(rest, context);
            }
            "flock"
                if rest
                    .first()
                    .and_then(Arg::value)
                    .is_some_and(|text| text == "-c" || text == "--command") =>
            {
                self.joined(rest.get(1..2).unwrap_or_default(), context);
            }
            "sudo" | "doas" if args[1..found.start].iter().any(asks_for_shell) => {
                self.joined(rest, context);
                self.run(rest, context);
            }
            _ => self.run(rest, context),
        }
        if rest.is_empty() && matches!(name, "sudo" | "doas") && args.len() > 1 {
            self.bare_shell(name, context);
        }
    }

    /// A command made of arguments.
    pub(crate) fn run(&mut self, args: &[Arg], context: &Context) {
        if self.is_full() {
            return self.unknown(UnknownReason::TooComplex, true);
        }
        if !args.is_empty() {
            let raw: Vec<&str> = args.iter().map(|arg| arg.raw.as_str()).collect();
            self.command(args, &raw.join(" "), &[], context);
        }
    }

    /// Where the start can't be told: each word is tried.
    fn every_word(&mut self, args: &[Arg], context: &Context) {
        for (at, arg) in args.iter().enumerate() {
            if !arg.text.starts_with('-') && !is_assignment(&arg.text) {
                self.run(&args[at..], context);
            }
            if self.is_full() {
                break;
            }
        }
    }

    /// Arguments that are joined and read as a program (`eval`, `watch`).
    fn joined(&mut self, args: &[Arg], context: &Context) {
        let text: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        if !text.is_empty() {
            self.program(&text.join(" "), args.iter().any(|arg| arg.dynamic || arg.glob), context);
        }
    }

    fn source(&mut self, args: &[Arg], context: &Context) {
        let operand = args[1..].iter().find(|arg| arg.text != "--");
        if let Some(arg) = operand {
            self.script_file(arg, "source", context);
        }
    }

    fn trap(&mut self, args: &[Arg], context: &Context) {
        let mut operands = args[1..].iter().filter(|arg| arg.text != "--");
        if let (Some(action), Some(_)) = (operands.next(), operands.next()) {
            self.joined(std::slice::from_ref(action), context);
        }
    }

    /// `alias name=text`: later words mean something else.
    fn alias(&mut self, args: &[Arg], context: &Context) {
        for arg in &args[1..] {
            if let Some((_, text)) = arg.text.split_once('=') {
                self.unknown(UnknownReason::Redefinition(arg.raw.clone()), context.direct);
                self.program(text, arg.dynamic, &context.through("alias"));
            }
        }
    }

    fn redefinition(&mut self, args: &[Arg], context: &Context) {
        let loads = args
            .iter()
            .any(|arg| arg.dynamic || (arg.text.starts_with('-') && arg.text.contains(['p', 'f'])));
        if loads {
            self.unknown(UnknownReason::Redefinition(args[0].raw.clone()), context.direct);
        }
    }

    /// `su -c text`, wherever the option stands. Without it, what follows the user goes to a shell.
    fn dash_c(&mut self, args: &[Arg], context: &Context) {
        for (at, arg) in args.iter().enumerate().skip(1) {
            let attached = arg.text.strip_prefix("--command=").or_else(|| arg.text.strip_prefix("-c"));
            match attached {
                Some(text) if !text.is_empty() => self.program(text, arg.dynamic, context),
                _ if takes_command(&arg.text) => {
                    self.joined(args.get(at + 1..at + 2).unwrap_or_default(), context)
                }
                _ => {}
            }
        }
        self.every_word(&args[1..], context);
        if !args.iter().any(|arg| takes_command(&arg.text) || arg.text.starts_with("--command=")) {
            self.bare_shell(&args[0].text, context);
        }
    }

    fn find_actions(&mut self, args: &[Arg], context: &Context) {
        let starts = |arg: &Arg| {
            let option = arg.text.as_str();
            FIND_RUNS.contains(&option) || matches!(option, "-x" | "-X" | "--exec" | "--exec-batch")
        };
        for (at, _) in args.iter().enumerate().filter(|(_, arg)| starts(arg)) {
            if self.is_full() {
                return self.unknown(UnknownReason::TooComplex, true);
            }
            let rest = &args[at + 1..];
            let end = rest.iter().position(|arg| arg.text == ";" || arg.text == "+").unwrap_or(rest.len());
            let found = self.found();
            self.run(&substitute(&rest[..end], "{}"), context);
            if args[0].command_name() != Some("find") {
                self.mark_open(found);
            }
        }
    }

    /// Builtins that run the value of `-C` (`mapfile`, `compgen`, `complete`) or `-x` (`bind`).
    fn callback(&mut self, args: &[Arg], context: &Context) {
        let found = self.found();
        for (at, arg) in args.iter().enumerate().skip(1) {
            let value = ["-C", "-x", "-F"].iter().find_map(|option| arg.text.strip_prefix(option));
            match value {
                Some("") => self.joined(args.get(at + 1..at + 2).unwrap_or_default(), context),
                Some(text) => self.program(text, arg.dynamic, context),
                None => {}
            }
        }
        self.mark_open(found);
    }
}

/// `command -v` and `-V` run nothing.
fn asks_only(args: &[Arg]) -> bool {
    let options = args
        .iter()
        .skip(1)
        .map_while(|arg| arg.value().filter(|text| text.starts_with('-') && *text != "--"));
    options.into_iter().any(|text| text.contains(['v', 'V']))
}

/// One of the letters in a cluster of short options.
fn names_letter(text: &str, letters: &[char]) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letters)
}

fn asks_for_shell(arg: &Arg) -> bool {
    let short = arg.text.starts_with('-') && !arg.text.starts_with("--") && arg.text.contains(['s', 'i']);
    short || matches!(arg.text.as_str(), "--shell" | "--login")
}

fn takes_command(text: &str) -> bool {
    text == "--command"
        || text == "--session-command"
        || (text.starts_with('-') && !text.starts_with("--") && text.ends_with('c'))
}
