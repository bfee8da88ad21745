//! Looking through a command: wrappers, shells, and builtins that take a program as text (rules P5 and P6).

use super::arg::Arg;
use super::refusal::UnknownReason;
use super::walk::{Context, Input, Walk, is_descriptor_path};
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
    fn run(&mut self, args: &[Arg], context: &Context) {
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

    fn shell(&mut self, args: &[Arg], context: &Context) {
        let name = args[0].text.clone();
        let (mut at, mut takes_program, mut from_input) = (1, false, false);
        while let Some(arg) = args.get(at) {
            let Some(option) = arg.value() else {
                return self.unknown(UnknownReason::ProgramText(arg.raw.clone()), false);
            };
            if option == "--" || option == "-" {
                at += 1;
                break;
            }
            if !option.starts_with(['-', '+']) {
                break;
            }
            at += 1;
            if let Some(long) = option.strip_prefix("--") {
                at += usize::from(matches!(long, "rcfile" | "init-file"));
                let startup =
                    matches!(long, "rcfile" | "init-file") && args.get(at - 1).is_some_and(|arg| arg.dynamic);
                if startup {
                    self.unknown(UnknownReason::ProgramFromInput(name.clone()), false);
                }
                continue;
            }
            takes_program |= option.starts_with('-') && option.contains('c');
            from_input |= option.starts_with('-') && option.contains('s');
            at += option.chars().filter(|letter| matches!(letter, 'o' | 'O')).count();
        }
        match (args.get(at), takes_program) {
            (Some(arg), true) => self.program(&arg.text, arg.dynamic, context),
            (Some(arg), false) if !from_input => self.script_file(arg, &name, context),
            (Some(_) | None, _) => self.bare_shell(&name, context),
        }
    }

    /// A shell's operand: a file, unless it names a descriptor or a pipe.
    fn script_file(&mut self, arg: &Arg, shell: &str, context: &Context) {
        match arg.value() {
            Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-") => self.bare_shell(shell, context),
            Some(path) if !is_descriptor_path(path) => {}
            Some(_) | None => self.unknown(UnknownReason::ProgramFromInput(shell.to_owned()), false),
        }
    }

    /// A shell that takes its program from its input (P6 c).
    fn bare_shell(&mut self, shell: &str, context: &Context) {
        match &context.input {
            Input::Line => {
                self.shell_on_input.get_or_insert_with(|| shell.to_owned());
            }
            Input::File => {}
            Input::Text(text, dynamic) => self.program(&text.clone(), *dynamic, context),
            Input::Opaque => self.unknown(UnknownReason::ProgramFromInput(shell.to_owned()), false),
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

    fn xargs(&mut self, options: &[Arg], rest: &[Arg], context: &Context) {
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
    fn split_string(&mut self, args: &[Arg], context: &Context) {
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
fn substitute(args: &[Arg], mark: &str) -> Vec<Arg> {
    let filled = |arg: &Arg| {
        let filled = arg.text.contains(mark);
        Arg { dynamic: arg.dynamic || filled, open: arg.open || filled, ..arg.clone() }
    };
    args.iter().map(filled).collect()
}
