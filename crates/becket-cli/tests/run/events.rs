//! Each event of the table has cases that show its input, field by field, and all effects that its hooks can have.
//!
//! The tested effects are derived from the cases: a hook of the event answers with the field, or exits with 2. The
//! author of the case is responsible for checking the result.

use crate::case::{Case, Hook};
use crate::coverage::all;
use becket_model::EventKind;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The effects that a run without a user can't show, with their tests: file, name and effects.
const ELSEWHERE: [(&str, &[&str], (&str, &str)); 2] = [
    (
        "Notification",
        &["exit 2", "input"],
        (include_str!("../cli/run_terminal/hooks.rs"), "hooks_are_told_that_a_permission_is_waited_for"),
    ),
    (
        "ElicitationResult",
        &["action", "content", "exit 2", "input"],
        (include_str!("../cli/sdk/elicit.rs"), "hooks_may_change_what_the_host_has_answered"),
    ),
];

/// Returns the effects that hooks of an event can have, according to the table, and their input.
fn effects(event: EventKind) -> BTreeSet<&'static str> {
    let spec = event.spec();
    let mut effects: BTreeSet<&str> = spec.output.iter().map(|field| field.name).collect();
    effects.extend(["input", "exit 2"]);
    effects.extend(spec.honours.stop.then_some("continue"));
    effects.extend(spec.honours.system_message.then_some("systemMessage"));
    effects
}

/// Returns the scripts of an event's hooks in a case, as one text.
fn does(case: &Case, event: &str) -> String {
    let text = |hook: &Hook| {
        let named = hook.name.as_ref().and_then(|name| case.texts.get(name));
        [hook.does.as_str(), named.map_or("", String::as_str)].concat()
    };
    let mut does: String = case.hooks.get(event).into_iter().flatten().map(text).collect();
    if case.settings["hooks"][event].is_array() {
        // The answer of such a hook is in a file.
        does.extend(case.files.values().map(String::as_str));
    }
    does
}

fn inputs(case: &Case) -> impl Iterator<Item = &Value> {
    let of_others = case.then.iter().flat_map(|then| &then.want.inputs);
    case.want.inputs.iter().chain(of_others)
}

/// Returns true if a case shows an effect.
fn shows(case: &Case, event: &str, effect: &str) -> bool {
    match effect {
        "input" => inputs(case).any(|input| input["hook_event_name"] == event && input["$keys"].is_array()),
        "exit 2" => does(case, event).contains("exit 2"),
        field => does(case, event).contains(&format!("\"{field}\"")),
    }
}

#[test]
fn each_event_has_cases_that_show_its_input_and_all_its_effects() {
    let all = all();
    let mut missing: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for event in EventKind::ALL {
        let name = event.name();
        let open =
            effects(event).into_iter().filter(|effect| !all.iter().any(|case| shows(case, name, effect)));
        let open: Vec<&str> = open.collect();
        if !open.is_empty() {
            missing.insert(name, open);
        }
    }
    let elsewhere = ELSEWHERE.iter().map(|(event, effects, _)| (*event, effects.to_vec()));
    assert_eq!(missing, elsewhere.collect());
    for (event, _, (file, test)) in ELSEWHERE {
        let body =
            file.split_once(&format!("#[test]\nfn {test}(")).map(|(_, rest)| rest.split("\n}\n").next());
        assert!(body.flatten().is_some_and(|body| body.contains(event)), "`{test}` shows nothing of {event}");
    }
}
