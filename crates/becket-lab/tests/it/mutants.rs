use crate::bench::{Bench, GUARD, guarded_by, killed, results, survived, with};
use becket_lab::mutant::Mutant;
use becket_lab::mutation::{MutantReport, MutantResult};

const DENY: &str = r#"
[[case]]
name = "danger is denied"
tool = { name = "Bash", input = { command = "danger" } }
want = { decision = "deny", reason = "no danger*", by = "NAME" }
"#;
const PASS: &str = r#"
[[case]]
name = "the rest passes"
tool = { name = "Bash", input = { command = "ls" } }
want = { decision = "pass" }
"#;
const OTHER: &str = r#"
[[case]]
name = "only commands are judged"
tool = { name = "Write", input = { file_path = "danger" } }
want = { decision = "pass", skipped = "NAME" }
"#;

/// Returns a guard in a file, with these cases.
fn guarded(cases: &[&str]) -> Bench {
    let bench = Bench::new(&guarded_by("sh \"$CLAUDE_PROJECT_DIR\"/guard.sh"));
    bench.write("guard.sh", GUARD);
    bench.cases(&cases.concat().replace("NAME", "guard.sh"))
}

#[test]
fn a_good_suite_leaves_no_survivor() {
    let reports = guarded(&[DENY, PASS, OTHER]).mutants();
    assert_eq!(with(&reports, survived), Vec::<String>::new());
    let expected: Vec<String> = Mutant::ALL
        .iter()
        .filter(|mutant| !matches!(mutant, Mutant::IfDropped | Mutant::AnswerOnStderr))
        .map(|mutant| format!("guard.sh {mutant}"))
        .collect();
    assert_eq!(with(&reports, killed), expected);
    for report in &reports {
        if let MutantResult::NotApplicable { why } = &report.result {
            assert!(!why.is_empty(), "{report:?}");
        }
    }
}

#[test]
fn weak_suites_leave_exactly_their_survivors() {
    let leaves = |cases: &[&str], expected: &[&str]| {
        let survivors = with(&guarded(cases).mutants(), survived);
        let expected: Vec<String> = expected.iter().map(|name| format!("guard.sh {name}")).collect();
        assert_eq!(survivors, expected, "{cases:?}");
    };
    // Nothing is ever denied.
    leaves(&[PASS], &["always-pass", "deleted", "matcher-never", "matcher-widened", "empty-stdin"]);
    // Nothing ever passes.
    leaves(&[DENY], &["matcher-widened"]);
    // The decision is not compared.
    let unchecked = DENY.replace(
        "decision = \"deny\", reason = \"no danger*\", by = \"NAME\"",
        "files = { \"made\" = false }",
    );
    leaves(
        &[&unchecked],
        &["always-pass", "always-deny", "deleted", "matcher-never", "matcher-widened", "empty-stdin"],
    );
}

#[test]
fn a_survivor_comes_with_a_case_that_kills_it() {
    let bench = guarded(&[DENY, PASS]);
    let reports = bench.mutants();
    let widened = reports.iter().find(|report| report.mutant == Mutant::MatcherWidened);
    let MutantResult::Survived { add, .. } = &widened.expect("it is one of twelve").result else {
        panic!("{widened:?}");
    };
    let add = add.replace('…', "x");
    let bench = guarded(&[DENY, PASS, &add]);
    assert_eq!(with(&bench.mutants(), survived), Vec::<String>::new());
}

#[test]
fn a_case_that_expects_a_skipped_hook_is_tried_first_with_a_wider_matcher() {
    let group = |matcher: &str, command: &str| serde_json::json!({"matcher": matcher, "hooks": [{"type": "command", "command": command}]});
    let groups = [group("Bash", "sh \"$CLAUDE_PROJECT_DIR\"/guard.sh"), group("*", "true")];
    let bench = Bench::new(&serde_json::json!({"hooks": {"PreToolUse": groups}}).to_string());
    bench.write("guard.sh", GUARD);
    // Without its expectation about the guard, this case would notice the mutant, too.
    let passes = OTHER.replace(", skipped = \"NAME\"", "").replace("only commands are judged", "it passes");
    let reports = bench.cases(&[DENY, &passes, OTHER].concat().replace("NAME", "guard.sh")).mutants();
    let of_guard =
        |report: &&MutantReport| report.name == "guard.sh" && report.mutant == Mutant::MatcherWidened;
    let widened = reports.iter().find(of_guard).expect("it is one of twelve");
    let MutantResult::Killed { case, .. } = &widened.result else { panic!("{widened:?}") };
    assert_eq!(case, "only commands are judged");
}

#[test]
fn a_broken_harness_kills_nothing() {
    // The program that the hook needs is missing, so no case passes.
    let bench = Bench::new(&guarded_by("no-such-program-at-all guard.sh"))
        .cases(&[DENY, PASS].concat().replace("NAME", "guard.sh"));
    let reports = bench.mutants();
    assert_eq!(with(&reports, killed), Vec::<String>::new());
    let vacuous = |result: &MutantResult| matches!(result, MutantResult::Vacuous { .. });
    assert!(with(&reports, vacuous).len() >= 8, "{reports:?}");
}

#[test]
fn a_case_that_passes_only_once_kills_nothing() {
    let command = "test -e SEEN && exit 2; cat > /dev/null; touch SEEN";
    let bench = Bench::new("{}");
    let seen = bench.root().with_file_name("seen");
    bench.write(".claude/settings.json", &guarded_by(&command.replace("SEEN", &seen.display().to_string())));
    let bench = bench.cases(PASS);
    let (runner, suite) = (bench.runner(), bench.suite());
    let records = bench.run();
    assert_eq!(results(&records), ["passed"]);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("there are threads");
    let tested = becket_lab::mutation::run(&runner, &records, &suite.equivalents, 1);
    let reports = runtime.block_on(tested).expect("the mutants can be tested");
    let empty =
        reports.iter().find(|report| report.mutant == Mutant::EmptyStdin).expect("it is one of twelve");
    assert!(matches!(empty.result, MutantResult::Vacuous { .. }), "{empty:?}");
}

#[test]
fn a_mutant_that_hangs_is_ended() {
    // Without input the hook waits forever.
    let command = "input=$(cat); test -n \"$input\" || exec sleep 1000";
    let settings = serde_json::json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": command, "timeout": 1},
    ]}]}});
    let bench = Bench::new(&settings.to_string()).cases(PASS);
    let reports = bench.mutants();
    let empty =
        reports.iter().find(|report| report.mutant == Mutant::EmptyStdin).expect("it is one of twelve");
    let MutantResult::Killed { by, .. } = &empty.result else { panic!("{empty:?}") };
    assert!(by.seen.contains("ran out of time"), "{by:?}");
}

// rule: H1
#[test]
fn a_mutant_that_hangs_is_ended_beside_a_copy_with_a_long_limit() {
    let command = "input=$(cat); test -n \"$input\" || exec sleep 1000";
    let hook = serde_json::json!({"type": "command", "command": command, "timeout": 600});
    let settings = serde_json::json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [hook, hook]}]}});
    let bench = Bench::new(&settings.to_string()).cases(PASS);
    let reports = bench.mutants();
    let mut of_input = reports.iter().filter(|report| report.mutant == Mutant::EmptyStdin);
    assert!(of_input.any(|report| killed(&report.result)), "{reports:?}");
}

#[test]
fn equivalent_mutants_are_declared_with_a_reason_and_checked() {
    let declared = |mutant: &str| {
        format!("[[equivalent]]\nhandler = \"guard.sh\"\nmutant = \"{mutant}\"\nreason = \"because\"\n")
    };
    let reports = guarded(&[DENY, PASS, &declared("matcher-widened")]).mutants();
    assert_eq!(with(&reports, survived), Vec::<String>::new());
    let reports = guarded(&[DENY, PASS, OTHER, &declared("always-pass")]).mutants();
    let wrong = |result: &MutantResult| matches!(result, MutantResult::WronglyEquivalent { .. });
    assert_eq!(with(&reports, wrong), ["guard.sh always-pass"]);
}

#[test]
fn of_two_handlers_with_one_command_the_copy_is_named() {
    // rule: H1
    let guard = |matcher: &str| serde_json::json!({"matcher": matcher, "hooks": [{"type": "command", "command": GUARD}]});
    let settings = serde_json::json!({"hooks": {"PreToolUse": [guard("Bash"), guard("Bash|Write")]}});
    let denied = DENY.replace(", by = \"NAME\"", "");
    let bench = Bench::new(&settings.to_string()).cases(&[denied.as_str(), PASS].concat());
    let reports = bench.mutants();
    let why = |mutant: Mutant| {
        let of_mutant = reports.iter().filter(move |report| report.mutant == mutant);
        of_mutant.map(|report| format!("{:?}", report.result)).collect::<Vec<_>>()
    };
    let deleted = why(Mutant::Deleted);
    assert!(deleted[0].contains("its copy (project) would run in its place"), "{deleted:?}");
    assert!(deleted[1].contains("it is a copy of"), "{deleted:?}");
    assert!(why(Mutant::AlwaysPass)[0].starts_with("Killed"), "{reports:?}");
}

#[test]
fn hooks_that_write_files_are_run_again_for_each_mutant() {
    let settings = serde_json::json!({"hooks": {"PostToolUse": [{"matcher": "Write", "hooks": [
        {"type": "command", "command": "sed 's/x/y/' a > b && mv b a"},
    ]}]}});
    let bench = Bench::new(&settings.to_string()).cases(
        r#"
[[case]]
name = "it is edited"
event = "PostToolUse"
tool = { name = "Write", input = { file_path = "a" } }
files = { "a" = "x" }
want = { decision = "pass", files = { "a" = "y" } }
"#,
    );
    assert_eq!(results(&bench.run()), ["passed"]);
    let reports = bench.mutants();
    let killed: Vec<Mutant> =
        reports.iter().filter(|report| killed(&report.result)).map(|report| report.mutant).collect();
    assert!(killed.contains(&Mutant::AlwaysPass) && killed.contains(&Mutant::Deleted), "{reports:?}");
}
