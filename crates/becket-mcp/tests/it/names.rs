//! Full names: the cases of `tests/cases/names.json`, and laws for all servers and tools.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, HashSet};

use becket_mcp::{Name, Names};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(rename = "rule")]
    _rule: String,
    servers: Vec<(String, Vec<String>)>,
    /// The full names in order; `#` is a placeholder for a mark.
    names: Vec<String>,
    #[serde(default)]
    written: BTreeMap<String, String>,
    #[serde(default)]
    warnings: Vec<String>,
}

type ServerLists = Vec<(String, Vec<String>)>;

fn build(servers: &ServerLists) -> Names {
    Names::build(servers.iter().map(|(server, tools)| (server.as_str(), tools.iter().map(String::as_str))))
}

/// Returns the name as the case writes it: with `#` for its mark, unless the case has the mark itself.
fn shown(name: &str, case: &Case) -> String {
    if case.names.iter().any(|expected| expected == name) {
        return name.to_owned();
    }
    match name.rsplit_once('_') {
        Some((plain, mark))
            if mark.len() == 8 && mark.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')) =>
        {
            format!("{plain}#")
        }
        Some(_) | None => name.to_owned(),
    }
}

#[test]
fn cases() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../cases/names.json")).unwrap();
    for case in cases {
        let names = build(&case.servers);
        let got: Vec<String> = names.iter().map(|name| shown(&name.full, &case)).collect();
        assert_eq!(got, case.names, "{}", case.name);
        let written: BTreeMap<String, String> =
            names.iter().filter_map(|name| Some((shown(&name.full, &case), name.written.clone()?))).collect();
        assert_eq!(written, case.written, "{}", case.name);
        let warnings: Vec<String> = names.warnings().iter().map(|one| one.to_string()).collect();
        assert_eq!(warnings.len(), case.warnings.len(), "{}: {warnings:#?}", case.name);
        for (got, expected) in warnings.iter().zip(&case.warnings) {
            assert!(got.contains(expected), "{}: {got}", case.name);
        }
    }
}

/// Few letters and few tools, so that names collide often; some long, some with characters that no name may have.
fn servers() -> impl Strategy<Value = ServerLists> {
    let part = prop_oneof![
        8 => "[ab_.]{0,3}",
        2 => "[a_]{40,70}",
        1 => "[a-zA-Zü:/ 😀-]{0,12}",
    ];
    let tools = prop::collection::vec(part.clone(), 0..5);
    prop::collection::btree_map(part, tools, 0..6)
        .prop_map(|servers| servers.into_iter().collect::<ServerLists>())
        .prop_shuffle()
}

fn by_place(names: &Names) -> BTreeMap<(String, String), Name> {
    names.iter().map(|name| ((name.server.to_string(), name.name.to_string()), name.clone())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    // rules: X5, P2
    #[test]
    fn names_are_unique_short_plain_and_lead_back(servers in servers()) {
        let names = build(&servers);
        let mut seen = HashSet::new();
        for name in names.iter() {
            prop_assert!(seen.insert(name.full.to_string()), "{} twice", name.full);
            prop_assert!(name.full.len() <= 64, "{}", name.full);
            prop_assert!(name.full.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')));
            let rest = name.full.strip_prefix(names.prefix(&name.server).unwrap());
            prop_assert!(rest.is_some_and(|rest| !rest.is_empty()), "{}", name.full);
            prop_assert_eq!(names.get(&name.full), Some(name));
            prop_assert_eq!(names.find(&name.server, &name.name), Some(name));
        }
        for (server, tools) in &servers {
            let prefix = names.prefix(server).unwrap();
            prop_assert!(prefix.starts_with("mcp__") && prefix.ends_with("__"));
            for tool in tools {
                let name = names.find(server, tool).unwrap();
                prop_assert_eq!((&*name.server, &*name.name), (server.as_str(), tool.as_str()));
            }
        }
    }

    // rule: X5
    #[test]
    fn a_server_that_goes_changes_only_names_that_met_its_own(servers in servers(), gone in any::<prop::sample::Index>()) {
        prop_assume!(!servers.is_empty());
        let all = build(&servers);
        let mut fewer = servers.clone();
        let (gone, _) = fewer.remove(gone.index(servers.len()));
        for (place, name) in by_place(&build(&fewer)) {
            let before = &by_place(&all)[&place];
            // It may have got its plain name back, which another tool had; no name was lost to a newcomer.
            let freed = all.get(&name.full).is_some_and(|holder| *holder.server == *gone);
            // Or a mark generated for another tool is free now: colliding marks are disambiguated once more.
            prop_assert!(before.full == name.full || freed, "{} was {}", name.full, before.full);
        }
        prop_assert_eq!(by_place(&all), by_place(&build(&servers)));
    }
}

// rule: X5
#[test]
fn ten_thousand_tools_are_named_at_once() {
    let tools: Vec<String> = (0..1_000).map(|n| format!("tool.{n}")).collect();
    let servers: ServerLists = (0..10).map(|n| (format!("server {n}"), tools.clone())).collect();
    let start = std::time::Instant::now();
    let names = build(&servers);
    assert_eq!(names.iter().count(), 10_000);
    assert!(names.warnings().is_empty());
    assert!(start.elapsed() < std::time::Duration::from_secs(20));
    assert_eq!(&*names.get("mcp__server_9__tool_999").unwrap().name, "tool.999");

    // Again with each name taken by the first server.
    let servers: ServerLists = ["s.a", "s a"].map(|name| (name.to_owned(), tools.clone())).into();
    assert_eq!(build(&servers).warnings().len(), 1 + 1_000);
}
