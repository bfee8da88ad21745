//! The grammar of rules and conditions.

use becket_rules::{Condition, Rule, RuleErrorKind, RuleList, RuleSet, RuleWarning};
use proptest::prelude::*;

use crate::rules::cases::origin;

// rule: P1
#[test]
fn a_rule_is_a_tool_and_perhaps_a_specifier() {
    for (text, tool, specifier) in [
        ("Bash", "Bash", None),
        (" Bash ", "Bash", None),
        ("Bash(*)", "Bash", None),
        ("Bash()", "Bash", None),
        ("Bash( * )", "Bash", None),
        ("Bash(git push *)", "Bash", Some("git push *")),
        ("Bash(echo (a) | (b))", "Bash", Some("echo (a) | (b)")),
        ("Bash((a) && b)", "Bash", Some("(a) && b")),
        ("Bash(echo \")\" && f)", "Bash", Some("echo \")\" && f")),
        ("Bash(f() | g(x))", "Bash", Some("f() | g(x)")),
        ("Read(~/.ssh/**)", "Read", Some("~/.ssh/**")),
        ("mcp__git__*", "mcp__git__*", None),
        ("mcp__git", "mcp__git", None),
        ("*", "*", None),
    ] {
        let rule = Rule::parse(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((rule.tool(), rule.specifier()), (tool, specifier), "{text}");
    }
}

// rule: P1
#[test]
fn faults_are_shown_where_they_are() {
    for (text, offset) in [
        ("", 0),
        ("   ", 3),
        ("(x)", 0),
        ("Bash (x)", 4),
        ("  Bash(x", 6),
        ("é!", 1),
        ("Bash(x) y", 7),
        ("Bash)x(", 4),
        ("Bash;", 4),
    ] {
        let error = Rule::parse(text).expect_err(text);
        assert_eq!(error.offset(), offset, "{text:?}: {error}");
        let caret = error.caret();
        assert_eq!(caret.lines().last().map(|line| line.chars().count()), Some(offset + 1), "{caret}");
    }
    let long = "x".repeat(10_000) + " y";
    assert!(Rule::parse(&long).unwrap_err().caret().len() < 400);
}

// rule: P12
#[test]
fn joined_rules_are_shown_apart() {
    for (text, rules) in [
        ("Bash(a) || Bash(b)", vec!["Bash(a)", "Bash(b)"]),
        ("Bash(a)|Edit(b)|Write", vec!["Bash(a)", "Edit(b)", "Write"]),
        ("Bash(a) && edit(b)", vec!["Bash(a)", "edit(b)"]),
        ("Write, Edit", vec!["Write", "Edit"]),
        ("Write|Edit(*.ts)", vec!["Write", "Edit(*.ts)"]),
        ("Bash(* && rm *) || Bash(* | xargs rm *)", vec!["Bash(* && rm *)", "Bash(* | xargs rm *)"]),
        ("Bash(echo \\( *)|Read(x)", vec!["Bash(echo \\( *)", "Read(x)"]),
        ("Write||Edit", vec!["Write", "Edit"]),
    ] {
        let error = Condition::parse(text).expect_err(text);
        assert_eq!(error.rules().unwrap_or_default(), rules, "{text}");
        assert!(matches!(error.kind(), RuleErrorKind::Joined { .. }));
        for rule in rules {
            assert!(error.to_string().contains(rule), "{error}");
            assert!(Condition::parse(rule).is_ok_and(|condition| condition.is_some()), "{rule}");
        }
    }
}

// rule: P12
#[test]
fn a_condition_is_one_rule_or_bare_names() {
    assert_eq!(Condition::parse(""), Ok(None));
    assert_eq!(Condition::parse("  "), Ok(None));
    let names = |text| {
        let condition = Condition::parse(text).unwrap().unwrap();
        condition.alternatives().iter().map(|rule| rule.tool().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names("Write|Edit"), ["Write", "Edit"]);
    assert_eq!(names("Write | Edit"), ["Write", "Edit"]);
    assert_eq!(names("Bash(a | b)"), ["Bash"]);
    for text in [
        "Write|",
        "|Write",
        "Write;Edit",
        "Bash(git push",
        "Bash(a) or Bash(b)",
        "Write and Edit",
        "Read(a); Read(b)",
    ] {
        assert!(Condition::parse(text).is_err(), "{text}");
    }
}

fn warnings(list: RuleList, text: &str) -> Vec<RuleWarning> {
    RuleSet::default().add(list, text, origin()).unwrap()
}

// rules: P1, P7, P10
#[test]
fn rules_that_do_less_than_they_seem_are_named() {
    use RuleList::{Allow, Ask, Deny};
    for (list, text, part) in [
        (Allow, "mcp__*", "behind `mcp__<server>__`"),
        (Allow, "*", "behind `mcp__<server>__`"),
        (Allow, "mcp__*__read", "behind `mcp__<server>__`"),
        (Deny, "Bsh", "did you mean `Bash`?"),
        (Ask, "Terraform", "`Terraform` is not a known tool"),
        (Deny, "Write(x)", "`Edit(x)`"),
        (Allow, "NotebookEdit(x)", "`Edit(x)`"),
        (Deny, "MultiEdit(x)", "`Edit(x)`"),
        (Ask, "Glob(x)", "`Read(x)`"),
        (Deny, "Bash(command:rm *)", "`command`"),
        (Deny, "Agent(subagent_type:x)", "`subagent_type`"),
        (Allow, "Agent(model:opus)", "deny and ask only"),
        (Deny, "Read(!x)", "starts with `!`"),
    ] {
        let named = warnings(list, text);
        assert!(named.iter().any(|warning| warning.to_string().contains(part)), "{text}: {named:?}");
    }
    for (list, text) in [
        (Allow, "mcp__git__*"),
        (Allow, "mcp__git"),
        (Deny, "mcp__*"),
        (Deny, "my_tool"),
        (Deny, "Foo*"),
        (Deny, "Task"),
        (Deny, "Agent(model:opus)"),
        (Allow, "Bash(npm:*)"),
        (Deny, "Write"),
        (Allow, "WebFetch(domain:x.com)"),
    ] {
        assert_eq!(warnings(list, text), [], "{text}");
    }
}

proptest! {
    // rule: P1
    #[test]
    fn any_text_is_a_rule_that_prints_as_itself_or_an_error(text in "[ -~é]{0,40}|[A-Z][a-z]{1,5}\\([ -~]{0,20}\\)") {
        match Rule::parse(&text) {
            Ok(rule) => prop_assert_eq!(Rule::parse(&rule.to_string()), Ok(rule)),
            Err(error) => {
                prop_assert!(error.offset() <= text.chars().count());
                let _ = error.caret();
            }
        }
        if let Ok(Some(condition)) = Condition::parse(&text) {
            let again = Condition::parse(&condition.to_string()).unwrap().unwrap();
            prop_assert_eq!(again.alternatives(), condition.alternatives());
        }
    }
}

// rule: P1
#[test]
fn a_megabyte_of_anything_is_read_in_one_pass() {
    let start = std::time::Instant::now();
    for piece in ["(", ")", "|", "a|", "a(b)", ")|", ") | ", "Bash(a)|", " ", "*"] {
        let text = format!("Bash({})", piece.repeat(1_000_000 / piece.len()));
        let _ = Rule::parse(&text);
        let _ = Condition::parse(&text[5..]);
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(60), "{:?}", start.elapsed());
}
