use crate::bench::{Bench, GUARD};
use becket_lab::coverage;

#[test]
fn what_no_case_has_seen_is_counted() {
    let settings = serde_json::json!({"hooks": {"PreToolUse": [{"matcher": "Bash|Write", "hooks": [
        {"type": "command", "command": GUARD},
        {"type": "command", "command": "true", "if": "Bash(git *)", "onFailure": "block"},
    ]}]}});
    let bench = Bench::new(&settings.to_string()).cases(
        r#"
[[case]]
name = "a"
tool = { name = "Bash", input = { command = "danger" } }
want = { decision = "deny" }
[[case]]
name = "b"
tool = { name = "Bash", input = { command = "ls" } }
want = { decision = "pass" }
"#,
    );
    let hooks = bench.runner().engine().expect("it loads").host().hooks();
    let seen = coverage::of(&hooks, &bench.run(), bench.root());
    assert_eq!((seen[0].ran, seen[0].denied, seen[0].passed), (2, 1, 1));
    assert!(seen[0].is_guard && !seen[0].is_unproven_guard());
    let matched: Vec<(&str, bool)> =
        seen[0].alternatives.iter().map(|it| (it.text.as_str(), it.matched)).collect();
    assert_eq!(matched, [("Bash", true), ("Write", false)]);
    assert_eq!(seen[1].ran, 0);
    let condition = seen[1].condition.expect("it has an `if`");
    assert_eq!((condition.matched, condition.unmatched), (false, true));
    assert!(seen[1].is_unproven_guard());
}
