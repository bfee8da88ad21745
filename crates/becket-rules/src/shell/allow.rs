//! The parts of a command that an allow rule must cover (rule P5).

use super::arg::Arg;
use super::ast::Assign;
use super::dialect::Dialect;
use super::file_use::{sed_in_place, sed_program};
use super::git;
use super::line::AllowForm;
use super::open_options::open_options;
use super::option_programs;
use super::pattern::{normalise, push_normal};
use super::program::runs_others;
use super::shells::executes_at;
use super::wrapper;
use super::wrapper_table::{EXACT_ONLY, FIND_RUNS, FIND_WRITES, is_harmless_variable};
use super::written_options;

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
    let texts = |args: &[Arg]| vec![written(args), plain_text(args)];
    let stripped = if past { texts(left) } else { vec![normalise(raw)] };
    let whole = if past && left.len() < args.len() { texts(args) } else { Vec::new() };
    // Assignments and wrappers that are kept come before it.
    let before = stripped.first().map_or(0, |text| text.len().saturating_sub(written(left).len()));
    let spelled = |at: Option<usize>| {
        let head = at.and_then(|at| left.get(..=at)).unwrap_or_default();
        match past {
            true => vec![written(head).len(), plain_text(head).len()],
            false => vec![if head.is_empty() { 0 } else { before + written(head).len() }],
        }
    };
    let named = named_program(name, left).max(written_options::writes_at(name, left));
    let in_place = matches!(name, "sed" | "gsed").then(|| sed_in_place(left)).flatten();
    Some(AllowForm {
        whole,
        exact_only,
        open,
        spelled: spelled(named),
        in_place: spelled(in_place),
        open_options: open_options(name, left, |at| spelled(Some(at))),
        stripped,
    })
}

/// Returns the index of the last word that an allow rule must spell out, since it makes a later word the name of a
/// program: an option, or the name of a command that runs others.
fn named_program(name: &str, args: &[Arg]) -> Option<usize> {
    let by_option = match name {
        "git" => git::named_at(args),
        "sed" | "gsed" => sed_program(args),
        "compgen" | "complete" | "jobs" => args.iter().rposition(|arg| {
            arg.could_be_option() && (arg.dynamic || arg.text.contains(['C', 'F', 'W', 'x']))
        }),
        _ if Dialect::of(name).is_some() => executes_at(args),
        _ => option_programs::named_at(name, args),
    };
    by_option.or_else(|| runs_others(name).then_some(0))
}

/// Returns the words as they are written, blanks normalised.
fn written(args: &[Arg]) -> String {
    join(args.iter().map(|arg| arg.raw.as_str()))
}

/// Returns the words without quotes, except words that would read as several, or as another one.
fn plain_text(args: &[Arg]) -> String {
    let one_word = |text: &str| !text.is_empty() && !text.contains([' ', '\t', '\n', '*', '\\']);
    join(args.iter().map(|arg| if one_word(&arg.text) { arg.text.as_str() } else { arg.raw.as_str() }))
}

/// Joins words with one blank between them.
pub(crate) fn join<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    words.for_each(|word| push_normal(&mut out, word));
    out
}
