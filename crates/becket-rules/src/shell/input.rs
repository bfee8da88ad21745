//! Where a command's input comes from, and which files redirections name (rules P4 and P6 c).

use std::rc::Rc;

use super::arg;
use super::ast::{ExpansionKind, Part, Redirect, RedirectOp, Word};
use super::line::Target;

/// Where a command's input comes from, as far as a shell would take a program from it (P6 c).
#[derive(Debug, Clone)]
pub(crate) enum Input {
    /// What the line itself was given.
    Line,
    /// A file.
    File,
    /// A here-document or a here-string; the flag says that it holds expansions.
    Text(Rc<str>, bool),
    /// A pipe, or a descriptor that can't be followed.
    Opaque,
}

/// The file of a redirection; `None` for a descriptor, a process substitution and `/dev/null`.
pub(crate) fn target(redirect: &Redirect) -> Option<Target> {
    let process = redirect.target.parts.iter().any(|part| match part {
        Part::Expansion(expansion) => matches!(expansion.kind, ExpansionKind::Process { .. }),
        Part::Text { .. } => false,
    });
    if process && redirect.target.parts.len() == 1 {
        return None;
    }
    let args = arg::arguments(&redirect.target);
    let [arg] = args.as_slice() else { return Some(Target::Dynamic(redirect.target.raw.clone())) };
    let Some(path) = arg.path() else { return Some(Target::Dynamic(arg.raw.clone())) };
    let descriptor = path.strip_suffix('-').unwrap_or(path).bytes().all(|byte| byte.is_ascii_digit());
    if path == "/dev/null" || (redirect.op == RedirectOp::DuplicateOutput && descriptor) {
        return None;
    }
    Some(Target::Literal(path.to_owned()))
}

/// The input that a redirection makes, if it makes one.
pub(crate) fn feeds_input(redirect: &Redirect) -> Option<Input> {
    if redirect.descriptor.as_deref().is_some_and(|descriptor| descriptor != "0") {
        return None;
    }
    match redirect.op {
        RedirectOp::Read | RedirectOp::ReadWrite => {
            let device = redirect.target.literal().is_some_and(|path| !is_descriptor_path(&path));
            Some(if device { Input::File } else { Input::Opaque })
        }
        RedirectOp::DuplicateInput => Some(Input::Opaque),
        RedirectOp::Document => redirect.body.get().map(|body| text_input(body, "")).or(Some(Input::Opaque)),
        // bash adds the newline, which a backslash at the end would join.
        RedirectOp::Text => Some(text_input(&redirect.target, "\n")),
        RedirectOp::Write | RedirectOp::DuplicateOutput => None,
    }
}

/// A path that names an open descriptor rather than a file.
pub(crate) fn is_descriptor_path(path: &str) -> bool {
    path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/")
}

/// The input after a redirection.
pub(crate) fn redirected(redirect: &Redirect, before: Input) -> Input {
    feeds_input(redirect).unwrap_or(before)
}

fn text_input(word: &Word, end: &str) -> Input {
    let (text, dynamic) = word.rendered();
    Input::Text(Rc::from(text + end), dynamic)
}
