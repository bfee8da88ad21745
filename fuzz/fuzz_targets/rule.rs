//! Arbitrary text as a rule, as a condition and as a call's input: read or refused, and decided without a panic.
//! A rule that parses is printed as text that parses to the same rule.

#![no_main]

use becket_rules::{Call, Condition, NoLinks, Rule, RuleList, RuleOrigin, RuleSet, Scope};
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use std::path::Path;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let (rule, value) = text.split_once('\u{1}').unwrap_or((&text, "/work/src/a.rs"));
    if let Ok(parsed) = Rule::parse(rule) {
        assert_eq!(Rule::parse(&parsed.to_string()).as_ref(), Ok(&parsed));
    } else if let Err(error) = Rule::parse(rule) {
        let _ = (error.to_string(), error.caret());
    }
    let condition = Condition::parse(rule);
    let anchor = Path::new("/work");
    let scope = Scope { cwd: anchor, home: Some(Path::new("/home/ada")), anchor, links: &NoLinks };
    let mut rules = RuleSet::default();
    for list in RuleList::ALL {
        let _ = rules.add(list, rule, RuleOrigin { label: "fuzz".into(), anchor: anchor.into() });
    }
    let input = json!({"command": value, "file_path": value, "path": value, "url": value, "subagent_type": value});
    let input = input.as_object().cloned().unwrap_or_default();
    for tool in ["Bash", "Edit", "Read", "Glob", "WebFetch", "Agent", "mcp__a__b", value] {
        let call = Call::new(tool, &input);
        let _ = rules.decide(&call, &scope);
        if let Ok(Some(condition)) = &condition {
            let _ = condition.applies(&call, &scope);
        }
    }
});
