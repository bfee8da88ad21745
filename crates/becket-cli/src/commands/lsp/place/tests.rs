use super::{Place, Role, Segment, at};
use proptest::prelude::*;

/// Returns the place that `¦` marks in a text.
fn place(marked: &str) -> Place {
    let offset = marked.find('¦').expect("a mark");
    at(&marked.replace('¦', ""), offset)
}

fn path(place: &Place) -> String {
    let steps = place.path.iter().map(|segment| match segment {
        Segment::Key(key) => key.clone(),
        Segment::Index(index) => index.to_string(),
    });
    steps.collect::<Vec<_>>().join(".")
}

#[test]
fn places_are_found_in_whole_and_unfinished_texts() {
    for (text, wanted, role, token) in [
        (r#"{"ho¦oks": {}}"#, "", Role::Key, "hooks"),
        (r#"{"hooks": {"¦"#, "hooks", Role::Key, ""),
        (
            r#"{"hooks": {"Stop": [{"hooks": [{"type": "comm¦and"}]}]}}"#,
            "hooks.Stop.0.hooks.0.type",
            Role::Value,
            "command",
        ),
        (r#"{"hooks": {"Stop": [{"hooks": [{"type": ¦"#, "hooks.Stop.0.hooks.0.type", Role::Value, ""),
        (r#"{"hooks": {"Stop": [{}, {¦}]}}"#, "hooks.Stop.1", Role::Key, ""),
        ("{\"a\": \"unclosed\n  \"b¦\": 1}", "", Role::Key, "b"),
        ("{\"a\": 1, // \"x\": {\n \"b\": ¦true}", "b", Role::Value, "true"),
        (r#"{"permissions": {"deny": ["a", "Ba¦"]}}"#, "permissions.deny.1", Role::Value, "Ba"),
        ("¦", "", Role::Value, ""),
        (r#"{"a": {"b": 1}, ¦}"#, "", Role::Key, ""),
    ] {
        let found = place(text);
        assert_eq!((path(&found).as_str(), found.role, found.text.as_str()), (wanted, role, token), "{text}");
    }
}

#[test]
fn members_before_and_behind_a_place_are_known() {
    let found = place(r#"{"hooks": [{"¦": 1, "type": "http", "timeout": 5}]}"#);
    let inner = found.members.last().expect("an object");
    let names: Vec<&str> = inner.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["", "type", "timeout"]);
    assert_eq!(inner[1].1.as_deref(), Some("http"));
    assert!(found.has_colon);
}

proptest! {
    #[test]
    fn no_text_and_no_offset_is_out_of_place(text in r#"[{}\[\]:,"\\/*a é\n¦]{0,40}"#, nth in 0_usize..40) {
        let offset = text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(nth).unwrap_or(text.len());
        let found = at(&text, offset);
        prop_assert!(found.token.end <= text.len() && text.is_char_boundary(found.token.start));
    }
}
