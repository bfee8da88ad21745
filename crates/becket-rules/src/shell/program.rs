//! Analysis of commands that run others: wrappers, shells, and builtins that take a program as text (rules P5 and P6).

use super::arg::Arg;
use super::context::Context;
use super::dialect::Dialect;
use super::file_use::{sed_script_files, sed_scripts};
use super::input::Input;
use super::launchers::option_value;
use super::options::Syntax;
use super::pattern::normalise;
use super::refusal::UnknownReason;
use super::sed::SedScript;
use super::unversioned::unversioned;
use super::variables::{self, sets_variables};
use super::walk::Walk;
use super::wrapper::{self, is_assignment};
use super::wrapper_table::{EVALUATORS, PREFIXED, TAKES_INPUT, WIDE, WIDE_SHELL, WIDE_TEXT};

/// The options of `at` and `crontab` that decide where the program comes from.
const TIMED: Syntax = Syntax { short: "bcdef:ilMmq:rt:u:vV", long: "" };

impl Walk {
    /// Finds the commands that a command runs.
    pub(crate) fn look_through(&mut self, args: &[Arg], context: &Context) {
        let Some(name) = args.first().and_then(Arg::command_name).map(own_name).map(str::to_owned) else {
            // `$X git push` runs `git push` if `$X` is empty.
            return;
        };
        self.note_effects(&name, args, context.direct);
        let inner = context.through(&name);
        if sets_variables(&name) {
            self.program_variables(&args[1..], context);
        }
        self.option_programs(&name, args, &inner);
        if let Some(dialect) = Dialect::of(&name) {
            return self.shell(args, dialect, &inner);
        }
        match name.as_str() {
            "eval" => self.eval(args, &inner),
            "trap" => self.trap(args, &inner),
            "alias" => self.alias(args, context),
            "hash" | "enable" if args.len() > 1 => self.redefinition(args, context),
            "source" | "." => self.source(args, &inner),
            "find" | "bfs" | "fd" | "fdfind" => self.find_actions(&name, args, &inner),
            "mapfile" | "readarray" | "compgen" | "complete" | "bind" => self.callback(&name, args, &inner),
            "git" => self.git(args, &inner),
            "sed" | "gsed" => self.sed(args, &inner),
            "command" if asks_only(args) => {}
            _ if self.launch(&name, args, &inner) => {}
            _ if TAKES_INPUT.contains(&name.as_str()) => self.takes_input(&name, args, &inner),
            // The short names of commands of tmux.
            "run" | "popup" if context.via.as_deref() == Some("tmux") => self.wide("run-shell", args, &inner),
            wide if is_wide(wide) => self.wide(wide, args, &inner),
            _ => self.wrapped(&name, args, &inner),
        }
    }

    fn note_effects(&mut self, name: &str, args: &[Arg], direct: bool) {
        self.note_modes(name, args, direct);
        self.note_variables(name, args, direct);
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
        if EVALUATORS.contains(&name) && evaluates(name, &args[1..]) {
            self.evaluates.get_or_insert_with(|| name.to_owned());
        }
    }

    /// Handles a wrapper of the table; ignores other commands.
    fn wrapped(&mut self, name: &str, args: &[Arg], context: &Context) {
        let Some(entry) = wrapper::lookup(name) else { return };
        let found = entry.locate(args);
        let options = &found.options;
        let rest = &args[found.start..];
        if name == "env" {
            self.split_string(options, args, context);
        }
        let of_system = &Context { dialect: Dialect::Posix, ..context.clone() };
        let starts_shell = match name {
            "sudo" | "doas" => options.has(&["s", "i", "shell", "login"]),
            _ => entry.shell,
        };
        if starts_shell && (rest.is_empty() || !options.certain) {
            self.bare_shell(name, of_system);
        }
        if !options.certain {
            if let Some(arg) = rest.first().filter(|arg| arg.dynamic) {
                self.unknown_start(arg, false);
            }
            return self.every_word(&args[1..], context);
        }
        let takes_text = |arg: &Arg| matches!(arg.value(), Some("-c" | "--command"));
        match name {
            "xargs" => self.xargs(options, rest, context),
            "flock" if rest.first().is_some_and(takes_text) => {
                self.joined(rest.get(1..2).unwrap_or_default(), of_system);
            }
            "watch" => {
                self.joined(rest, of_system);
                self.run(rest, context);
            }
            "sudo" | "doas" if starts_shell => {
                self.joined(rest, of_system);
                self.run(rest, context);
            }
            _ => self.run(rest, context),
        }
    }

    /// Handles a wrapper whose options are not listed.
    fn wide(&mut self, name: &str, args: &[Arg], context: &Context) {
        for (at, arg) in args.iter().enumerate().skip(1) {
            if let Some(value) = option_value(&arg.text).filter(|_| !self.is_full()) {
                let command: Vec<Arg> =
                    std::iter::once(arg.part(value)).chain(args[at + 1..].iter().cloned()).collect();
                self.run(&command, context);
            }
        }
        if WIDE_TEXT.contains(&name) {
            self.every_part(&args[1..], context);
        } else {
            self.every_word(&args[1..], context);
        }
        let operands = args.iter().skip(1).filter(|arg| !arg.text.starts_with('-')).count();
        // The first operand of these is a group.
        let bare = operands <= usize::from(matches!(name, "sg" | "newgrp"));
        if WIDE_SHELL.contains(&name) && (bare || matches!(context.input, Input::Text(..))) {
            self.bare_shell(name, &Context { dialect: Dialect::Posix, ..context.clone() });
        }
    }

    /// Handles `at`, `batch` and `crontab`, which run their input later, unless they only list or remove.
    fn takes_input(&mut self, name: &str, args: &[Arg], context: &Context) {
        let context = &Context { dialect: Dialect::Posix, ..context.clone() };
        let options = TIMED.read(args, 1);
        if options.has(&["l", "r", "d", "c", "e", "V"]) {
            return;
        }
        let operand = args.get(options.operand).filter(|_| name == "crontab");
        match options.values(&["f"]).chain(operand).next() {
            Some(file) => self.script_file(file, name, context),
            None => self.bare_shell(name, context),
        }
    }

    /// Records a word that may become the start of a command at run time.
    pub(crate) fn unknown_start(&mut self, arg: &Arg, direct: bool) {
        let word = if arg.is_open() { "…" } else { &arg.raw };
        self.unknown(UnknownReason::CommandWord(word.to_owned()), direct);
    }

    /// Handles a command made of arguments.
    pub(crate) fn run(&mut self, args: &[Arg], context: &Context) {
        if self.is_full() {
            return self.unknown(UnknownReason::TooComplex, true);
        }
        if args.first().is_some_and(Arg::is_open) {
            return self.unknown_start(&args[0], false);
        }
        if !args.is_empty() {
            let raw: Vec<&str> = args.iter().map(|arg| arg.raw.as_str()).collect();
            self.command(args, &raw.join(" "), &[], context);
        }
    }

    /// Tries each word as the start of a command, for a start that is unknown.
    pub(crate) fn every_word(&mut self, args: &[Arg], context: &Context) {
        for (at, arg) in args.iter().enumerate() {
            if !arg.text.starts_with('-') && !is_assignment(&arg.text) {
                self.run(&args[at..], context);
            }
            if self.is_full() {
                break;
            }
        }
    }

    /// Handles arguments that are joined and parsed as a program (`eval`, `watch`).
    pub(crate) fn joined(&mut self, args: &[Arg], context: &Context) {
        let text: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        if !text.is_empty() {
            self.program(&text.join(" "), args.iter().any(|arg| arg.dynamic || arg.glob), context);
        }
    }

    fn eval(&mut self, args: &[Arg], context: &Context) {
        let options = usize::from(args.get(1).is_some_and(|arg| arg.text == "--"));
        self.joined(&args[1 + options..], context);
    }

    fn source(&mut self, args: &[Arg], context: &Context) {
        let operand = args[1..].iter().find(|arg| arg.text != "--");
        if let Some(arg) = operand {
            self.script_file(arg, "source", context);
        }
    }

    /// Handles `sed '1e program'`, `s///e`, which runs its pattern space, and scripts in the input.
    fn sed(&mut self, args: &[Arg], context: &Context) {
        // The `sed` of busybox has no `e`.
        if matches!(context.via.as_deref(), Some("busybox" | "toybox")) {
            return;
        }
        for arg in sed_scripts(args) {
            self.sed_script(&arg.text, false, &arg.raw, context);
        }
        for file in sed_script_files(args) {
            match context.inputs().of_file(&file) {
                Input::File => {}
                Input::Line => {
                    self.shell_on_input.get_or_insert_with(|| "sed".to_owned());
                }
                Input::Text(text, dynamic) => self.sed_script(&text, dynamic, &text, context),
                Input::Opaque => self.unknown(UnknownReason::ProgramFromInput("sed".to_owned()), false),
            }
        }
    }

    fn sed_script(&mut self, text: &str, dynamic: bool, raw: &str, context: &Context) {
        let script = SedScript::read(text);
        for text in script.programs.iter().filter(|text| !text.is_empty()) {
            self.shell_text(text, false, context);
        }
        if dynamic || script.unread || script.programs.iter().any(String::is_empty) {
            self.unknown(UnknownReason::ProgramText(normalise(raw)), false);
        }
    }

    fn trap(&mut self, args: &[Arg], context: &Context) {
        let mut operands = args[1..].iter().filter(|arg| arg.text != "--");
        if let (Some(action), Some(_)) = (operands.next(), operands.next()) {
            self.joined(std::slice::from_ref(action), context);
        }
    }

    /// Handles `alias name=text`: later words mean something else.
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
}

/// Returns whether the purpose of a command is to run other ones: a shell, an interpreter, a wrapper. A rule that
/// begins with a `*` does not cover it.
pub(crate) fn runs_others(name: &str) -> bool {
    let name = own_name(name);
    let interpreter = unversioned(name);
    Dialect::of(name).is_some()
        || INTERPRETERS.contains(&interpreter)
        || LAUNCHERS.contains(&name)
        || is_wide(name)
        || wrapper::lookup(name).is_some()
}

/// Commands that run a program in another language.
const INTERPRETERS: &[&str] = &[
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "python",
    "perl",
    "ruby",
    "node",
    "php",
    "lua",
    "tclsh",
    "expect",
    "gdb",
    "Rscript",
    "bun",
    "deno",
    "luajit",
    "nodejs",
    "osascript",
    "powershell",
    "pwsh",
    "pypy",
];

/// Programs that type their arguments, or those of an option, into a terminal.
const TERMINALS: &[&str] = &["screen", "script", "tmux"];

/// Returns whether a command runs the code, or types the keys, in its arguments.
pub(crate) fn runs_code(name: &str) -> bool {
    INTERPRETERS.contains(&unversioned(own_name(name))) || TERMINALS.contains(&name)
}

/// Builtins and programs that run their arguments, or the files that these name.
const LAUNCHERS: &[&str] = &[
    "eval", "source", ".", "trap", "su", "runuser", "script", "parallel", "sem", "ssh", "make", "socat",
    "npx", "ip", "direnv",
];

/// Returns whether a builtin that may evaluate text as arithmetic does so with these arguments: a subscript, an integer
/// variable, `-v` of `test`, or an argument known only at run time.
fn evaluates(name: &str, args: &[Arg]) -> bool {
    let indexed = |arg: &Arg| arg.dynamic || arg.raw.contains('[');
    match name {
        "let" => true,
        "test" | "[" => tests_variable(args),
        "printf" => args.first().is_some_and(|arg| arg.dynamic || arg.text.starts_with("-v")),
        "declare" | "typeset" | "local" | "export" | "readonly" => {
            let integer = |arg: &Arg| names_letter(&arg.text, &['i', 'n']);
            // An array parses a text in parentheses as a line does.
            let compound = |arg: &Arg| arg.text.contains("=(");
            let evaluated = |arg: &Arg| arg.raw.contains('[') || integer(arg) || compound(arg);
            args.iter().any(|arg| evaluated(arg) || variables::hides_name(arg))
        }
        _ => args.iter().any(indexed),
    }
}

/// Returns whether `test` may be given `-v` or `-R`: written out, or if the operator is known only at run time.
fn tests_variable(args: &[Arg]) -> bool {
    let args = args.strip_suffix(&[Arg::literal("]")]).unwrap_or(args);
    let joins = |arg: &Arg| matches!(arg.text.as_str(), "!" | "-a" | "-o" | "(");
    args.iter().enumerate().any(|(at, arg)| match (arg.value(), args.get(at + 1)) {
        (Some(text), _) => matches!(text, "-v" | "-R"),
        _ if at > 0 && !joins(&args[at - 1]) => false,
        (None, Some(next)) => !COMPARISONS.contains(&next.text.as_str()),
        (None, None) => arg.splits,
    })
}

/// The binary operators of `test`.
const COMPARISONS: &[&str] =
    &["=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef", "-a", "-o"];

/// Returns whether `command` has `-v` or `-V`, which run nothing.
fn asks_only(args: &[Arg]) -> bool {
    let options = args
        .iter()
        .skip(1)
        .map_while(|arg| arg.value().filter(|text| text.starts_with('-') && *text != "--"));
    options.into_iter().any(|text| text.contains(['v', 'V']))
}

/// Returns whether one of the letters is in a cluster of short options.
fn names_letter(text: &str, letters: &[char]) -> bool {
    text.starts_with('-') && !text.starts_with("--") && text.contains(letters)
}

/// Returns the usual name of a command: GNU programs are also installed with a leading `g`.
fn own_name(name: &str) -> &str {
    name.strip_prefix('g').filter(|rest| PREFIXED.contains(rest)).unwrap_or(name)
}

/// Returns whether a command is a wrapper whose options are not listed, or a version of one.
fn is_wide(name: &str) -> bool {
    WIDE.contains(&name) || WIDE.contains(&unversioned(name)) || is_loader(name)
}

/// Returns whether a command is the loader of programs, or an emulator: it runs the program that is its operand.
fn is_loader(name: &str) -> bool {
    (name.starts_with("ld") && name.contains(".so"))
        || name.starts_with("ld-musl-")
        || name.starts_with("qemu-")
}
