//! Calls compared with permission rules, conditions and the removals that no allow rule covers: one data file each.
//!
//! The session is in `/work/app`, the user's home is `/home/ann`, the rules are in `/work/app/.claude`.

#![expect(clippy::expect_used, clippy::panic, reason = "a fault in a case file fails the test")]

use becket_rules::{
    Applies, Behavior, Call, Condition, RuleList, RuleOrigin, RuleSet, Scope, critical_removal,
    critical_removal_in, tools,
};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

type Case = Map<String, Value>;

fn read(text: &str) -> Vec<Case> {
    serde_json::from_str(text).expect("a list of objects")
}

fn text<'a>(case: &'a Case, key: &str) -> &'a str {
    case.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("no `{key}` in {case:?}"))
}

fn texts<'a>(case: &'a Case, key: &str) -> Vec<&'a str> {
    case.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Returns the input of a case; a text is the tool's main field.
fn input(case: &Case) -> Map<String, Value> {
    match case.get("input") {
        Some(Value::Object(input)) => input.clone(),
        Some(Value::String(text)) => {
            let tool = tools::find(case["tool"].as_str().unwrap_or_default());
            let field = tool.and_then(|tool| tool.primary.field()).expect("a tool with a main field");
            Map::from_iter([(field.to_owned(), Value::from(text.as_str()))])
        }
        other => panic!("no input: {other:?}"),
    }
}

fn links(case: &Case) -> HashMap<PathBuf, PathBuf> {
    let links = case.get("links").and_then(Value::as_object).into_iter().flatten();
    links.map(|(from, to)| (from.into(), to.as_str().unwrap_or_default().into())).collect()
}

fn scope<'a>(case: &Case, links: &'a HashMap<PathBuf, PathBuf>) -> Scope<'a> {
    Scope {
        cwd: Path::new("/work/app"),
        home: (!case.contains_key("homeless")).then_some(Path::new("/home/ann")),
        anchor: Path::new("/work/app/.claude"),
        links,
    }
}

fn rules(case: &Case) -> RuleSet {
    let origin = RuleOrigin { label: "project".to_owned(), anchor: "/work/app/.claude".into() };
    let mut rules = RuleSet::default();
    for list in RuleList::ALL {
        for rule in texts(case, list.key()) {
            rules.add(list, rule, origin.clone()).unwrap_or_else(|error| panic!("{error}"));
        }
    }
    rules
}

/// Runs every case and reports all wrong ones at once.
fn check(data: &str, least: usize, found: impl Fn(&Case) -> (&'static str, String)) {
    let cases = read(data);
    assert!(cases.len() >= least, "the case file is cut short: {}", cases.len());
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let (is, why) = found(case);
            (is != text(case, "is")).then(|| format!("{is} ({why}): {}", Value::Object(case.clone())))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

// rules: P1, P2, P3, P4, P5, P7, P8, P9, P10, P11, P15, M7
#[test]
fn rules_decide_calls() {
    check(include_str!("../cases/permission_calls.json"), 150, |case| {
        let (input, links, rules) = (input(case), links(case), rules(case));
        let decision = rules.decide(&Call::new(text(case, "tool"), &input), &scope(case, &links));
        let is = match decision.behavior {
            Behavior::Deny => "deny",
            Behavior::Ask => "ask",
            Behavior::Allow => "allow",
            Behavior::Undecided => "undecided",
        };
        assert!(!decision.why.is_empty() && !decision.why.ends_with('.'), "{}", decision.why);
        assert_eq!(decision.rule.is_none(), decision.behavior == Behavior::Undecided);
        (is, decision.why)
    });
}

// rules: P6, P7, P8, P9, P10, P12
#[test]
fn conditions_let_handlers_run() {
    check(include_str!("../cases/permission_conditions.json"), 60, |case| {
        let (input, links) = (input(case), links(case));
        let condition = Condition::parse(text(case, "if")).unwrap_or_else(|error| panic!("{error}"));
        let condition = condition.expect("a condition");
        match condition.applies(&Call::new(text(case, "tool"), &input), &scope(case, &links)) {
            Applies::Match { why } => ("match", why),
            Applies::NoMatch { why } => ("no", why),
            Applies::Unknown { why } => ("unknown", why),
        }
    });
}

// rule: D3
#[test]
fn critical_removals_are_seen() {
    check(include_str!("../cases/permission_removals.json"), 60, |case| {
        let (input, links) = (input(case), links(case));
        let why = critical_removal(&Call::new(text(case, "tool"), &input), &scope(case, &links));
        (if why.is_some() { "critical" } else { "no" }, why.unwrap_or_default())
    });
}

/// Decides a line where every command whose first word is `echo` is harmless.
fn beside(allow: &[&str], ask: &[&str], line: &str) -> (Behavior, String) {
    let mut rules = RuleSet::default();
    let origin = RuleOrigin { label: "project".to_owned(), anchor: "/work/app/.claude".into() };
    let lists = [(RuleList::Allow, allow), (RuleList::Ask, ask)];
    for (list, texts) in lists {
        for text in texts {
            rules.add(list, text, origin.clone()).expect("a rule");
        }
    }
    let input = Map::from_iter([("command".to_owned(), Value::from(line))]);
    let cwd = Path::new("/work/app");
    let scope = Scope { cwd, home: Some(Path::new("/home/ann")), anchor: cwd, links: &HashMap::new() };
    let decision = rules.decide_beside(&Call::new("Bash", &input), &scope, &|line| {
        let commands = line.commands().iter().enumerate();
        commands.filter(|(_, command)| command.text().starts_with("echo")).map(|(index, _)| index).collect()
    });
    (decision.behavior, decision.why)
}

// rules: P4, P14
#[test]
fn harmless_commands_complete_a_line_whose_others_rules_cover_and_nothing_else() {
    let allow = ["Bash(npm test)", "Bash(make *)"];
    let why = |line: &str| match beside(&allow, &[], line) {
        (Behavior::Allow, why) => why,
        other => panic!("{line}: {other:?}"),
    };
    assert_eq!(why("npm test && echo ok"), "it covers `npm test`, and `echo ok` only reads");
    assert_eq!(
        why("echo a; npm test; make all; echo b"),
        "rules cover `npm test`, `make all`, and `echo a`, `echo b` only read"
    );
    assert_eq!(why("npm test; make all"), "every subcommand is covered");
    for line in [
        "echo a",
        "echo a; echo b",
        "npm test; pwn; echo a",
        "npm test; echo $(pwn)",
        "npm test; echo a > b",
        "npm test; echo a < b",
        "npm test; echo a < /dev/tcp/h/1",
        "npm test; echo $((a[b]))",
        "npm test; echo ${a[b]:c}",
        "npm test; $X; echo a",
        "npm test; echo 'a",
        "npm test; echo a | sh",
        "npm test; sudo pwn; echo a",
    ] {
        assert_eq!(beside(&allow, &[], line).0, Behavior::Undecided, "{line}");
    }
    for line in ["npm test; echo a", "npm test && echo a | cat"] {
        assert_eq!(beside(&allow, &["Bash(echo *)"], line).0, Behavior::Ask, "{line}");
    }
}

// rule: D3
#[test]
fn the_variables_of_the_environment_count_beside_those_of_the_line() {
    let cwd = Path::new("/work/app");
    let scope = Scope { cwd, home: Some(Path::new("/home/ann")), anchor: cwd, links: &HashMap::new() };
    let variables = |name: &str| {
        let value = match name {
            "MINE" => "/home/ann",
            "TOP" => "/",
            "DEEP" => "/home/ann/a/b",
            "BUILD" => "/work/app/target/debug",
            "NAME" => "MINE",
            "REMOVE" => "rm",
            "PWD" => "/",
            _ => return None,
        };
        Some(value.to_owned())
    };
    let is_critical = |line: &str, known: bool| {
        let input = Map::from_iter([("command".to_owned(), Value::from(line))]);
        let call = Call::new("Bash", &input);
        let without = critical_removal(&call, &scope).is_some();
        let within = critical_removal_in(&call, &scope, &variables).is_some();
        assert!(within || !without, "no environment makes a removal less critical: {line}");
        if known { within } else { without }
    };
    for line in [
        "rm -rf \"$MINE\"",
        "rm -rf $MINE",
        "rm -rf ${MINE}",
        "rm -rf \"$TOP\"",
        "rm -rf \"${MINE:-x}\"",
        "rm -rf \"${DEEP%/*/*}\"",
        "rm -rf ${!NAME}",
        "rm -rf $(printenv MINE)",
        "rm -rf \"$(echo $MINE)\"",
        "X=$MINE; rm -rf $X",
        "cd \"$TOP\" && rm -rf usr",
        "sudo rm -r \"$MINE\"",
        "bash -c 'rm -rf \"$MINE\"'",
        "rmdir $MINE",
        "ls | xargs rm -rf \"$MINE\"",
        "$REMOVE -rf /",
        "$REMOVE \"$MINE\"",
    ] {
        assert!(is_critical(line, true), "{line}");
    }
    for line in ["rm -rf \"$BUILD\"", "rm -rf $BUILD", "rm -f x$MINE", "echo $MINE; rm -rf target", "ls $TOP"]
    {
        assert!(!is_critical(line, true), "{line}");
    }
    // The line may remove the variable, or set another value.
    for line in ["unset BUILD; rm -rf \"$BUILD/x\"", "BUILD=/; rm -rf $BUILD", "rm -rf \"$BUILD\"/*"] {
        assert!(is_critical(line, true) && is_critical(line, false), "{line}");
    }
}
