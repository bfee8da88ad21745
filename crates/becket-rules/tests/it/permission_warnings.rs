//! Rules that parse but do less than they seem to: each gets its warning, and no other rule does.

use becket_rules::{Rule, RuleList, RuleWarning};

/// The warnings about a rule in the deny, the ask and the allow list.
const TABLE: [(&str, [&str; 3]); 75] = [
    // rule: P1
    ("Bash", ["", "", ""]),
    ("mcp__*", ["", "", "unanchored"]),
    ("*", ["", "", "unanchored"]),
    ("mcp__git__*", ["", "", ""]),
    ("mcp__git", ["", "", ""]),
    ("mcp__dot.ted__add", ["", "", "name"]),
    ("mcp__dot.ted", ["", "", "name"]),
    ("Bsah(ls)", ["unknown", "unknown", ""]),
    ("My_Tool", ["", "", ""]),
    ("Task", ["", "", ""]),
    ("KillBash", ["", "", ""]),
    // rule: P7
    ("Write(a)", ["never", "never", "never"]),
    ("NotebookEdit(a)", ["never", "never", "never"]),
    ("MultiEdit(a)", ["never", "never", "never"]),
    ("Glob(a)", ["never", "never", "never"]),
    ("Write", ["", "", ""]),
    ("Edit(src/**)", ["", "", ""]),
    ("Grep(src/**)", ["", "", ""]),
    ("Edit(!src/**)", ["negated", "negated", "negated"]),
    ("Read([a)", ["malformed", "malformed", "malformed"]),
    ("Read(a\\)", ["malformed", "malformed", "malformed"]),
    ("Read([ab])", ["", "", ""]),
    ("Read(**/../a)", ["malformed", "malformed", "malformed"]),
    // rule: P9
    ("WebFetch(domain:example.com)", ["", "", ""]),
    ("WebFetch(domain:*.example.com)", ["", "", ""]),
    ("WebFetch(domain:*)", ["", "", ""]),
    ("WebFetch(domain:[::1])", ["", "", ""]),
    ("WebFetch(example.com)", ["domain", "domain", "domain"]),
    ("WebFetch(domain:https://example.com)", ["domain", "domain", "domain"]),
    ("WebFetch(domain:example.com/a)", ["domain", "domain", "domain"]),
    ("WebFetch(domain:example.com:80)", ["domain", "domain", "domain"]),
    // rule: P10
    ("Bash(command:ls)", ["primary", "primary", "primary"]),
    ("Edit(file_path:a)", ["primary", "primary", "primary"]),
    ("WebFetch(url:x)", ["primary", "primary", "primary"]),
    ("WebFetch(prompt:x)", ["", "", "parameter"]),
    ("mcp__db__query(limit:1)", ["", "", "parameter"]),
    ("Agent(model:opus)", ["", "", "parameter"]),
    ("Bash(git:*)", ["", "", ""]),
    // rules: P3, P7, P9: specifiers meant for another syntax
    ("bash(git push *)", ["unknown", "unknown", "unknown"]),
    ("Edit(/etc/**)", ["settings", "settings", "settings"]),
    ("Read(/home/ann/.ssh/**)", ["settings", "settings", "settings"]),
    ("Edit(//etc/**)", ["", "", ""]),
    ("Edit(/src/**)", ["", "", ""]),
    ("Bash(^git push.*)", ["matches", "matches", "matches"]),
    ("Bash(git push$)", ["matches", "matches", "matches"]),
    ("Bash(rm\\s+-rf *)", ["matches", "matches", "matches"]),
    ("Bash(\"git push\" *)", ["matches", "matches", "matches"]),
    ("Bash('git push')", ["matches", "matches", "matches"]),
    ("Bash(\"my tool\")", ["matches", "matches", "matches"]),
    ("Bash(\"/mnt/c/Program Files/a.exe\" /E \"a b\")", ["", "", ""]),
    ("Bash(git push *)(x)", ["matches", "matches", "matches"]),
    ("Bash(rm:-rf:/)", ["matches", "matches", "matches"]),
    ("Bash(chmod:-R:777:*)", ["matches", "matches", "matches"]),
    ("Bash(DROP TABLE *)", ["matches", "matches", "matches"]),
    ("Bash(DROP *)", ["matches", "matches", "matches"]),
    ("Bash(TRUNCATE orders:*)", ["matches", "matches", "matches"]),
    ("Bash(drop *)", ["", "", ""]),
    ("Bash(done)", ["matches", "matches", "matches"]),
    ("Bash(do echo a)", ["matches", "matches", "matches"]),
    ("Bash(for:*)", ["matches", "matches", "matches"]),
    ("Bash(while read x)", ["matches", "matches", "matches"]),
    ("Bash(for f in a; do cat \"$f\"; done)", ["", "", ""]),
    ("Bash(format:*)", ["", "", ""]),
    ("Bash(python -c \":*)", ["matches", "matches", "matches"]),
    ("Bash(python -c \"print(1)\" *)", ["", "", ""]),
    ("Bash(/path/to/run.sh)", ["placeholder", "placeholder", "placeholder"]),
    ("Read(/path/to/project/**)", ["placeholder", "placeholder", "placeholder"]),
    ("Bash(run_in_background:true)", ["", "", ""]),
    ("Bash(C:\\x.exe)", ["", "", ""]),
    ("Bash(curl http://a.b/c)", ["", "", ""]),
    ("Bash(npm run a:b)", ["", "", ""]),
    ("Bash(git commit -m \"a b\")", ["", "", ""]),
    ("Bash(ls .*)", ["", "", ""]),
    ("WebFetch(https://evil.com)", ["domain", "domain", "domain"]),
    ("WebFetch(http: //evil.com/x)", ["domain", "domain", "domain"]),
];

fn kind(warning: &RuleWarning) -> &'static str {
    match warning {
        RuleWarning::UnanchoredGlob { .. } => "unanchored",
        RuleWarning::NoToolName { .. } => "name",
        RuleWarning::UnknownTool { .. } => "unknown",
        RuleWarning::NeverConsulted { .. } => "never",
        RuleWarning::PrimaryField { .. } => "primary",
        RuleWarning::ParameterInAllow { .. } => "parameter",
        RuleWarning::NoDomain { .. } => "domain",
        RuleWarning::Malformed { .. } => "malformed",
        RuleWarning::Negated { .. } => "negated",
        RuleWarning::NeverMatches { .. } => "matches",
        RuleWarning::StartsAtSettings { .. } => "settings",
        RuleWarning::Placeholder { .. } => "placeholder",
    }
}

// rules: P1, P7, P9, P10
#[test]
fn each_is_named_where_it_is_so() {
    for (text, expected) in TABLE {
        let rule = Rule::parse(text).unwrap();
        for (list, expected) in RuleList::ALL.into_iter().zip(expected) {
            let warnings = RuleWarning::of(&rule, list);
            let found: Vec<&str> = warnings.iter().map(kind).collect();
            assert_eq!(found.join(" "), expected, "`{text}` in {list:?}");
            for message in warnings.iter().map(ToString::to_string) {
                assert!(message.contains('`') && !message.ends_with('.'), "{message}");
            }
        }
    }
}

// rule: P1
#[test]
fn a_misspelt_tool_is_proposed() {
    let warnings = RuleWarning::of(&Rule::parse("Bsah(ls)").unwrap(), RuleList::Deny);
    let [RuleWarning::UnknownTool { suggestion, .. }] = warnings.as_slice() else {
        unreachable!("{warnings:?}")
    };
    assert_eq!(*suggestion, Some("Bash"));
}

// rules: P1, X5
#[test]
fn the_name_that_a_tool_really_has_is_proposed_with_the_specifier() {
    for (text, expected) in
        [("mcp__my.srv__add", "mcp__my_srv__add"), ("mcp__my.srv__add(text:x)", "mcp__my_srv__add(text:x)")]
    {
        let warnings = RuleWarning::of(&Rule::parse(text).unwrap(), RuleList::Allow);
        let instead = warnings.iter().find_map(|warning| {
            let RuleWarning::NoToolName { instead, .. } = warning else { return None };
            Some(instead.as_str())
        });
        assert_eq!(instead, Some(expected), "{warnings:?}");
    }
}
