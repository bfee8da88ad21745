//! Findings of `becket_rules` about the texts in a configuration.

use becket_rules::shell::{CommandPattern, Line};
use becket_rules::{Condition, Rule, RuleError, RuleErrorKind, RuleList, RuleWarning};

/// Remarks about rules that restrict nothing as written: commands that otherwise ignore findings name them.
pub(crate) const IDLE: [&str; 8] = [
    "rule-for-tool-in-other-case",
    "rule-matches-nothing",
    "path-starts-at-settings",
    "rule-spans-commands",
    "rule-without-domain",
    "rule-never-consulted",
    "rule-on-primary-field",
    "negated-pattern",
];

/// The code of a rule that matches no call.
const NOTHING: &str = "rule-matches-nothing";

/// A remark about a rule's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remark {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) rule: &'static str,
}

/// Parses an `if` (P12); returns `None` if it is empty.
///
/// # Errors
/// Returns the remark about it, and the separate rules if several were joined.
pub(crate) fn condition(text: &str) -> Result<Option<Condition>, (Remark, Vec<String>)> {
    Condition::parse(text).map_err(|error| {
        let apart = error.rules().unwrap_or_default().to_vec();
        let remark = Remark {
            code: "invalid-if",
            message: format!("{error}; this handler never runs"),
            help: instead(&error),
            rule: "P12",
        };
        (remark, apart)
    })
}

/// Returns the remark about an `if` that no call matches (P12).
pub(crate) fn idle_condition(rule: &Rule) -> Option<Remark> {
    let of_text = RuleWarning::of_condition(rule).as_ref().map(remark);
    let remark = of_text.or_else(|| spans_commands(rule).then(|| several_commands(rule)))?;
    let (fault, form) = match remark.message.split_once("; write ") {
        Some((fault, form)) => (fault, Some(form.replace("one rule for each", "the handler once for each"))),
        None => (remark.message.as_str(), None),
    };
    Some(Remark {
        code: "if-matches-nothing",
        message: format!("{fault}; the handler runs only for what can't be read"),
        help: form.map(|form| format!("write {form}")).or(remark.help),
        rule: remark.rule,
    })
}

/// Returns why a rule restricts nothing as it is written, or something else than it seems to; `None` if it does what it says, or
/// can't be parsed.
pub fn idle_rule(list: RuleList, text: &str) -> Option<String> {
    let remarks = check(list, text).unwrap_or_default();
    remarks.into_iter().find(|remark| IDLE.contains(&remark.code)).map(|remark| remark.message)
}

/// Parses a permission rule and returns the remarks about it.
///
/// # Errors
/// Errors if the text is not a rule.
pub(crate) fn check(list: RuleList, text: &str) -> Result<Vec<Remark>, Remark> {
    match Rule::parse(text) {
        Ok(rule) => {
            let restricts = list != RuleList::Allow;
            let mut remarks: Vec<Remark> = RuleWarning::of(&rule, list).iter().map(remark).collect();
            if !remarks.iter().any(|remark| remark.code == NOTHING) {
                remarks.extend(spans_commands(&rule).then(|| several_commands(&rule)));
                remarks.extend(redirection(&rule));
                if restricts && remarks.is_empty() {
                    remarks.extend(unmatched(&rule));
                }
            }
            remarks.extend(restricts.then(|| early_end(&rule)).flatten());
            remarks.extend(cut_word(&rule));
            Ok(remarks)
        }
        Err(error) => Err(Remark {
            code: "invalid-rule",
            message: format!("{error}; it is not applied"),
            help: instead(&error),
            rule: "P1",
        }),
    }
}

/// Returns the remark about a rule that parses and does less than it seems to.
fn remark(warning: &RuleWarning) -> Remark {
    let (code, rule) = match warning {
        RuleWarning::UnknownTool { .. } if warning.is_about_case() => ("rule-for-tool-in-other-case", "P1"),
        RuleWarning::NeverMatches { .. } | RuleWarning::Misses { .. } => (NOTHING, "P3"),
        RuleWarning::NoFile { .. } => (NOTHING, "P7"),
        RuleWarning::NoSpecifier { .. } => (NOTHING, "P10"),
        RuleWarning::NoMcpName { .. } => (NOTHING, "P2"),
        RuleWarning::Placeholder { .. } => (NOTHING, "P1"),
        RuleWarning::NoToolName { .. } => (NOTHING, "X5"),
        RuleWarning::StartsAtSettings { .. } => ("path-starts-at-settings", "P7"),
        RuleWarning::UnanchoredGlob { .. } => ("unanchored-allow-glob", "P1"),
        RuleWarning::UnknownTool { .. } => ("unknown-tool", "P1"),
        RuleWarning::NeverConsulted { .. } => ("rule-never-consulted", "P7"),
        RuleWarning::PrimaryField { .. } => ("rule-on-primary-field", "P10"),
        RuleWarning::ParameterInAllow { .. } => ("parameter-in-allow", "P10"),
        RuleWarning::Negated { .. } => ("negated-pattern", "P7"),
        RuleWarning::NoDomain { .. } => ("rule-without-domain", "P9"),
        RuleWarning::Malformed { .. } => ("malformed-pattern", "P7"),
    };
    Remark { code, message: warning.to_string(), help: None, rule }
}

/// Returns whether a Bash rule names several commands and so does not even match the line that it spells out: each
/// command of a line is judged separately (P4).
fn spans_commands(rule: &Rule) -> bool {
    let Some(specifier) = rule.specifier().filter(|_| rule.tool() == "Bash") else {
        return false;
    };
    if !["&&", "|", ";"].iter().any(|separator| specifier.contains(separator)) {
        return false;
    }
    let example = example(specifier);
    let own = example.commands().iter().filter(|command| command.via().is_none());
    own.count() > 1 && example.hit(&CommandPattern::new(specifier)).is_none()
}

/// Returns a line that the specifier of a Bash rule describes.
fn example(specifier: &str) -> Line {
    let line = specifier.strip_suffix(":*").map_or(specifier.to_owned(), |front| format!("{front} x"));
    Line::parse(&line.replace('*', "x"))
}

/// Reports a Bash rule that spells out a redirection, which is not compared with rules for commands (P4).
fn redirection(rule: &Rule) -> Option<Remark> {
    let specifier = rule.specifier().filter(|text| rule.tool() == "Bash" && text.contains('>'))?;
    let example = example(specifier);
    let is_one = example.commands().len() <= 1 && example.unknowns().next().is_none();
    let matches = example.hit(&CommandPattern::new(specifier)).is_some();
    (is_one && !matches && !example.redirections().is_empty()).then(|| Remark {
        code: NOTHING,
        message: format!(
            "`{rule}` matches no command: a redirection is not compared, but counts as an edit of its target"
        ),
        help: Some("write a rule for the file, such as `Edit(~/.bashrc)`".to_owned()),
        rule: "P4",
    })
}

/// Reports a Bash rule that does not match even the command which it spells out: it has a comment, `!`, `&`, parentheses or
/// `2>&1`, and commands are compared without them (P4).
fn unmatched(rule: &Rule) -> Option<Remark> {
    let specifier = rule.specifier().filter(|_| rule.tool() == "Bash")?;
    // `time` is a program as well (`/usr/bin/time`, `env time`).
    if specifier.split([' ', ':']).next() == Some("time") {
        return None;
    }
    let example = example(specifier);
    let command = example.commands().iter().find(|command| command.via().is_none())?;
    let matches = example.hit(&CommandPattern::new(specifier)).is_some();
    let is_whole = example.text().split_whitespace().eq(command.raw().split_whitespace());
    let is_read = example.unknowns().next().is_none();
    (is_read && !is_whole && !matches).then(|| Remark {
        code: NOTHING,
        message: format!(
            "`{rule}` matches no command: a command is compared without `!`, `&`, comments, parentheses and redirections"
        ),
        help: Some(format!("write a rule for the command alone: `{}` is compared as `{}`", example.text(), command.text())),
        rule: "P4",
    })
}

/// Reports a Bash rule that ends in `=` and a directory of the root: `of=/dev:*` does not match `of=/dev/sda` (P3).
fn early_end(rule: &Rule) -> Option<Remark> {
    let specifier = rule.specifier().filter(|_| rule.tool() == "Bash")?;
    let front = specifier.strip_suffix(":*").or_else(|| specifier.strip_suffix(" *"))?;
    let (_, path) = front.rsplit(' ').next()?.split_once('=')?;
    let directory = path.strip_prefix('/')?;
    let is_directory = !directory.is_empty() && directory.bytes().all(|byte| byte.is_ascii_lowercase());
    is_directory.then(|| Remark {
        code: "rule-ends-early",
        message: format!("`{rule}` matches `{path}` alone: nothing below it, such as `{path}/x`"),
        help: Some(format!("write `Bash({front}/*)`")),
        rule: "P3",
    })
}

/// A Bash rule that ends a word in its middle: `aws iam delete-:*` is not `aws iam delete-user` (P3).
fn cut_word(rule: &Rule) -> Option<Remark> {
    let specifier = rule.specifier().filter(|_| rule.tool() == "Bash")?;
    let front = specifier.strip_suffix(":*").or_else(|| specifier.strip_suffix(" *"))?;
    let word = front.rsplit(' ').next()?;
    let is_cut = word.strip_suffix(['-', '_']).is_some_and(|word| word.ends_with(char::is_alphanumeric));
    is_cut.then(|| Remark {
        code: "rule-ends-early",
        message: format!("`{rule}` matches the word `{word}` alone: nothing that goes on, such as `{word}x`"),
        help: Some(format!("write `Bash({front}*)`")),
        rule: "P3",
    })
}

fn several_commands(rule: &Rule) -> Remark {
    Remark {
        code: "rule-spans-commands",
        message: format!("`{rule}` never matches: each command of a line is judged by itself"),
        help: Some("write one rule for each command".to_owned()),
        rule: "P4",
    }
}

/// Returns the correction of common mistakes.
fn instead(error: &RuleError) -> Option<String> {
    let text = error.text().trim();
    match error.kind() {
        RuleErrorKind::BadName { found: ':' } => {
            let (tool, rest) = text.split_once(':')?;
            let rule = if matches!(rest, "*" | "") { tool.to_owned() } else { format!("{tool}({rest})") };
            Some(format!("did you mean `{rule}`?"))
        }
        RuleErrorKind::BadName { found: ' ' } => {
            let (tool, rest) = text.split_once(' ')?;
            Some(format!("did you mean `{tool}{}`?", rest.trim_start()))
                .filter(|_| rest.trim_start().starts_with('('))
        }
        RuleErrorKind::Trailing { rest } if rest.chars().all(|c| matches!(c, '*' | ':')) => {
            let inside = text.strip_suffix(rest.as_str())?.strip_suffix(')')?;
            let rest = if inside.ends_with('*') { "" } else { rest };
            Some(format!("did you mean `{inside}{rest})`?"))
        }
        RuleErrorKind::Unclosed => Some(format!("did you mean `{text})`?")),
        RuleErrorKind::Empty
        | RuleErrorKind::BadName { .. }
        | RuleErrorKind::Trailing { .. }
        | RuleErrorKind::Joined { .. } => None,
    }
}
