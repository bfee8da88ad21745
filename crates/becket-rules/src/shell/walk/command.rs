//! Simple commands: their assignments, their texts, and the commands that they run.

use super::super::allow::{allow_form, join};
use super::super::arg::{self, Arg};
use super::super::ast::{Assign, Node, Word};
use super::super::context::Context;
use super::super::evaluation::is_integer;
use super::super::filled::substitute;
use super::super::input::feeds;
use super::super::limits::{MAX_COMMANDS, MAX_DEPTH, MAX_TEXT};
use super::super::line::Command;
use super::super::pattern::normalise;
use super::super::refusal::UnknownReason;
use super::super::wrapper;
use super::super::wrapper_table::{STARTUP_VARIABLES, is_plain_variable};
use super::Walk;

/// Returns the value of an element of an array: the text after `[key]=`, if it begins so.
fn value_of(element: &str) -> &str {
    let after_key = element.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(_, after)| after);
    let value = after_key.and_then(|after| after.strip_prefix('+').unwrap_or(after).strip_prefix('='));
    value.unwrap_or(element)
}

impl Walk {
    pub(super) fn simple(&mut self, assigns: &[Assign], words: &[Word], node: &Node, context: &Context) {
        for assign in assigns {
            self.assign(assign, words.is_empty(), context);
        }
        self.words(words, context);
        let indexed = |assign: &Assign| !assign.subscripts().is_empty();
        if words.is_empty() && assigns.iter().any(indexed) {
            self.evaluates.get_or_insert_with(|| join(assigns.iter().map(|assign| assign.raw.as_str())));
        }
        let mut args: Vec<Arg> = words.iter().flat_map(arg::arguments).cloned().collect();
        if context.fills {
            args = substitute(&args, "{}");
        }
        self.note_dialect(words, &args, context);
        let raw = assigns
            .iter()
            .map(|assign| assign.raw.as_str())
            .chain(words.iter().map(|word| word.raw.as_str()));
        let raw = join(raw);
        if args.is_empty() && assigns.is_empty() && words.is_empty() {
            return;
        }
        self.input_replaced |= replaces_input(&args) && node.redirects.iter().any(feeds);
        self.command(&args, &raw, assigns, context);
    }

    /// Records words that another shell than bash may parse differently.
    fn note_dialect(&mut self, words: &[Word], args: &[Arg], context: &Context) {
        let dialect = context.dialect;
        if let Some(word) = dialect.odd_word(words) {
            self.unknown(UnknownReason::Dialect(word.to_owned()), false);
            self.run(args.get(1..).unwrap_or_default(), &context.through(word));
        }
        let braces = |word: &&Word| dialect.differs() && arg::arguments(word).len() > 1;
        if let Some(word) = words.iter().find(braces) {
            self.unknown(UnknownReason::Dialect(word.raw.clone()), false);
        }
    }

    /// Records that a variable is set to text, without a command that a rule would have to cover.
    pub(super) fn set(&mut self, name: &str, context: &Context) {
        self.evaluations.set_text(name);
        if is_integer(name) {
            self.evaluates.get_or_insert_with(|| name.to_owned());
        }
        if context.direct && !is_plain_variable(name) {
            self.sets.get_or_insert_with(|| name.to_owned());
        }
    }

    /// Records the values that a variable may have.
    pub(super) fn assigned(&mut self, name: &str, words: &[Word]) {
        for arg in words.iter().flat_map(arg::arguments) {
            self.kept += name.len() + arg.text.len();
            self.values.set(name, &arg.text);
            self.values.set(name, value_of(&arg.text));
        }
    }

    /// Records the values that a variable has after `+=`.
    fn appended(&mut self, name: &str, words: &[Word]) {
        for arg in words.iter().flat_map(arg::arguments) {
            let before: usize = self.values.of(name).iter().map(String::len).sum();
            self.kept += before + arg.text.len();
            self.values.append(name, &arg.text);
        }
    }

    /// Records the text of a here-string or a here-document.
    pub(super) fn record_stdin_text(&mut self, word: &Word) {
        for arg in arg::arguments(word) {
            self.kept += arg.text.len();
            self.values.give(&arg.text);
        }
    }

    /// Handles an assignment; `lasts` unless it is for one command.
    fn assign(&mut self, assign: &Assign, lasts: bool, context: &Context) {
        self.words(&assign.words, context);
        match assign.raw.get(assign.name.len()..) {
            Some(rest) if rest.starts_with("+=") => self.appended(&assign.name, &assign.words),
            Some(_) | None => self.assigned(&assign.name, &assign.words),
        }
        if context.direct {
            for subscript in assign.subscripts() {
                self.evaluations.evaluate(&subscript, &assign.raw);
            }
        }
        self.evaluations.assign(&assign.name, assign.value().as_deref(), lasts && context.direct);
        if is_integer(&assign.name) {
            self.evaluates.get_or_insert_with(|| assign.raw.clone());
        }
        for value in assign.words.iter().flat_map(arg::arguments) {
            self.program_variable(&assign.name, value, context);
        }
        if STARTUP_VARIABLES.contains(&assign.name.as_str()) {
            self.unknown(UnknownReason::Redefinition(assign.name.clone()), false);
        }
        if assign.words.iter().any(|word| word.rendered().0.contains('[')) {
            self.loaded_text = true;
        }
    }

    /// Records a command, and analyses the commands that it runs.
    pub(crate) fn command(&mut self, args: &[Arg], raw: &str, assigns: &[Assign], context: &Context) {
        if self.is_full() || context.depth >= MAX_DEPTH {
            return self.unknown(UnknownReason::TooComplex, true);
        }
        let text = join(args.iter().map(|arg| arg.text.as_str()));
        let mut forms = vec![text.clone(), join(args.iter().map(|arg| arg.raw.as_str())), normalise(raw)];
        forms.extend(named(args));
        forms.dedup();
        self.kept += forms.iter().map(String::len).sum::<usize>() + std::mem::size_of_val(args);
        let allow = if context.direct { allow_form(args, raw, assigns) } else { None };
        if context.direct {
            self.evaluations.builtin(wrapper::strip(args).0);
        }
        let open = args.iter().position(|arg| arg.open).map(|at| heads(&args[..at])).unwrap_or_default();
        let via = context.via.as_deref().map(str::to_owned);
        let raw = normalise(raw);
        self.commands.push(Command { raw, forms, allow, args: args.to_vec(), via, open });
        for arg in args {
            let Some((name, value)) = arg.text.split_once('=') else { continue };
            self.values.set(name, value);
            if arg.raw.contains("=(") {
                value.split_whitespace().for_each(|element| self.values.set(name, value_of(element)));
            }
        }
        self.dynamic_names(args, context);
        self.look_through(args, context);
    }

    /// Returns whether no more is recorded: the line is too complex.
    pub(crate) fn is_full(&self) -> bool {
        self.commands.len() >= MAX_COMMANDS || self.kept >= MAX_TEXT
    }

    /// Records unknown command words: apart from the wrappers that P5 strips, an allow rule covers only a known one.
    fn dynamic_names(&mut self, args: &[Arg], context: &Context) {
        let named = |arg: &Arg| arg.command_name().is_none();
        let (left, _) = wrapper::strip(args);
        let stripped = left.first().filter(|arg| named(arg)).or_else(|| hidden_start(left));
        if let Some(arg) = stripped.or_else(|| args.first().filter(|arg| named(arg))) {
            self.unknown_start(arg, context.direct);
        }
    }

    /// Marks the commands from `index` on as getting more arguments at run time.
    pub(crate) fn mark_open(&mut self, index: usize) {
        for command in self.commands.iter_mut().skip(index).filter(|command| command.open.is_empty()) {
            command.open.clone_from(&command.forms);
        }
    }

    /// Returns the number of commands found so far.
    pub(crate) fn found(&self) -> usize {
        self.commands.len()
    }
}

/// Returns the word that hides the start of a wrapped command whose wrapper P5 would strip.
fn hidden_start(args: &[Arg]) -> Option<&Arg> {
    let entry = wrapper::lookup(args.first()?.value()?).filter(|entry| entry.stripped)?;
    let dynamic = args.iter().find(|arg| arg.dynamic)?;
    if entry.locate(args).options.certain { None } else { Some(dynamic) }
}

/// Returns the text of a command with the bare name of its program, if it was called by a path.
fn named(args: &[Arg]) -> Option<String> {
    let (first, rest) = args.split_first()?;
    let name = first.command_name().filter(|name| *name != first.text)?;
    Some(join(std::iter::once(name).chain(rest.iter().map(|arg| arg.text.as_str()))))
}

/// Returns the texts of the words before the first that is known only at run time.
fn heads(args: &[Arg]) -> Vec<String> {
    let text = join(args.iter().map(|arg| arg.text.as_str()));
    std::iter::once(text).chain(named(args)).collect()
}

/// Returns whether the command is an `exec` without a command, whose redirections last.
fn replaces_input(args: &[Arg]) -> bool {
    let (left, _) = wrapper::strip(args);
    let Some(entry) =
        left.first().and_then(Arg::value).filter(|name| *name == "exec").and_then(wrapper::lookup)
    else {
        return false;
    };
    let start = entry.locate(left).start;
    left[start..].iter().all(|arg| arg.open)
}
