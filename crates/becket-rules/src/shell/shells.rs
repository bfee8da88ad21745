//! Shells, whose program is the text after `-c`, a file, or the input (rule P6).

use super::arg::Arg;
use super::context::Context;
use super::dialect::Dialect;
use super::input::Input;
use super::modes;
use super::refusal::UnknownReason;
use super::walk::Walk;

/// The long options of bash, which it accepts with one dash or two, before all others; `:` marks a value.
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

/// A shell's options and operands, as far as they decide where its program is.
#[derive(Debug, Default, PartialEq, Eq)]
struct Invocation<'a> {
    /// The program in text, and the arguments after it.
    programs: Vec<Arg>,
    /// The first operand, if it is a file.
    file: Option<&'a Arg>,
    /// True if the program comes from the input.
    from_input: bool,
    interactive: bool,
    /// A file that is read before the program.
    startup: Option<&'a Arg>,
    /// Options that change how a program is read.
    modes: Option<&'a Arg>,
}

impl Walk {
    /// Handles a shell with its arguments.
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

    /// Handles an interactive shell: it repeats commands for `!`, and zsh has no comments there.
    fn interactive_input(&mut self, context: &Context) {
        let Input::Text(text, _) = &context.input else { return };
        let marks: &[char] = if context.dialect == Dialect::Zsh { &['!', '#', '^'] } else { &['!', '^'] };
        if text.contains(marks) {
            self.unknown(UnknownReason::History("!".to_owned()), false);
        }
    }

    /// Handles a shell's operand: a file, unless it names a descriptor or a pipe.
    pub(crate) fn script_file(&mut self, arg: &Arg, shell: &str, context: &Context) {
        let input = context.inputs().of_file(arg);
        self.bare_shell(shell, &Context { input, ..context.clone() });
    }

    /// Handles a shell that takes its program from its input (P6 c).
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

    /// Handles the shell that a program starts for a text (`system`), or for its user: `/bin/sh`, or the user's own.
    pub(crate) fn shell_text(&mut self, text: &str, dynamic: bool, context: &Context) {
        let context = Context { dialect: Dialect::Posix, ..context.clone() };
        self.program(text, dynamic, &context);
    }
}

/// Returns the index of the last option that makes a shell run commands again after `-n`, which only checks them.
pub(crate) fn executes_at(args: &[Arg]) -> Option<usize> {
    let options = args.iter().enumerate().skip(1).take_while(|(at, arg)| {
        let value = args[at - 1].text.starts_with(['-', '+']) && args[at - 1].text.ends_with(['o', 'O']);
        value || arg.text.starts_with(['-', '+'])
    });
    let executes = |(at, arg): &(usize, &Arg)| {
        let named = arg.text == "noexec" && args[at - 1].text.starts_with('+');
        named || (arg.text.starts_with('+') && arg.text.contains('n'))
    };
    options.filter(executes).last().map(|(at, _)| at)
}

/// Returns the ways in which a shell may read its arguments; an error is the argument that is known only at run time.
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

/// Parses arguments as bash does, and without its long options as dash and ash do. Letters count after `+` as after
/// `-`, and each `o` and `O` takes one of the arguments that follow.
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
        if takes_program && is_program(arg) {
            break;
        }
        let text = arg.value().ok_or(arg)?;
        if !text.starts_with(['-', '+']) {
            break;
        }
        at += 1;
        if text == "--" || text == "-" {
            break;
        }
        if text.starts_with("--") {
            // bash accepts its long options before all others; busybox has one without effect here.
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

/// Returns whether an argument after `-c` is the program, although run time completes it: `sh -c "cat $x"`.
fn is_program(arg: &Arg) -> bool {
    arg.dynamic && !arg.splits && !arg.could_start_with("-") && !arg.could_start_with("+")
}

/// Parses arguments as zsh and ksh do: `-o` takes the rest of its cluster (zsh), or else the next argument. With
/// `plus`, letters count after `+` as after `-`.
fn korn(args: &[Arg], attaches: bool, plus: bool) -> Result<Invocation<'_>, &Arg> {
    let mut invocation = Invocation::default();
    let (mut at, mut takes_program, mut takes_input) = (1, false, false);
    while let Some(arg) = args.get(at) {
        if takes_program && is_program(arg) {
            break;
        }
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

/// Parses arguments of shells whose options are not listed: a program may be attached, or be any later argument.
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
