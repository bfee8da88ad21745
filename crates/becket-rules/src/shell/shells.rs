//! Shells: the program is the text after `-c`, a file, or the input (rule P6).

use super::arg::Arg;
use super::context::Context;
use super::dialect::Dialect;
use super::input::Input;
use super::modes;
use super::refusal::UnknownReason;
use super::walk::Walk;

/// bash's own long options, which it takes with one dash or two, in front of all others; `:` marks a value.
const BASH_LONG: &[&str] = &[
    "debug",
    "debugger",
    "dump-po-strings",
    "dump-strings",
    "help",
    "init-file:",
    "login",
    "noediting",
    "noprofile",
    "norc",
    "posix",
    "pretty-print",
    "protected",
    "rcfile:",
    "restricted",
    "verbose",
    "version",
    "wordexp",
];

/// A shell's options and operands, as they decide where its program is.
#[derive(Debug, Default, PartialEq, Eq)]
struct Invocation<'a> {
    /// The program in text, and what follows it.
    programs: Vec<Arg>,
    /// The first operand, if it is a file.
    file: Option<&'a Arg>,
    /// The program comes from the input.
    from_input: bool,
    interactive: bool,
    /// A file that is read before the program.
    startup: Option<&'a Arg>,
    /// Options that change how a program is read.
    modes: Option<&'a Arg>,
}

impl Walk {
    /// A shell with its arguments.
    pub(crate) fn shell(&mut self, args: &[Arg], dialect: Dialect, context: &Context) {
        let name = args[0].command_name().unwrap_or_default().to_owned();
        let inner = Context { dialect, ..context.clone() };
        for invocation in invocations(&name, dialect, args) {
            match invocation {
                Ok(invocation) => self.start_shell(&invocation, &name, &inner),
                Err(arg) => self.unknown(UnknownReason::ProgramText(arg.raw.clone()), false),
            }
        }
    }

    fn start_shell(&mut self, invocation: &Invocation<'_>, name: &str, context: &Context) {
        if let Some(arg) = invocation.modes {
            self.unknown(UnknownReason::Mode(arg.raw.clone()), false);
        }
        if let Some(arg) = invocation.startup {
            self.script_file(arg, name, context);
        }
        for program in &invocation.programs {
            self.program(&program.text, program.dynamic, context);
        }
        if let Some(arg) = invocation.file {
            self.script_file(arg, name, context);
        }
        if invocation.from_input {
            self.bare_shell(name, context);
            if invocation.interactive {
                self.interactive_input(context);
            }
        }
    }

    /// An interactive shell repeats commands for `!`, and zsh has no comments there.
    fn interactive_input(&mut self, context: &Context) {
        let Input::Text(text, _) = &context.input else { return };
        let marks: &[char] = if context.dialect == Dialect::Zsh { &['!', '#', '^'] } else { &['!', '^'] };
        if text.contains(marks) {
            self.unknown(UnknownReason::History("!".to_owned()), false);
        }
    }

    /// A shell's operand: a file, unless it names a descriptor or a pipe.
    pub(crate) fn script_file(&mut self, arg: &Arg, shell: &str, context: &Context) {
        let input = context.inputs().of_file(arg);
        self.bare_shell(shell, &Context { input, ..context.clone() });
    }

    /// A shell that takes its program from its input (P6 c).
    pub(crate) fn bare_shell(&mut self, shell: &str, context: &Context) {
        match &context.input {
            Input::Line => {
                self.shell_on_input.get_or_insert_with(|| shell.to_owned());
            }
            Input::File => {}
            Input::Text(text, dynamic) => self.program(&text.clone(), *dynamic, context),
            Input::Opaque => self.unknown(UnknownReason::ProgramFromInput(shell.to_owned()), false),
        }
    }

    /// The shell that a program starts for a text (`system`), or for its user: `/bin/sh`, or the user's own.
    pub(crate) fn shell_text(&mut self, text: &str, dynamic: bool, context: &Context) {
        let context = Context { dialect: Dialect::Posix, ..context.clone() };
        self.program(text, dynamic, &context);
    }
}

/// The ways in which a shell may read its arguments; an error holds the argument that is known only at run time.
fn invocations<'a>(name: &str, dialect: Dialect, args: &'a [Arg]) -> Vec<Result<Invocation<'a>, &'a Arg>> {
    match dialect {
        Dialect::Bash => vec![bash(args, true)],
        // `sh` may be bash.
        Dialect::Posix if name == "sh" => {
            let (own, as_bash) = (bash(args, false), bash(args, true));
            if own == as_bash { vec![own] } else { vec![own, as_bash] }
        }
        Dialect::Posix if name == "yash" => vec![loose(args)],
        Dialect::Posix => vec![bash(args, false)],
        Dialect::Zsh => vec![korn(args, true, true)],
        Dialect::Korn => vec![korn(args, false, !name.starts_with(['m', 'l', 'o']))],
        Dialect::Foreign => vec![loose(args)],
    }
}

/// bash's reading, and without its long options that of dash and ash. Letters count behind `+` as behind `-`, and each
/// `o` and `O` takes one of the arguments that follow.
fn bash(args: &[Arg], long: bool) -> Result<Invocation<'_>, &Arg> {
    let mut invocation = Invocation::default();
    let (mut at, mut takes_program, mut takes_input) = (1, false, false);
    while let (true, Some(text)) = (long, args.get(at).and_then(Arg::value)) {
        let Some(typed) = text.strip_prefix("--").or_else(|| text.strip_prefix('-')) else { break };
        let Some(entry) = BASH_LONG.iter().find(|entry| entry.trim_end_matches(':') == typed) else { break };
        at += 1;
        if entry.ends_with(':') {
            invocation.startup = args.get(at);
            at += 1;
        }
    }
    while let Some(arg) = args.get(at) {
        let text = arg.value().ok_or(arg)?;
        if !text.starts_with(['-', '+']) {
            break;
        }
        at += 1;
        if text == "--" || text == "-" {
            break;
        }
        if text.starts_with("--") {
            // bash takes its long options in front of all others; busybox has one that changes nothing here.
            if long {
                return Ok(Invocation::default());
            }
            continue;
        }
        let on = text.starts_with('-');
        for letter in text.chars().skip(1) {
            takes_program |= letter == 'c';
            takes_input |= letter == 's';
            invocation.interactive |= letter == 'i';
            if matches!(letter, 'o' | 'O') {
                let value = args.get(at);
                at += 1;
                invocation.modes = invocation.modes.or(value.filter(|value| modes::changes(value, on)));
            } else if on && modes::is_letter(letter) {
                invocation.modes = Some(arg);
            }
        }
    }
    invocation.start(args.get(at), takes_program, takes_input);
    Ok(invocation)
}

/// zsh's and ksh's reading: `-o` takes the rest of its cluster (zsh), or else the next argument. `plus`: letters count
/// behind `+` as behind `-`.
fn korn(args: &[Arg], attaches: bool, plus: bool) -> Result<Invocation<'_>, &Arg> {
    let mut invocation = Invocation::default();
    let (mut at, mut takes_program, mut takes_input) = (1, false, false);
    while let Some(arg) = args.get(at) {
        let text = arg.value().ok_or(arg)?;
        if !text.starts_with(['-', '+']) {
            break;
        }
        at += 1;
        if let Some(name) = text.strip_prefix("--") {
            if name.is_empty() {
                break;
            }
            invocation.modes = Some(arg);
            at += usize::from(name == "emulate");
            continue;
        }
        let counts = plus || text.starts_with('-');
        let cluster = text.get(1..).unwrap_or_default();
        let known = cluster.find('o').filter(|_| attaches).map_or(cluster, |end| &cluster[..=end]);
        takes_program |= counts && known.contains('c');
        takes_input |= counts && known.contains('s');
        invocation.interactive |= counts && known.contains('i');
        at += usize::from(cluster.ends_with('o') && known.len() == cluster.len());
        if text == "-" || (attaches && known.contains('b')) {
            break;
        }
    }
    invocation.start(args.get(at), takes_program, takes_input);
    Ok(invocation)
}

/// Shells whose options are not listed: a program may be attached, and may be any later argument.
fn loose(args: &[Arg]) -> Result<Invocation<'_>, &Arg> {
    let mut invocation = Invocation::default();
    let option = |arg: &&Arg| arg.text.starts_with('-');
    let takes_program = args.iter().skip(1).filter(option).any(|arg| arg.text.contains(['c', 'C']));
    let operands: Vec<&Arg> = args.iter().skip(1).filter(|arg| !arg.text.starts_with('-')).collect();
    if takes_program {
        let attached = |arg: &Arg| {
            let mark: &[char] = if arg.text.starts_with("--") { &['='] } else { &['c', 'C'] };
            arg.text.split_once(mark).map(|(_, text)| arg.part(text))
        };
        invocation.programs = args.iter().skip(1).filter(option).filter_map(attached).collect();
        invocation.programs.extend(operands.into_iter().cloned());
    } else {
        invocation.start(operands.first().copied(), false, false);
    }
    Ok(invocation)
}

impl<'a> Invocation<'a> {
    fn start(&mut self, operand: Option<&'a Arg>, takes_program: bool, takes_input: bool) {
        match (operand, takes_program) {
            (Some(arg), true) => self.programs = vec![arg.clone()],
            (Some(arg), false) if !takes_input => self.file = Some(arg),
            (Some(_) | None, _) => self.from_input = true,
        }
    }
}
