//! Safe fixes do not change what runs.

use crate::config::support::Machine;
use becket_engine::config::{Fix, FixSafety, LoadedFiles, apply_fixes, lint, load, resolve};
use becket_model::EventKind;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Returns a handler with keys that may have no effect.
fn handler() -> impl Strategy<Value = Value> {
    let text = prop_oneof![Just("true"), Just("exit 2"), Just("cat > /dev/null")];
    (text, any::<[bool; 4]>(), 1_u32..60).prop_map(|(text, [once, shell, args, timeout], seconds)| {
        let mut handler = json!({"type": "command", "command": text});
        let keys = [
            (once, "once", json!(true)),
            (shell, "shell", json!("bash")),
            (args, "args", json!(["x"])),
            (timeout, "timeout", json!(seconds)),
        ];
        for (_, key, value) in keys.into_iter().filter(|(has, _, _)| *has) {
            handler[key] = value;
        }
        handler
    })
}

fn settings() -> impl Strategy<Value = Value> {
    let event = prop_oneof![Just("Stop"), Just("PreToolUse"), Just("UserPromptSubmit"), Just("SessionEnd")];
    let matcher = prop_oneof![Just(None), Just(Some("Bash")), Just(Some("*")), Just(Some("Bash|Write"))];
    let group =
        (matcher, prop::collection::vec(handler(), 0..3)).prop_map(|(matcher, hooks)| match matcher {
            Some(matcher) => json!({"matcher": matcher, "hooks": hooks}),
            None => json!({"hooks": hooks}),
        });
    let groups = (event, prop::collection::vec(group, 0..3))
        .prop_map(|(event, groups)| (event.to_owned(), groups.into()));
    prop::collection::vec(groups, 0..3)
        .prop_map(|events| json!({"hooks": events.into_iter().collect::<serde_json::Map<String, Value>>()}))
}

/// Returns the handlers of each event with everything that affects their runs, without their places.
fn plan(loaded: &LoadedFiles) -> Vec<String> {
    let hooks = resolve(loaded).hooks;
    let of = |event: EventKind| hooks.of(event).iter().map(move |handler| (event, handler));
    let all = EventKind::ALL.into_iter().flat_map(of);
    all.map(|(event, handler)| {
        let matcher =
            if event.spec().matcher.is_some() { format!("{:?}", handler.matcher) } else { String::new() };
        format!("{event} {matcher} {:?} {:?} {:?}", handler.action, handler.timeout, handler.background)
    })
    .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn a_safe_fix_changes_no_plan(settings in settings(), pretty in any::<bool>()) {
        let machine = Machine::new();
        let text = if pretty { format!("{settings:#}") } else { settings.to_string() };
        let file = machine.settings("project", &text);
        let mut loaded = load(&machine.request());
        let before = plan(&loaded);
        let mut text = text;
        for _ in 0..20 {
            let found: Vec<_> = resolve(&loaded).diagnostics.into_iter().chain(lint(&loaded)).collect();
            let fixes: Vec<&Fix> = found.iter().filter_map(|d| d.fix.as_ref()).filter(|fix| fix.safety == FixSafety::Safe).collect();
            let Some(fixed) = apply_fixes(&text, &fixes) else {
                prop_assert!(fixes.is_empty(), "a fix can't be made: {fixes:?}\n{text}");
                break;
            };
            prop_assert!(fixed.text.len() < text.len(), "a safe fix only removes");
            text = fixed.text;
            loaded.replace_text(&file, &text);
        }
        prop_assert_eq!(before, plan(&loaded), "{}", text);
    }
}
