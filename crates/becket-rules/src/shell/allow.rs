//! The parts of a command that an allow rule must cover (rule P5).

use super::arg::Arg;
use super::ast::Assign;
use super::line::AllowForm;
use super::pattern::{normalise, push_normal};
use super::wrapper;
use super::wrapper_table::{EXACT_ONLY, FIND_RUNS, FIND_WRITES, is_harmless_variable};

/// Returns the text that an allow rule must cover; `None` for assignments that are ignored and run nothing.
pub(crate) fn allow_form(args: &[Arg], raw: &str, assigns: &[Assign]) -> Option<AllowForm> {
    let past = assigns.iter().all(|assign| is_harmless_variable(&assign.name));
    if args.is_empty() && past {
        return None;
    }
    let (left, open) = wrapper::strip(args);
    let name = left.first().and_then(Arg::command_name).unwrap_or_default();
    let acts = |arg: &Arg| arg.could_be(FIND_RUNS) || arg.could_be(FIND_WRITES);
    let exact_only =
        EXACT_ONLY.contains(&name) || (name == "find" && (open || left.iter().skip(1).any(acts)));
    let texts = |args: &[Arg]| vec![join(args.iter().map(|arg| arg.raw.as_str())), plain_text(args)];
    let stripped = if past { texts(left) } else { vec![normalise(raw)] };
    let whole = if past && left.len() < args.len() { texts(args) } else { Vec::new() };
    Some(AllowForm { stripped, whole, exact_only, open })
}

/// Without quotes, but for words that would read as more than one, or as another.
fn plain_text(args: &[Arg]) -> String {
    let one_word = |text: &str| !text.is_empty() && !text.contains([' ', '\t', '\n', '*', '\\']);
    join(args.iter().map(|arg| if one_word(&arg.text) { arg.text.as_str() } else { arg.raw.as_str() }))
}

/// Words with one blank between them.
pub(crate) fn join<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    words.for_each(|word| push_normal(&mut out, word));
    out
}
