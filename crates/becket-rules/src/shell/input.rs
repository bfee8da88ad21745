//! The source of a command's input, and the files that redirections name (rules P4 and P6 c).

use std::rc::Rc;

use super::arg::{self, Arg};
use super::ast::{ExpansionKind, Part, Redirect, RedirectOp, Word};
use super::line::Target;

/// The source of a command's input, as far as a shell would read a program from it (P6 c).
#[derive(Debug, Clone)]
pub(crate) enum Input {
    /// The input of the line itself.
    Line,
    /// A file.
    File,
    /// A here-document or a here-string; the flag is true if it contains expansions.
    Text(Rc<str>, bool),
    /// A pipe, or a descriptor that can't be followed.
    Opaque,
}

/// Returns the file of a redirection; `None` for a descriptor, a process substitution and `/dev/null`.
pub(crate) fn target(redirect: &Redirect) -> Option<Target> {
    let process = redirect.target.parts.iter().any(|part| match part {
        Part::Expansion(expansion) => matches!(expansion.kind, ExpansionKind::Process { .. }),
        Part::Text { .. } => false,
    });
    if process && redirect.target.parts.len() == 1 {
        return None;
    }
    let args = arg::arguments(&redirect.target);
    let [arg] = args else { return Some(Target::Dynamic(redirect.target.raw.clone())) };
    let Some(path) = arg.path() else { return Some(Target::Dynamic(arg.raw.clone())) };
    let descriptor = path.strip_suffix('-').unwrap_or(path).bytes().all(|byte| byte.is_ascii_digit());
    let duplicates = redirect.op == RedirectOp::DuplicateOutput && descriptor;
    if path == "/dev/null" || duplicates || (redirect.op == RedirectOp::Read && is_own_descriptor(path)) {
        return None;
    }
    Some(Target::Literal(path.to_owned()))
}

/// Returns whether a path names a descriptor of the line itself, in its universal form.
pub(super) fn is_own_descriptor(path: &str) -> bool {
    path == "/dev/stdin"
        || path
            .strip_prefix("/dev/fd/")
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Descriptors from 3 to 9 that redirections around a command have opened, the latest last.
#[derive(Debug, Clone)]
pub(crate) enum Descriptors {
    Known(Rc<Vec<(String, Input)>>),
    /// Unknown: the caller of a function may open more.
    Unknown,
}

impl Descriptors {
    pub(crate) fn none() -> Self {
        Self::Known(Rc::default())
    }

    /// Returns what is read from a descriptor. One that was not opened belongs to the line, unless `exec` opens it.
    fn input(&self, descriptor: &str, standard: &Input) -> Input {
        let descriptor = number(descriptor);
        match (self, descriptor) {
            (_, "0") => standard.clone(),
            (Self::Known(open), "3" | "4" | "5" | "6" | "7" | "8" | "9") => {
                let found = open.iter().rev().find(|(name, _)| name == descriptor);
                found.map_or(Input::Line, |(_, input)| input.clone())
            }
            (Self::Known(_) | Self::Unknown, _) => Input::Opaque,
        }
    }

    fn open(&mut self, descriptor: &str, input: Input) {
        if let Self::Known(open) = self {
            Rc::make_mut(open).push((descriptor.to_owned(), input));
        }
    }
}

/// The state of the inputs before and after redirections.
#[derive(Debug, Clone)]
pub(crate) struct Inputs {
    pub(crate) standard: Input,
    pub(crate) others: Descriptors,
}

impl Inputs {
    /// Applies one redirection.
    pub(crate) fn redirect(&mut self, redirect: &Redirect) {
        let Some(input) = self.made_by(redirect) else { return };
        match redirect.descriptor.as_deref().map(number) {
            None | Some("0") => self.standard = input,
            Some(other) => self.others.open(other, input),
        }
    }

    /// Returns the input that a redirection creates, if it creates one.
    fn made_by(&self, redirect: &Redirect) -> Option<Input> {
        match redirect.op {
            RedirectOp::Read | RedirectOp::ReadWrite => {
                let args = arg::arguments(&redirect.target);
                Some(match args {
                    [arg] => self.of_file(arg),
                    _ => Input::Opaque,
                })
            }
            RedirectOp::DuplicateOutput
                if redirect.descriptor.as_deref().is_none_or(|text| number(text) == "1") =>
            {
                None
            }
            RedirectOp::DuplicateInput | RedirectOp::DuplicateOutput => {
                let literal = redirect.target.literal();
                let source = literal.as_deref().map(|text| text.strip_suffix('-').unwrap_or(text));
                Some(source.map_or(Input::Opaque, |source| self.others.input(source, &self.standard)))
            }
            RedirectOp::Document => {
                redirect.body.get().map(|body| text_input(body, "")).or(Some(Input::Opaque))
            }
            // bash adds the newline, which a backslash at the end would join.
            RedirectOp::Text => Some(text_input(&redirect.target, "\n")),
            RedirectOp::Write => None,
        }
    }

    /// Returns what is read from a path.
    pub(crate) fn of_file(&self, arg: &Arg) -> Input {
        match PathInput::by(arg) {
            PathInput::File => Input::File,
            PathInput::Input => self.standard.clone(),
            PathInput::Descriptor => {
                let number = arg.value().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
                self.others.input(number, &self.standard)
            }
        }
    }
}

/// Returns the number of a descriptor without leading zeros: `00<<< x` is the standard input.
fn number(descriptor: &str) -> &str {
    match descriptor.trim_start_matches('0') {
        "" if !descriptor.is_empty() => "0",
        number => number,
    }
}

/// Returns whether a redirection opens something that a later command could read, if it lasts.
pub(crate) fn feeds(redirect: &Redirect) -> bool {
    redirect.op != RedirectOp::Write
}

/// The target of a path, if a shell would read a program from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathInput {
    File,
    /// The input of the command itself.
    Input,
    /// Another open descriptor, or one that is known only at run time.
    Descriptor,
}

impl PathInput {
    /// Returns the target of an argument. The directory may be any, so the end of a path decides: `cd /dev; bash
    /// stdin`.
    pub(crate) fn by(arg: &Arg) -> Self {
        let Some(path) = arg.value() else { return Self::Descriptor };
        if path == "-" {
            return Self::Input;
        }
        let parts = components(path);
        if arg.glob {
            return if could_name_input(path, &parts) { Self::Descriptor } else { Self::File };
        }
        let number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        match parts.as_slice() {
            [.., "stdin"] | [.., "fd", "0"] => Self::Input,
            ["dev", "null" | "zero" | "full"] if path.starts_with('/') => Self::File,
            ["dev" | "proc", ..] if path.starts_with('/') => Self::Descriptor,
            [.., "fd", last] | [last] if number(last) => Self::Descriptor,
            _ => Self::File,
        }
    }
}

/// Returns the parts of a path, without `.`, `..` and empty ones.
fn components(path: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}

/// Returns whether a glob could become the path of a descriptor.
fn could_name_input(path: &str, parts: &[&str]) -> bool {
    let glob: &[char] = &['*', '?', '['];
    let last = parts.last().copied().unwrap_or_default();
    let head = last.split(glob).next().unwrap_or_default();
    let tail = last.rsplit(['*', '?', ']']).next().unwrap_or_default();
    let ends = "stdin".starts_with(head) && "stdin".ends_with(tail);
    let device = |part: &&str| part.contains(glob) || matches!(*part, "dev" | "proc");
    ends || (path.starts_with('/') && parts.first().is_some_and(device))
}

fn text_input(word: &Word, end: &str) -> Input {
    let (text, dynamic) = word.rendered();
    Input::Text(Rc::from(text + end), dynamic)
}
