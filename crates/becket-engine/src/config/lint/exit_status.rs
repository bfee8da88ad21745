//! Hooks that end with a test: where it is false the hook ends with 1, an error though nothing is wrong (O4).

use super::{Around, Entry, simple_commands};
use crate::config::handler::Background;
use crate::config::source::report::Report;
use becket_rules::shell::{CommandChain, CommandList, Stage};

/// Notes a test whose exit code is that of the hook.
pub(super) fn lint(text: &str, entry: &Entry, around: &Around<'_>, report: &mut Report<'_>) {
    // Nobody is shown the failure of a background hook, and another agent reads exit codes in its own way.
    if around.agent.is_some() || entry.handler.background != Background::No {
        return;
    }
    let Some(test) = deciding_test(text) else { return };
    let at = report.part_of(entry.handler.action_span, text, &test);
    let message = format!(
        "if `{test}` is false, the hook ends with its exit code: an error on `{}`, though nothing is wrong",
        entry.event
    );
    report
        .note(at, "condition-as-exit-code", message)
        .help("write `if …; then …; fi`, or end with `|| true`")
        .rule("O4");
}

/// Returns the test that decides about the exit code of a text.
fn deciding_test(text: &str) -> Option<String> {
    CommandList::parse(text).as_ref().and_then(of_list)
}

fn of_list(list: &CommandList) -> Option<String> {
    list.chains.last().filter(|chain| !chain.has_alternative() && !chain.is_background).and_then(of_chain)
}

fn of_chain(chain: &CommandChain) -> Option<String> {
    let (last, before) = chain.pipelines.split_last()?;
    // Where a command in front of `&&` fails, its exit code is that of the chain.
    let mut earlier = before.iter().filter(|pipeline| !pipeline.is_negated);
    let earlier = earlier.find_map(|pipeline| test(pipeline.stages.last()?));
    if earlier.is_some() || last.is_negated {
        return earlier;
    }
    let stage = last.stages.last()?;
    test(stage).or_else(|| match stage {
        Stage::Simple(words) => deciding_test(simple_commands::shell_text(words)?),
        Stage::Compound(lists) => lists.iter().filter(|list| !list.is_condition).find_map(of_list),
        Stage::Test { .. } | Stage::Deferred(_) => None,
    })
}

/// Returns a command as it is written, if it answers a question by its exit code.
fn test(stage: &Stage) -> Option<String> {
    match stage {
        Stage::Test { text, .. } => Some(text.clone()),
        Stage::Simple(words) => {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            is_test(&words).then(|| words.join(" "))
        }
        Stage::Compound(_) | Stage::Deferred(_) => None,
    }
}

/// Returns whether a command answers a question by its exit code.
fn is_test(words: &[&str]) -> bool {
    match words {
        ["[" | "test" | "grep" | "egrep" | "fgrep" | "rg" | "pgrep" | "cmp", _, ..] => true,
        ["command", "-v" | "-V", ..] | ["which" | "type" | "hash", _, ..] => true,
        ["jq", rest @ ..] => rest.iter().any(|word| {
            *word == "--exit-status" || word.starts_with('-') && !word.starts_with("--") && word.contains('e')
        }),
        ["git", "diff" | "diff-index", rest @ ..] => {
            rest.iter().any(|word| matches!(*word, "--quiet" | "--exit-code"))
        }
        ["git", "rev-parse" | "check-ignore" | "show-ref", ..] => true,
        ["git", "ls-files", rest @ ..] => rest.contains(&"--error-unmatch"),
        ["diff", "-q" | "--brief", ..] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::deciding_test;

    // rule: O4
    #[test]
    fn the_test_that_ends_a_text_is_found_in_every_spelling() {
        for (text, expected) in [
            ("[ -f a ] && cat a", "[ -f a ]"),
            ("test -f a", "test -f a"),
            ("x=$(cat); [[ $x == *.py ]] && black $x;", "[[ $x == *.py ]]"),
            ("jq -r .a | grep -q rm && exit 2", "grep -q rm"),
            ("jq -re '.a' > /dev/null && echo x", "jq -re '.a'"),
            ("command -v p >/dev/null 2>&1 && p --write a", "command -v p"),
            ("cd a && [ -d b ] && ls", "[ -d b ]"),
            ("bash -c 'f=$(cat); [ -n \"$f\" ] && a'", "[ -n \"$f\" ]"),
            ("sh -ec '[ -f b ]'", "[ -f b ]"),
            ("jq -r .a | { read -r f; [ -n \"$f\" ] && a \"$f\"; }", "[ -n \"$f\" ]"),
            ("case \"$x\" in *.py) [ -f c ] && a ;; esac", "[ -f c ]"),
            ("if [ -f a ]; then grep -q b a && c; fi", "grep -q b a"),
            ("while read f; do [ -f $f ] && a; done", "[ -f $f ]"),
            ("(cd a && git diff --quiet)", "git diff --quiet"),
            ("A=b which x && x", "which x"),
            ("cat <<E | grep -q a\nE", "grep -q a"),
            ("(( x > 1 )) && a", "(( x > 1 ))"),
        ] {
            assert_eq!(deciding_test(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_ends_are_not_tests() {
        for text in [
            "[ -f a ] && cat a || true",
            "[ -f a ] && cat a; exit 0",
            "if [ -f a ]; then cat a; fi",
            "[ -f a ] || exit 0",
            "grep -q x a || exit 2",
            "[ -f a ] && cat a &",
            "! grep -q x a",
            "cd a && npm test",
            "git diff | cat",
            "jq -r .a",
            "(run a &) >/dev/null 2>&1",
            "case $x in a) [ -f b ] && c || true ;; esac",
            "f() { [ -f a ]; }",
        ] {
            assert_eq!(deciding_test(text), None, "{text}");
        }
    }
}
