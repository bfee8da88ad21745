//! The parts of a command that an allow rule must cover (rule P5).

use super::arg::Arg;
use super::ast::Assign;
use super::file_use::sed_program;
use super::git;
use super::line::AllowForm;
use super::option_programs;
use super::pattern::{normalise, push_normal};
use super::program::runs_others;
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
    let texts = |args: &[Arg]| vec![written(args), plain_text(args)];
    let stripped = if past { texts(left) } else { vec![normalise(raw)] };
    let whole = if past && left.len() < args.len() { texts(args) } else { Vec::new() };
    let head = named_program(name, left).and_then(|at| left.get(..=at)).unwrap_or_default();
    // Assignments and wrappers that stay are in front of it.
    let before = stripped.first().map_or(0, |text| text.len().saturating_sub(written(left).len()));
    let spelled = if past {
        vec![written(head).len(), plain_text(head).len()]
    } else {
        vec![if head.is_empty() { 0 } else { before + written(head).len() }]
    };
    Some(AllowForm { stripped, whole, exact_only, open, spelled })
}

/// Returns the index of the last word that an allow rule must spell out, since it lets the words behind it name a
/// program: an option, or the name of a command that runs others.
fn named_program(name: &str, args: &[Arg]) -> Option<usize> {
    let by_option = match name {
        "git" => git::named_at(args),
        "sed" | "gsed" => sed_program(args),
        "compgen" | "complete" | "jobs" => args.iter().rposition(|arg| {
            arg.could_be_option() && (arg.dynamic || arg.text.contains(['C', 'F', 'W', 'x']))
        }),
        _ => option_programs::named_at(name, args),
    };
    by_option.or_else(|| runs_others(name).then_some(0))
}

/// As it is written, blanks normalised.
fn written(args: &[Arg]) -> String {
    join(args.iter().map(|arg| arg.raw.as_str()))
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
