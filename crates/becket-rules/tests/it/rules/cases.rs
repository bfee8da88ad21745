//! Reads the data files.

use std::path::Path;

use becket_rules::{Links, NoLinks, RuleOrigin, Scope};
use serde_json::{Map, Value};

pub(crate) fn read(text: &str) -> Vec<Map<String, Value>> {
    let cases: Vec<Map<String, Value>> =
        serde_json::from_str(text).expect("the case file is a list of objects");
    assert!(cases.iter().all(|case| case.contains_key("rule")), "each case names its rule");
    cases
}

pub(crate) fn text<'a>(case: &'a Map<String, Value>, key: &str) -> &'a str {
    case.get(key).and_then(Value::as_str).unwrap_or_else(|| panic!("no text `{key}` in {case:?}"))
}

pub(crate) fn texts<'a>(case: &'a Map<String, Value>, key: &str) -> Vec<&'a str> {
    let list = case.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    list.iter().map(|value| value.as_str().expect("a list of texts")).collect()
}

pub(crate) fn scope(links: &dyn Links) -> Scope<'_> {
    Scope {
        cwd: Path::new("/work/app"),
        home: Some(Path::new("/home/ann")),
        anchor: Path::new("/work/app/.claude"),
        links,
    }
}

pub(crate) fn here() -> Scope<'static> {
    scope(&NoLinks)
}

pub(crate) fn origin() -> RuleOrigin {
    RuleOrigin { label: "project".to_owned(), anchor: "/work/app/.claude".into() }
}
