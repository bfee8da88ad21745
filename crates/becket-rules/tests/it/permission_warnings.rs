//! Rules that parse but do less than they seem to: each gets its warning, and no other rule does.

use becket_rules::{Rule, RuleList, RuleWarning};

/// The warnings about a rule in the deny, the ask and the allow list.
const TABLE: [(&str, [&str; 3]); 138] = [
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
    // rule: P2
    ("mcp_git_push", ["mcp", "mcp", "mcp"]),
    ("mcp__git_push", ["", "", ""]),
    // rule: P10: a tool without a field that a specifier is compared with
    ("WebSearch(cats)", ["specifier", "specifier", "specifier"]),
    ("mcp__db__query(DROP *)", ["specifier", "specifier", "specifier"]),
    ("mcp__db__query(*)", ["", "", ""]),
    ("My_Tool(x)", ["", "", ""]),
    // rule: P3: what a shell, another tool or a list would read otherwise
    ("Bash(rm {a,b})", ["misses", "misses", ""]),
    ("Bash({npm,yarn} install *)", ["misses", "misses", ""]),
    ("Bash(curl -d '{\"a\":1,\"b\":2}' *)", ["", "", ""]),
    ("Bash(awk '{print $1, $2}' *)", ["", "", ""]),
    ("Bash(echo ${a,b})", ["", "", ""]),
    ("Bash(git show HEAD@{1})", ["", "", ""]),
    ("Bash((rm|mv) *)", ["misses", "misses", ""]),
    ("Bash(git (push|commit) *)", ["misses", "misses", ""]),
    ("Bash(grep -E '(a|b)' *)", ["", "", ""]),
    ("Bash(python[23] *)", ["misses", "misses", ""]),
    ("Bash(rm -[rR]f *)", ["misses", "misses", ""]),
    ("Bash([ -f x ])", ["", "", ""]),
    ("Bash(curl https://a.b/c?d=e)", ["", "", ""]),
    ("Bash(rm *, mv *)", ["misses", "misses", ""]),
    ("Bash(rm:*,mv:*)", ["misses", "misses", ""]),
    ("Bash(git log --format=%h,%s *)", ["", "", ""]),
    ("Bash(\"rm\" *)", ["misses", "misses", ""]),
    ("Bash(rm '-rf' *)", ["misses", "misses", ""]),
    ("Bash(git commit -m \"wip\")", ["", "", ""]),
    ("Bash(rm -rf \\*)", ["misses", "misses", ""]),
    ("Bash(cat *\\.env)", ["misses", "misses", ""]),
    ("Bash(find . -exec rm {} \\;)", ["", "", ""]),
    ("Bash(dir\\.git *)", ["", "", ""]),
    ("Bash(git.*push)", ["misses", "misses", ""]),
    ("Bash(mkfs.*)", ["", "", ""]),
    ("Bash(.*rm -rf.*)", ["matches", "matches", "matches"]),
    ("Bash(./*.sh)", ["", "", ""]),
    ("Bash(grep -P \"\\d+\" f)", ["", "", ""]),
    ("Bash(C:\\bin\\x.exe *)", ["", "", ""]),
    ("Bash(git push:--force *)", ["matches", "matches", "matches"]),
    ("Bash(git push:-f:*)", ["matches", "matches", "matches"]),
    ("Bash(git:* push)", ["matches", "matches", "matches"]),
    ("Bash(scp a b:*)", ["", "", ""]),
    ("Bash(docker run nginx:* sh)", ["", "", ""]),
    // rule: P7: what gitignore does not know
    ("Read(~root/**)", ["file", "file", "file"]),
    ("Read(~ann/.ssh/**)", ["file", "file", "file"]),
    ("Read(~/.ssh/**)", ["", "", ""]),
    ("Read(~$a.docx)", ["", "", ""]),
    ("Read(file:///etc/**)", ["file", "file", "file"]),
    ("Read(https://example.com/x)", ["file", "file", "file"]),
    ("Edit(C:/Users/**)", ["file", "file", "file"]),
    ("Edit(C:\\Users\\**)", ["file", "file", "file"]),
    ("Read(**/*.{pem,key})", ["file", "file", "file"]),
    ("Read(.env{,.local})", ["file", "file", "file"]),
    ("Read({{cookiecutter.a,b}}/x)", ["", "", ""]),
    ("Read(src/[id]/**)", ["", "", ""]),
    ("Edit(app/(group)/**)", ["", "", ""]),
    ("Edit(@(a|b)/**)", ["file", "file", "file"]),
    ("Read(.env, .env.local)", ["file", "file", "file"]),
    ("Read(.env|*.pem)", ["file", "file", "file"]),
    ("Read(My report v1.0, final.docx)", ["", "", ""]),
    ("Read(\"./.env\")", ["file", "file", "file"]),
    ("Read(^/etc/.*)", ["file", "file", "file"]),
    ("Read(.*\\.env)", ["file", "file", "file"]),
    ("Read(.env:*)", ["file", "file", "file"]),
    ("Read(limit:1)", ["", "", ""]),
    ("Grep({a,b}/**)", ["file", "file", "file"]),
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
        RuleWarning::Misses { .. } => "misses",
        RuleWarning::NoFile { .. } => "file",
        RuleWarning::NoSpecifier { .. } => "specifier",
        RuleWarning::NoMcpName { .. } => "mcp",
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

// rules: P3, P7
#[test]
fn the_form_that_is_proposed_has_no_warning_of_its_own() {
    for (text, expected) in [
        ("Bash(rm {a,b})", "`Bash(rm a)`, `Bash(rm b)`"),
        ("Bash({npm,yarn,pnpm,bun,deno} add *)", "`Bash(bun add *)` and so on"),
        ("Bash((rm|mv) *)", "`Bash(rm *)`, `Bash(mv *)`"),
        ("Bash(rm:*, mv:*)", "`Bash(rm:*)`, `Bash(mv:*)`"),
        ("Bash(\"rm\" -rf *)", "`Bash(rm -rf *)`"),
        ("Bash(rm -rf \\*)", "`Bash(rm -rf *)`"),
        ("Bash(git.*push)", "`Bash(git *push)`"),
        ("Bash(git:* push *)", "`Bash(git * push *)`"),
        ("Bash(git push:--force *)", "`Bash(git push --force *)`"),
        ("Read(~root/**)", "`Read(//root/**)`"),
        ("Read(~ann/x)", "`Read(//home/ann/x)`"),
        ("Read(file:///etc/**)", "`Read(//etc/**)`"),
        ("Read(file://localhost/etc/passwd)", "`Read(//etc/passwd)`"),
        ("Read(https://example.com/x)", "`WebFetch(domain:example.com)`"),
        ("Edit(C:\\Users\\**)", "`Edit(//c/Users/**)`"),
        ("Read(.env{,.local})", "`Read(.env)`, `Read(.env.local)`"),
        ("Edit(src/@(a|b)/**)", "`Edit(src/a/**)`, `Edit(src/b/**)`"),
        ("Read(.env|*.pem)", "`Read(.env)`, `Read(*.pem)`"),
        ("Read('.env')", "`Read(.env)`"),
        ("Read(.*\\.pem$)", "`Read(*.pem)`"),
        ("Read(secrets:*)", "`Read(secrets)`"),
    ] {
        let [warning] = RuleWarning::of(&Rule::parse(text).unwrap(), RuleList::Deny).try_into().unwrap();
        let message = warning.to_string();
        assert!(message.contains(expected), "{text}: {message}");
        let proposed = message.split_once("write ").unwrap().1.split('`').skip(1).step_by(2);
        for rule in proposed.filter_map(|rule| Rule::parse(rule).ok()) {
            assert_eq!(RuleWarning::of(&rule, RuleList::Deny), [], "{text}: {rule}");
        }
    }
}

// rule: P12
#[test]
fn a_condition_that_no_call_matches_is_named_and_no_other() {
    for (text, is_idle) in [
        ("Bash(^git push.*)", true),
        ("Bash(git {push,commit} *)", true),
        ("Write(**/*.{pem,key})", true),
        ("Edit(~root/**)", true),
        ("Bash(/path/to/x)", true),
        ("Bash(git push *)", false),
        ("Write(src/**)", false),
        ("Edit(/etc/**)", false),
        ("Edit(!src/**)", false),
        ("WebFetch(example.com)", false),
        ("WebSearch(cats)", false),
        ("Write", false),
    ] {
        let rule = Rule::parse(text).unwrap();
        assert_eq!(RuleWarning::of_condition(&rule).is_some(), is_idle, "{text}");
    }
}
