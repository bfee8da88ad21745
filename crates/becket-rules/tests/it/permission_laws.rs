//! Laws for any rules and any call: the order of the lists, the effect of an added rule, and which rules are wider.
//!
//! Rules and calls are drawn from the case file of calls, so that they often match.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a fault in a case file fails the test")]

use std::path::Path;
use std::time::{Duration, Instant};

use becket_rules::{
    Behavior, Call, Condition, NoLinks, Rule, RuleList, RuleOrigin, RuleSet, RuleWarning, Scope,
    critical_removal,
    shell::{Line, UnknownReason},
    tools,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const CASES: &str = include_str!("../cases/permission_calls.json");

type ListedRule = (RuleList, String);

fn cases() -> Vec<Map<String, Value>> {
    serde_json::from_str(CASES).expect("a list of objects")
}

fn rule_texts() -> Vec<String> {
    let of_case = |case: &Map<String, Value>| {
        let lists = RuleList::ALL.into_iter().filter_map(|list| case.get(list.key())?.as_array());
        lists.flatten().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
    };
    cases().iter().flat_map(of_case).collect()
}

/// Returns tools with inputs.
fn calls() -> Vec<(String, Map<String, Value>)> {
    let of_case = |case: &Map<String, Value>| {
        let tool = case["tool"].as_str().unwrap_or_default();
        let field = tools::find(tool).and_then(|tool| tool.primary.field()).unwrap_or("none");
        let input = match &case["input"] {
            Value::Object(input) => input.clone(),
            text @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
                Map::from_iter([(field.to_owned(), text.clone())])
            }
        };
        (tool.to_owned(), input)
    };
    // Past the bound of the analysis, a rule that was not compared asks, in any list.
    cases().iter().filter(|case| case["rule"] != "P6").map(of_case).collect()
}

fn rule() -> impl Strategy<Value = String> {
    proptest::sample::select(rule_texts())
}

fn listed() -> impl Strategy<Value = Vec<ListedRule>> {
    let list = proptest::sample::select(RuleList::ALL.to_vec());
    proptest::collection::vec((list, rule()), 0..8)
}

fn call() -> impl Strategy<Value = (String, Map<String, Value>)> {
    proptest::sample::select(calls())
}

fn scope() -> Scope<'static> {
    Scope {
        cwd: Path::new("/work/app"),
        home: Some(Path::new("/home/ann")),
        anchor: Path::new("/work/app/.claude"),
        links: &NoLinks,
    }
}

fn is_unreadable((_, input): &(String, Map<String, Value>)) -> bool {
    let line = input.get("command").and_then(Value::as_str).map(Line::parse);
    // A pattern that leaves its directory may be about any file.
    let leaves = |glob: &str| glob.contains("..") || glob.starts_with('!');
    input.get("glob").and_then(Value::as_str).is_some_and(leaves)
        || line.is_some_and(|line| line.unknowns().any(|why| matches!(why, UnknownReason::Unparsable { .. })))
}

fn decide<'a>(
    rules: impl IntoIterator<Item = &'a ListedRule>,
    (tool, input): &(String, Map<String, Value>),
) -> Behavior {
    let origin = RuleOrigin { label: "project".to_owned(), anchor: "/work/app/.claude".into() };
    let mut set = RuleSet::default();
    for (list, text) in rules {
        set.add(*list, text, origin.clone()).unwrap();
    }
    set.decide(&Call::new(tool, input), &scope()).behavior
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    // rule: P11
    #[test]
    fn order_does_not_count(rules in listed(), call in call()) {
        prop_assert_eq!(decide(&rules, &call), decide(rules.iter().rev(), &call));
    }

    // rule: P11
    #[test]
    fn a_rule_more_changes_what_its_list_may_change(rules in listed(), text in rule(), call in call()) {
        let before = decide(&rules, &call);
        for list in RuleList::ALL {
            let more = (list, text.clone());
            let after = decide(rules.iter().chain([&more]), &call);
            let may = match (list, before) {
                // Files may be anywhere in a line that can't be read.
                (RuleList::Deny, Behavior::Allow | Behavior::Undecided) if is_unreadable(&call) => {
                    after != Behavior::Allow || before == Behavior::Allow
                }
                (RuleList::Deny, _) => after == before || after == Behavior::Deny,
                (RuleList::Ask, Behavior::Deny) => after == Behavior::Deny,
                (RuleList::Ask, _) => after == before || after == Behavior::Ask,
                (RuleList::Allow, Behavior::Undecided) => after == before || after == Behavior::Allow,
                (RuleList::Allow, Behavior::Deny | Behavior::Ask | Behavior::Allow) => after == before,
            };
            prop_assert!(may, "`{text}` in {list:?} turned {before:?} into {after:?}");
        }
    }

    // rules: P4, P7, P9, P10
    #[test]
    fn a_rule_that_grants_a_call_would_deny_it(text in rule(), call in call()) {
        let alone = |list| decide(&[(list, text.clone())], &call);
        if alone(RuleList::Allow) == Behavior::Allow {
            prop_assert_eq!(alone(RuleList::Deny), Behavior::Deny);
            prop_assert_eq!(alone(RuleList::Ask), Behavior::Ask);
        }
    }

    // rules: P6, P7
    #[test]
    fn a_guard_misses_nothing_that_a_deny_for_its_tool_catches(text in rule(), call in call()) {
        let rule = Rule::parse(&text).unwrap();
        let own = rule.tool() == call.0;
        // `name/**` and `./name/**` are at any depth in a deny rule only (P7).
        let path = rule.specifier().map(|text| text.strip_prefix("./").unwrap_or(text));
        let single = path.is_some_and(|text| text.split('/').count() == 2 && text.ends_with("/**"));
        if own && !single && decide(&[(RuleList::Deny, text.clone())], &call) == Behavior::Deny {
            let condition = Condition::parse(&text).unwrap().unwrap();
            prop_assert!(condition.applies(&Call::new(&call.0, &call.1), &scope()).runs());
        }
    }

    // rules: P1, P7, P9, P10
    #[test]
    fn no_text_makes_anything_panic(tool in "[A-Z][a-zA-Z_*]{0,8}|Bash|Read|Edit|WebFetch|Skill|Agent|Glob|Grep|PowerShell", specifier in any::<String>(), value in any::<String>()) {
        let text = format!("{tool}({specifier})");
        let Ok(rule) = Rule::parse(&text) else { return Ok(()) };
        let input = Map::from_iter(["command", "file_path", "path", "pattern", "url", "skill", "args", "subagent_type"].map(|field| (field.to_owned(), Value::from(value.clone()))));
        for list in RuleList::ALL {
            let _ = RuleWarning::of(&rule, list);
            for tool in tools::known() {
                decide(&[(list, text.clone())], &((*tool).to_owned(), input.clone()));
            }
        }
        let condition = Condition::parse(&text).unwrap().unwrap();
        for tool in tools::known() {
            let call = Call::new(tool, &input);
            let _ = condition.applies(&call, &scope());
            let _ = critical_removal(&call, &scope());
        }
    }
}

// rules: P3, P7, P9, P10
#[test]
fn long_texts_are_read_in_time() {
    let start = Instant::now();
    let long = ["a/", "*", "**/", "[", "../", "a*", "é", "a.", "$x/", "$(", "cd a;"];
    for piece in long {
        let long = piece.repeat(250_000 / piece.len());
        for tool in ["Bash", "Edit", "Glob", "WebFetch", "Skill", "Agent", "PowerShell", "mcp__a__b"] {
            let field = tools::find(tool).and_then(|tool| tool.primary.field()).unwrap_or("x");
            for (specifier, value) in [("a*b*c*/**/d/**/*x", long.as_str()), (long.as_str(), "a/b/c.d")] {
                let Ok(rule) = Rule::parse(&format!("{tool}({specifier})")) else { continue };
                let input = json!({ field: value, "x": value });
                let call = (tool.to_owned(), input.as_object().cloned().unwrap());
                for list in [RuleList::Deny, RuleList::Allow] {
                    decide(&[(list, rule.to_string())], &call);
                }
            }
        }
    }
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}

// rule: P7
#[test]
fn names_that_multiply_are_read_in_time() {
    let fill =
        |head: &str, piece: &str| format!("{head}{}", piece.repeat((9_900 - head.len()) / piece.len()));
    let values: String = (0..300).map(|at| format!("x={at}aaaaaaaaab;")).collect();
    let path: String = (0..64).map(|at| format!("{at}:")).collect();
    for line in [
        fill(&values, "cat ${x##*a*a*c};"),
        fill(&values, "cat ${x##*a*a*c}$x$x;"),
        fill(&values, "echo > $x$(y)$x;"),
        fill(&values, "cd $x;"),
        fill(&format!("CDPATH={path};"), "cd x;"),
        fill(&format!("{values}CDPATH=$x:$x;"), "cd $x;"),
        fill("patch;git apply;", "echo '--- a +++ b';"),
        fill("printf '--- a\\n+++ b';", "patch;"),
        fill("read x;", "echo > $x;"),
        fill(&format!("{values}read x;"), "echo > $x;"),
        fill("", "git add $x;"),
        fill("", "curl file:///{a,b};"),
        fill("tar x", " --transform=s,a,b,"),
        fill("", "GIT_TRACE=/$x a;"),
    ] {
        let input = Map::from_iter([("command".to_owned(), Value::from(line.as_str()))]);
        let start = Instant::now();
        decide(&[(RuleList::Deny, "Read(./secrets/**)".to_owned())], &("Bash".to_owned(), input));
        assert!(start.elapsed() < Duration::from_secs(60), "{:?} at {:?}", start.elapsed(), line.get(..40));
    }
}

/// A resolver that counts the paths that are looked up.
struct CountingLinks(std::cell::Cell<usize>);

impl becket_rules::Links for CountingLinks {
    fn target(&self, _: &Path) -> Option<std::path::PathBuf> {
        self.0.set(self.0.get() + 1);
        None
    }
}

// rules: P6, P7
#[test]
fn a_long_line_looks_up_few_paths_and_is_asked_about() {
    let operands: String = (0..1_400).map(|at| format!(" f{at}")).collect();
    let changes: String = (0..64).map(|at| format!("cd d{at};")).collect();
    let braces = "cd {0,1,2,3,4,5,6,7}{0,1,2,3,4,5,6,7};";
    for line in
        [format!("{changes} cat {operands}"), format!("cat {operands}"), format!("{braces} rm {operands}")]
    {
        let mut set = RuleSet::default();
        let origin = RuleOrigin { label: "project".to_owned(), anchor: "/work/app/.claude".into() };
        for rule in ["Read(./secrets/**)", "Bash(git push *)"] {
            set.add(RuleList::Deny, rule, origin.clone()).unwrap();
        }
        set.add(RuleList::Allow, "Bash", origin).unwrap();
        let counted = CountingLinks(std::cell::Cell::new(0));
        let input = Map::from_iter([("command".to_owned(), Value::from(line))]);
        let decision = set.decide(&Call::new("Bash", &input), &Scope { links: &counted, ..scope() }).behavior;
        assert_eq!(decision, Behavior::Ask);
        assert!(counted.0.get() < 4_096, "{} paths", counted.0.get());
    }
}
