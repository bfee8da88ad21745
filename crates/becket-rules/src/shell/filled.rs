//! Commands that are made from data or split text: `xargs`, and `env -S` (rule P6).

use super::arg::Arg;
use super::context::Context;
use super::input::Input;
use super::options::Options;
use super::walk::Walk;

impl Walk {
    /// Handles `xargs`: its input is appended, or replaces a mark.
    pub(crate) fn xargs(&mut self, options: &Options, rest: &[Arg], context: &Context) {
        // Without a command, `xargs` prints.
        if rest.is_empty() {
            return;
        }
        let inner = Context { input: Input::Opaque, ..context.clone() };
        if options.has(&["I", "i", "replace"]) {
            let given = options.values(&["I", "i", "replace"]).last();
            let mark = given.map_or("{}", |arg| &arg.text);
            return self.run(&substitute(rest, mark), &inner);
        }
        let mut args = rest.to_vec();
        args.push(Arg::open());
        self.run(&args, &inner);
    }

    /// Handles `env -S 'text' more`: the text is split like a command line, but has no operators.
    pub(crate) fn split_string(&mut self, options: &Options, args: &[Arg], context: &Context) {
        let given =
            options.given.iter().rposition(|given| matches!(given.name.as_str(), "S" | "split-string"));
        let Some(value) = given.and_then(|at| options.given[at].value.as_ref()) else { return };
        let plain = |c: char| c.is_alphanumeric() || " \t\n_./=:,@%+-'\"".contains(c);
        let rest = &args[options.operand..];
        let dynamic = !value.text.chars().all(plain) || value.dynamic || rest.iter().any(|arg| arg.dynamic);
        // The text may continue with options of `env`.
        let mut text = format!("env {}", value.text.replace('\n', " "));
        for arg in rest {
            text.push(' ');
            text.push_str(&arg.raw);
        }
        self.program(&text, dynamic, context);
    }
}

/// Returns the arguments with words that contain `mark` marked as filled in at run time.
pub(crate) fn substitute(args: &[Arg], mark: &str) -> Vec<Arg> {
    let filled = |arg: &Arg| {
        let filled = arg.text.contains(mark);
        Arg { dynamic: arg.dynamic || filled, open: arg.open || filled, ..arg.clone() }
    };
    args.iter().map(filled).collect()
}
