//! Specifiers for Bash that match no command, or only one that is spelled in an unusual way (rule P3).

use super::alternatives::{BRACES, Brackets, PARENTHESES, QUOTED, written_apart};
use crate::rule::Rule;
use std::ops::Range;

/// A specifier, and the parts of it that are not quoted.
pub(super) struct CommandText<'r> {
    tool: &'r str,
    text: &'r str,
    /// The text with [`QUOTED`] for each byte in quotes, and for the quotes.
    bare: String,
}

/// Returns the fault of a specifier, and the correct form.
type Check = fn(&CommandText<'_>) -> Option<String>;

/// Faults because of which no command matches.
const OF_ALL: [Check; 8] = [
    regular_expression,
    quoted_line,
    joined_by_colons,
    colon_before_the_end,
    keyword_at_start,
    open_quote,
    statement_of_sql,
    second_parentheses,
];

/// Faults because of which only a command with the same unusual spelling matches. An allow rule that a host has saved may
/// have it from such a command.
const OF_RESTRICTIONS: [Check; 7] =
    [braces, alternatives, wildcards, list, quoted_word, backslash, program_and_dot];

impl<'r> CommandText<'r> {
    pub(super) fn new(rule: &'r Rule, specifier: &'r str) -> Self {
        let text = specifier.trim();
        Self { tool: rule.tool(), text, bare: without_quoted(text) }
    }

    /// Returns the fault because of which no command matches, and the correct form.
    pub(super) fn fault(&self) -> Option<String> {
        OF_ALL.iter().find_map(|check| check(self))
    }

    /// Returns the fault because of which a rule that restricts misses what it is for, and the correct form.
    pub(super) fn narrow_fault(&self) -> Option<String> {
        OF_RESTRICTIONS.iter().find_map(|check| check(self))
    }

    /// Returns the rule with another specifier.
    fn rule(&self, specifier: &str) -> String {
        format!("`{}({specifier})`", self.tool)
    }

    /// Returns a rule for each alternative of the first brackets.
    fn apart(&self, brackets: &Brackets) -> Option<String> {
        let Range { start, end } = brackets.find(&self.bare)?;
        let inner = self.text.get(start + 1..end - 1)?;
        let parts: Vec<&str> = inner.split(brackets.separator).collect();
        Some(written_apart(self.tool, self.text, start..end, &parts))
    }

    /// Returns whether it contains a path of Windows, in which a backslash separates names.
    fn is_of_windows(&self) -> bool {
        self.text.match_indices(":\\").any(|(at, _)| {
            self.text.get(..at).is_some_and(|before| before.ends_with(|c: char| c.is_ascii_alphabetic()))
        })
    }

    /// Returns the words that are not quoted.
    fn words(&self) -> impl Iterator<Item = &str> {
        self.bare.split_whitespace()
    }
}

/// Replaces each byte in quotes, and the quotes. A quote without an end is a character like any other.
fn without_quoted(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'']) {
        let (before, quoted) = rest.split_at(at);
        bare.push_str(before);
        let quote = quoted.chars().next().unwrap_or('"');
        let inner = quoted.get(1..).unwrap_or_default();
        let end = inner.find(quote).filter(|_| !before.ends_with('\\'));
        let taken = match end {
            Some(end) => {
                bare.extend(std::iter::repeat_n(QUOTED, end + 2));
                end + 2
            }
            None => {
                bare.push(quote);
                1
            }
        };
        rest = quoted.get(taken..).unwrap_or_default();
    }
    bare.push_str(rest);
    bare
}

fn regular_expression(rule: &CommandText<'_>) -> Option<String> {
    const MARKS: [&str; 8] = ["\\s", "\\b", "\\d", "\\w", "\\S", "(?:", "(?i", ".+ "];
    let (text, bare) = (rule.text, &rule.bare);
    let is_expression = text.starts_with('^')
        || text.ends_with('$')
        || text.strip_prefix(".*").is_some_and(|rest| !rest.starts_with('/'))
        || (MARKS.iter().any(|mark| bare.contains(mark)) && !rule.is_of_windows());
    if !is_expression {
        return None;
    }
    let plain = text.trim_start_matches('^').trim_end_matches('$').replace(".*", "*");
    Some(format!("a rule is not a regular expression; `*` matches any text, as in {}", rule.rule(&plain)))
}

fn quoted_line(rule: &CommandText<'_>) -> Option<String> {
    let quoted = |quote: char| rule.text.strip_prefix(quote)?.split_once(quote);
    let (inner, rest) =
        ['"', '\''].into_iter().find_map(quoted).filter(|(inner, _)| is_quoted_line(inner))?;
    Some(format!("a quoted word is the name of one program; write {}", rule.rule(&format!("{inner}{rest}"))))
}

/// Returns whether the quotes of a first word contain a command with its arguments, and not the path of a program.
fn is_quoted_line(inner: &str) -> bool {
    inner.split_once(' ').is_some_and(|(program, _)| !program.contains(['/', '\\']))
}

/// Fields of a shell call that a rule may name before a `:`.
const SHELL_CALL_FIELDS: [&str; 5] =
    ["command", "description", "timeout", "run_in_background", "dangerouslyDisableSandbox"];

/// Finds words that are joined by `:`: `rm:-rf:/`, `git push:--force`.
fn joined_by_colons(rule: &CommandText<'_>) -> Option<String> {
    let (core, end) = rule.text.strip_suffix(":*").map_or((rule.text, ""), |core| (core, ":*"));
    let is_joined = |(at, word): (usize, &str)| {
        let (name, argument) = word.split_once(':')?;
        // One letter is a drive of Windows, or a command of sed.
        let is_name =
            name.len() > 1 && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        let is_other = argument.is_empty() || argument.starts_with(['*', '\\']) || argument.starts_with("//");
        let option = argument.trim_start_matches('-');
        let is_option =
            option.len() < argument.len() && option.starts_with(|c: char| c.is_ascii_alphabetic());
        (is_name && !is_other && !SHELL_CALL_FIELDS.contains(&name) && (at == 0 || is_option)).then_some(at)
    };
    let found = core.split(' ').enumerate().find_map(is_joined)?;
    let apart =
        |(at, word): (usize, &str)| if at == found { word.replace(':', " ") } else { word.to_owned() };
    let words: Vec<String> = core.split(' ').enumerate().map(apart).collect();
    Some(format!(
        "words are separated by spaces, and `:` is a part of a word; write {}",
        rule.rule(&format!("{}{end}", words.join(" ").trim_end()))
    ))
}

/// Finds a `:*` that is not at the end: `git:* push`.
fn colon_before_the_end(rule: &CommandText<'_>) -> Option<String> {
    let words: Vec<&str> = rule.words().collect();
    let (_, before) = words.split_last()?;
    let word = before.iter().enumerate().find_map(|(at, word)| {
        let stem = word.strip_suffix(":*")?;
        let is_name =
            stem.len() > 1 && stem.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        (is_name && (at == 0 || stem.starts_with('-'))).then_some(*word)
    })?;
    let apart = rule.text.replacen(word, &word.replace(":*", " *"), 1);
    Some(format!("`:*` ends a command at the end of a rule alone; write {}", rule.rule(&apart)))
}

/// Finds a shell keyword at the start. A rule for a complete loop or condition is not reported.
fn keyword_at_start(rule: &CommandText<'_>) -> Option<String> {
    const INNER: [&str; 7] = ["do", "done", "then", "else", "elif", "fi", "esac"];
    const FIRST: [&str; 5] = ["for", "while", "until", "if", "case"];
    let word = rule.text.split([' ', ':']).next()?;
    let is_open = || !rule.text.contains([';', '\n']);
    let is_keyword = INNER.contains(&word) || FIRST.contains(&word) && is_open();
    is_keyword.then(|| {
        format!("`{word}` is a keyword of the shell, not a command; write a rule for each command inside it")
    })
}

/// Finds a quote that is still open at the end: `python -c ":*`.
fn open_quote(rule: &CommandText<'_>) -> Option<String> {
    let front = rule.text.strip_suffix(":*").or_else(|| rule.text.strip_suffix(" *"))?;
    let quote = front.chars().next_back().filter(|c| matches!(c, '"' | '\''))?;
    let words = front.strip_suffix(quote)?.strip_suffix(' ')?;
    (front.matches(quote).count() % 2 == 1).then(|| {
        format!(
            "the quote before the final `*` is not closed, so no command matches; write {}",
            rule.rule(&format!("{} *", words.trim_end()))
        )
    })
}

fn statement_of_sql(rule: &CommandText<'_>) -> Option<String> {
    const VERBS: [&str; 6] =
        ["DROP ", "DELETE FROM", "TRUNCATE ", "ALTER TABLE", "INSERT INTO", "CREATE TABLE"];
    VERBS.iter().any(|verb| rule.text.starts_with(verb)).then(|| {
        format!(
            "SQL is an argument of a program, not a command; write a rule for the program, such as {}",
            rule.rule("psql *")
        )
    })
}

fn second_parentheses(rule: &CommandText<'_>) -> Option<String> {
    rule.text
        .contains(")(")
        .then(|| "a rule has one pair of parentheses; write each rule as an entry of its own".to_owned())
}

/// Finds braces, which the shell would expand: `rm {a,b}`.
fn braces(rule: &CommandText<'_>) -> Option<String> {
    let rules = rule.apart(&BRACES)?;
    Some(format!("braces are not expanded in a rule; write one rule for each: {rules}"))
}

/// Finds alternatives in parentheses: `(rm|mv) *`.
fn alternatives(rule: &CommandText<'_>) -> Option<String> {
    let rules = rule.apart(&PARENTHESES)?;
    Some(format!("a rule has no alternatives; write one rule for each: {rules}"))
}

/// Finds `?` and `[…]` where they are meant as wildcards: in the name of a program, and in an option.
fn wildcards(rule: &CommandText<'_>) -> Option<String> {
    let has_class = |word: &str| {
        word.find('[').is_some_and(|at| word.get(at + 2..).is_some_and(|rest| rest.contains(']')))
    };
    let is_name = |word: &str| word.len() > 2 && !word.contains(['=', '/', '$']);
    let is_meant = |(at, word): (usize, &str)| {
        let is_option = word.starts_with('-');
        is_name(word) && (at == 0 || is_option) && (word.contains('?') || has_class(word))
    };
    rule.words().enumerate().any(is_meant).then(|| {
        "`*` is the only wildcard of a rule, and `?` and `[ ]` are letters; write one rule for each name, or a `*`"
            .to_owned()
    })
}

/// Finds several commands in one rule: `rm *, mv *`.
fn list(rule: &CommandText<'_>) -> Option<String> {
    let parts: Vec<&str> = rule.bare.split(',').collect();
    let (_, before) = parts.split_last()?;
    let is_end = |part: &&str| part.ends_with('*');
    // An argument may contain a comma: `echo *, world`, `--pretty=*,%an`.
    let follows = |part: &&str| part.contains([' ', ':']) && is_end(&part.trim_end());
    let is_list = before.iter().any(is_end) && parts.iter().skip(1).all(follows);
    (is_list && !rule.bare.contains(['{', QUOTED])).then(|| {
        let parts: Vec<&str> = rule.text.split(',').collect();
        let rules = written_apart(rule.tool, rule.text, 0..rule.text.len(), &parts);
        format!("a rule is about one command; write one rule for each: {rules}")
    })
}

/// Finds the name of a program, or an option, in quotes that it does not need: `"rm" *`.
fn quoted_word(rule: &CommandText<'_>) -> Option<String> {
    let unquoted = |word: &str| {
        let quote = word.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let inner = word.strip_prefix(quote)?.strip_suffix(quote)?;
        let is_plain = !inner.is_empty()
            && inner.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '='));
        is_plain.then(|| inner.to_owned())
    };
    let is_meant = |(at, word): (usize, &str)| {
        let inner = unquoted(word)?;
        (at == 0 || inner.starts_with('-')).then_some((word.to_owned(), inner))
    };
    let (word, inner) = rule.text.split_whitespace().enumerate().find_map(is_meant)?;
    Some(format!(
        "quotes are a part of the rule, and a command without them passes; write {}",
        rule.rule(&rule.text.replacen(&word, &inner, 1))
    ))
}

/// Finds a backslash that is to take the meaning of a character: `rm -rf \*`.
fn backslash(rule: &CommandText<'_>) -> Option<String> {
    if rule.is_of_windows() {
        return None;
    }
    let is_escape = |(at, _): (usize, &str)| {
        let next = rule.bare.get(at + 1..).and_then(|rest| rest.chars().next());
        let before = rule.bare.get(..at).and_then(|before| before.chars().next_back());
        let is_in_path = before.is_some_and(|c| c.is_alphanumeric() || c == '\\');
        matches!(next, Some('*' | '-' | '/')) || (next == Some('.') && !is_in_path)
    };
    rule.bare.match_indices('\\').any(is_escape).then(|| {
        let plain = ["*", "-", "/", "."]
            .iter()
            .fold(rule.text.to_owned(), |text, letter| text.replace(&format!("\\{letter}"), letter));
        format!(
            "a backslash is a part of the rule, and a command without it passes; write {}",
            rule.rule(&plain)
        )
    })
}

/// Programs whose names do not go on with a dot.
const PROGRAMS: [&str; 25] = [
    "aws",
    "bash",
    "cat",
    "chmod",
    "chown",
    "cp",
    "curl",
    "dd",
    "docker",
    "gcloud",
    "git",
    "kill",
    "kubectl",
    "mv",
    "npm",
    "npx",
    "pnpm",
    "psql",
    "rm",
    "scp",
    "ssh",
    "sudo",
    "terraform",
    "wget",
    "yarn",
];

/// Finds a `.*` that is meant as any text: `git.*push`.
fn program_and_dot(rule: &CommandText<'_>) -> Option<String> {
    let (name, _) = rule.bare.split_once(".*")?;
    PROGRAMS.contains(&name).then(|| {
        let plain = rule.text.replace(".*", " *");
        format!("a `.` is a letter, and `*` alone matches any text; write {}", rule.rule(&plain))
    })
}
