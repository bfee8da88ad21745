//! Shells: the program is the text after `-c`, a file, or the input (rule P6).

use super::arg::Arg;
use super::input::{Input, is_descriptor_path};
use super::refusal::UnknownReason;
use super::walk::{Context, Walk};

impl Walk {
    /// A shell with its arguments.
    pub(crate) fn shell(&mut self, args: &[Arg], context: &Context) {
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
    pub(crate) fn script_file(&mut self, arg: &Arg, shell: &str, context: &Context) {
        match arg.value() {
            Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" | "-") => self.bare_shell(shell, context),
            Some(path) if !is_descriptor_path(path) => {}
            Some(_) | None => self.unknown(UnknownReason::ProgramFromInput(shell.to_owned()), false),
        }
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
}
