//! The law of `remove`: after any edits since `add`, it removes Becket's own entries and nothing else.

use crate::entries;
use becket_install::{ConfigText, EditedText, MARKER, agent, is_own};
use proptest::prelude::*;
use serde_json::Value;

/// Parts that may be between two tokens.
const BLANKS: [&str; 8] = ["", " ", "\n", "\n  ", " /* ~ */ ", " // ~\n", "\r\n\t", "  "];

/// The objects of a configuration, with a `~` for each blank.
const SHAPES: [&str; 8] = [
    "~{~}~",
    "~{~\"a\"~:~1~}~",
    "~{~\"a\"~:~1~,~\"b\"~:~[~{~}~,~2~]~}~",
    "~{~\"hooks\"~:~{~}~}~",
    "~{~\"hooks\"~:~{~\"BeforeTool\"~:~[~]~}~,~\"z\"~:~null~}~",
    "~{~\"hooks\"~:~{~\"BeforeTool\"~:~[~{~\"hooks\"~:~[~{~\"command\"~:~\"mine\"~}~]~}~]~,~\"Stop\"~:~[~]~}~}~",
    "~{~\"a\"~:~1~,~}~",
    "~{~\"hooks\"~:~{~\"AfterTool\"~:~[~{~\"matcher\"~:~\"x\"~,~\"hooks\"~:~[~]~}~,~]~,~}~,~}~",
];

/// Returns a text of a shape, each comment with a unique number, and the positions between its tokens.
fn text(shape: usize, blanks: &[usize]) -> (String, Vec<usize>) {
    let mut text = String::new();
    let mut places = Vec::new();
    let mut blanks = blanks.iter().cycle();
    for (number, part) in SHAPES[shape].split('~').enumerate() {
        if number > 0 {
            let blank = BLANKS[*blanks.next().expect("a cycle")];
            text.push_str(&blank.replace('~', &format!("c{number}")));
            places.push(text.len());
        }
        text.push_str(part);
    }
    (text, places)
}

/// An edit that a person makes in the installed text.
#[derive(Debug, Clone)]
enum Edit {
    /// A comment between two tokens of the original.
    Comment(prop::sample::Index),
    /// A property at the beginning of the file.
    Property,
    /// An event at the beginning of the hooks.
    Event,
    /// A group, or a comment, at the beginning of an event's list.
    InList(&'static str),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        any::<prop::sample::Index>().prop_map(Edit::Comment),
        Just(Edit::Property),
        Just(Edit::Event),
        Just(Edit::InList("{\"hooks\": [{\"command\": \"u~\"}]},")),
        Just(Edit::InList("// u~\n")),
    ]
}

/// Makes an edit with a unique mark.
fn edited(text: &mut String, edit: &Edit, number: usize, places: &[usize], installed: &EditedText) {
    let mut after = |anchor: &str, new: &str| {
        if let Some(at) = text.find(anchor) {
            text.insert_str(at + anchor.len(), &new.replace('~', &number.to_string()));
        }
    };
    match edit {
        Edit::Property => after("{", " \"u~\": 1,"),
        Edit::Event => {
            let found =
                ["\"hooks\": {", "\"hooks\":{"].into_iter().find(|anchor| installed.text.contains(anchor));
            if let Some(anchor) = found {
                after(anchor, "\"u~\": [1], ");
            }
        }
        Edit::InList(new) => {
            let found = ["\"BeforeTool\": [", "\"BeforeTool\":["]
                .into_iter()
                .find(|anchor| installed.text.contains(anchor));
            if let Some(anchor) = found {
                after(anchor, new);
            }
        }
        Edit::Comment(index) if number == 0 => {
            // The place of the original in the installed text.
            let place = places[index.index(places.len())];
            let before = installed.inserted.iter().scan(0, |shift, range| {
                let at = range.start - *shift;
                *shift += range.len();
                Some((at, range.len()))
            });
            let shift: usize = before.filter(|(at, _)| *at < place).map(|(_, length)| length).sum();
            text.insert_str(place + shift, &format!("/* u{number} */"));
        }
        Edit::Comment(_) => after("{", " /* u~ */"),
    }
}

/// Returns the marks of a text in order: comments, numbers of edits, the hook of the original.
fn marks(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let is_mark = |word: &&str| {
        let number = word.strip_prefix(['c', 'u']);
        *word == "mine"
            || number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    words.filter(is_mark).map(str::to_owned).collect()
}

/// Returns the JSON of a text without comments and trailing commas.
fn value(text: &str) -> Value {
    let options = jsonc_parser::ParseOptions::default();
    let parsed =
        jsonc_parser::parse_to_ast(text, &jsonc_parser::CollectOptions::default(), &options).expect("JSONC");
    fn plain(node: &jsonc_parser::ast::Value<'_>) -> Value {
        use jsonc_parser::ast::Value as Node;
        match node {
            Node::Object(object) => Value::Object(
                object.properties.iter().map(|p| (p.name.as_str().to_owned(), plain(&p.value))).collect(),
            ),
            Node::Array(list) => Value::Array(list.elements.iter().map(plain).collect()),
            Node::StringLit(text) => Value::String(text.value.to_string()),
            Node::NumberLit(number) => serde_json::from_str(number.value).expect("a number"),
            Node::BooleanLit(literal) => Value::Bool(literal.value),
            Node::NullKeyword(_) => Value::Null,
        }
    }
    parsed.value.as_ref().map_or(Value::Null, plain)
}

/// Removes own handlers, and the containers that are then empty.
fn without_own(value: &mut Value) {
    match value {
        Value::Array(list) => {
            for element in list.iter_mut() {
                without_own(element);
            }
            list.retain(|element| *element != serde_json::json!({"own": true}));
        }
        Value::Object(object) => {
            if object.get("command").and_then(Value::as_str).is_some_and(is_own) {
                *value = serde_json::json!({"own": true});
                return;
            }
            let had_hooks =
                object.get("hooks").and_then(Value::as_array).is_some_and(|list| !list.is_empty());
            object.values_mut().for_each(without_own);
            let is_empty = object.get("hooks").and_then(Value::as_array).is_some_and(Vec::is_empty);
            if had_hooks && is_empty && object.keys().all(|key| key == "hooks" || key == "matcher") {
                *value = serde_json::json!({"own": true});
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Drops empty lists and objects: the record knows whether they existed before.
fn without_empty(value: &mut Value) {
    if let Value::Object(object) = value {
        object.values_mut().for_each(without_empty);
        object.retain(|_, value| *value != serde_json::json!([]) && *value != serde_json::json!({}));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn edits_between_the_two_stay(
        shape in 0..SHAPES.len(),
        blanks in prop::collection::vec(0..BLANKS.len(), 1..24),
        edits in prop::collection::vec(edit(), 0..4),
    ) {
        let (original, places) = text(shape, &blanks);
        let form = agent("gemini").expect("an agent").form;
        let installed = ConfigText::new(form, &original).add(&entries("gemini")).expect("it can be added");
        let mut now = installed.text.clone();
        for (number, edit) in edits.iter().enumerate() {
            edited(&mut now, edit, number, &places, &installed);
        }
        let mut expected = value(&now);
        let left = ConfigText::new(form, &now).remove(&installed.created).expect("it can be removed").text;
        prop_assert!(!left.contains(MARKER), "{left}");
        prop_assert_eq!(marks(&left), marks(&now), "{}", left);
        let mut found = value(&left);
        without_own(&mut expected);
        without_empty(&mut expected);
        without_empty(&mut found);
        prop_assert_eq!(found, expected, "{}", left);
        if edits.is_empty() {
            let squeezed = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(squeezed(&left), squeezed(&original));
        }
    }

    #[test]
    fn every_byte_stays_around_an_edit_elsewhere(
        shape in 0..SHAPES.len(),
        blanks in prop::collection::vec(0..BLANKS.len(), 1..24),
        index in any::<prop::sample::Index>(),
    ) {
        let (original, places) = text(shape, &blanks);
        let form = agent("gemini").expect("an agent").form;
        let installed = ConfigText::new(form, &original).add(&entries("gemini")).expect("it can be added");
        let place = places[index.index(places.len())];
        // The positions of the insertions in the original.
        let ends = installed.inserted.iter().scan(0, |shift, range| {
            let at = range.start - *shift;
            *shift += range.len();
            Some((at, range.len()))
        });
        let insertions: Vec<(usize, usize)> = ends.collect();
        let shift: usize = insertions.iter().filter(|(at, _)| *at < place).map(|(_, length)| length).sum();
        let (mut now, mut expected) = (installed.text.clone(), original);
        now.insert_str(place + shift, "/* edit */");
        expected.insert_str(place, "/* edit */");
        let found = ConfigText::new(form, &now).remove_inserted(&installed.created, &installed.insertions());
        prop_assert_eq!(found.expect("it can be removed").text, expected);
    }

    #[test]
    fn no_text_makes_it_panic(text in "[{}\\[\\]\",:a \n/*#=-]{0,40}", name in prop::sample::select(vec!["gemini", "codex", "kimi", "hermes"])) {
        let form = agent(name).expect("an agent").form;
        let config = ConfigText::new(form, &text);
        if let Ok(added) = config.add(&entries(name)) {
            prop_assert_eq!(ConfigText::new(form, &added.text).own_entries().expect("it can be read").len(), entries(name).len());
        }
        let _ = config.remove(&[]);
    }
}
