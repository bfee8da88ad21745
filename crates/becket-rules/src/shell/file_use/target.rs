//! The targets of redirections that are known only at run time (rule P7).
//!
//! A target may be a word of the commands in it, or of those in the values of its variables. An argument of a function,
//! and a variable that is read, may be any word of the line. Variables of the environment are assumed to name none of
//! them.

use super::super::arg::Arg;
use super::super::limits::MAX_VALUES;
use super::super::line::{Command, Line, RedirectionKind};
use super::super::variables::sets_operands;
use super::FileAccess;
use super::collector::Collector;

/// Adds the targets of the line's redirections that are known only at run time.
pub(super) fn collect(line: &Line, uses: &mut Collector<'_>) {
    let reads = line.commands.iter().any(reads_variable);
    let mut left = MAX_VALUES;
    for redirection in &line.redirections {
        let access = match redirection.kind {
            RedirectionKind::Output => FileAccess::Edit,
            RedirectionKind::Input => FileAccess::Read,
        };
        for target in redirection.words.iter().filter(|word| word.dynamic) {
            left = of_target(target, line, access, reads, left, uses);
        }
    }
}

/// Adds one target; returns the number of words that may still be examined.
fn of_target(
    target: &Arg,
    line: &Line,
    access: FileAccess,
    reads: bool,
    left: usize,
    uses: &mut Collector<'_>,
) -> usize {
    let variables = names(&target.text);
    let is_argument = |name: &&str| name.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '@' | '*'));
    if uses.knows_all(target) && !variables.iter().any(is_argument) {
        return left;
    }
    uses.around(&target.text, access);
    let values = variables.iter().flat_map(|name| line.values.of(name)).map(String::as_str);
    let texts = std::iter::once(target.text.as_str()).chain(values);
    let has_argument = texts.clone().take(left).flat_map(names).any(|name| is_argument(&name));
    let words = texts.flat_map(|text| text.split(|c: char| c.is_whitespace() || MARKS.contains(c)));
    let words: Vec<Arg> = words.filter(|word| !word.is_empty()).take(left).map(Arg::literal).collect();
    uses.all(&words, access);
    let has_unset = variables.iter().any(|name| line.values.of(name).is_empty());
    if has_argument || (has_unset && reads) || words.len() == left {
        uses.unknown(access);
    }
    left - words.len()
}

/// Characters between the words of commands.
const MARKS: &str = "\"'`$(){};|&<>";

/// Returns whether a command may read a variable whose name is known only at run time.
fn reads_variable(command: &Command) -> bool {
    command.args.first().and_then(Arg::command_name).is_some_and(sets_operands)
        && command.args.iter().any(|arg| arg.dynamic || arg.glob)
}

/// Returns the names of the variables in a text.
fn names(text: &str) -> Vec<&str> {
    let after = text.split('$').skip(1).map(|rest| rest.trim_start_matches(['{', '!', '#']));
    let length = |rest: &str| match rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        Some(0) => rest.chars().next().map_or(0, char::len_utf8),
        Some(end) => end,
        None => rest.len(),
    };
    after.filter_map(|rest| rest.get(..length(rest))).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn names_of_variables_are_found() {
        assert_eq!(names("a$x/${y:-$z}$1\"$@\"$(ls $w)"), ["x", "y", "z", "1", "@", "(", "w"]);
        assert!(names("a").is_empty());
    }
}
