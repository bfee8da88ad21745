//! Completion: events, keys, values, tools.

use super::document::Document;
use super::place::{Place, Role, Segment};
use super::schema;
use becket_model::EventKind;
use becket_rules::tools;
use serde_json::Value;
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, MarkupContent, MarkupKind,
    TextEdit,
};

/// Returns the completions at a place.
pub(super) fn items(document: &Document, place: &Place) -> Vec<CompletionItem> {
    let new = match place.role {
        Role::Key => keys(place),
        Role::Value => values(place),
    };
    new.into_iter().map(|choice| choice.into_item(document, place)).collect()
}

/// A completion.
struct Choice {
    label: String,
    /// The text to write.
    text: String,
    kind: CompletionItemKind,
    about: Option<String>,
}

impl Choice {
    fn into_item(self, document: &Document, place: &Place) -> CompletionItem {
        let range = document.range(&place.token);
        let about = self
            .about
            .map(|value| Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value }));
        CompletionItem {
            // An editor compares it with the text in the range, including quotes.
            filter_text: Some(self.text.clone()),
            label: self.label,
            kind: Some(self.kind),
            documentation: about,
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text: self.text })),
            ..CompletionItem::default()
        }
    }
}

fn keys(place: &Place) -> Vec<Choice> {
    let written = place.members.last().map(Vec::as_slice).unwrap_or_default();
    let is_free = |name: &str| name == place.text || !written.iter().any(|(known, _)| known == name);
    let colon = if place.has_colon { "" } else { ": " };
    schema::properties(&schema::at(&place.path, &place.members))
        .into_iter()
        .filter(|(name, _)| is_free(name))
        .map(|(name, schema)| Choice {
            label: name.to_owned(),
            text: format!("\"{name}\"{colon}"),
            kind: if name.parse::<EventKind>().is_ok() {
                CompletionItemKind::EVENT
            } else {
                CompletionItemKind::PROPERTY
            },
            about: schema::description(schema).map(str::to_owned),
        })
        .collect()
}

fn values(place: &Place) -> Vec<Choice> {
    let schemas = schema::at(&place.path, &place.members);
    let listed = schema::values(&schemas).into_iter().map(|(value, about)| Choice {
        label: value.as_str().map_or_else(|| value.to_string(), str::to_owned),
        text: value.to_string(),
        kind: CompletionItemKind::ENUM_MEMBER,
        about: about.map(str::to_owned),
    });
    let truths =
        ["true", "false"].into_iter().filter(|_| schemas.iter().any(|schema| schema::is_boolean(schema)));
    let truths = truths.map(|word| Choice {
        label: word.to_owned(),
        text: word.to_owned(),
        kind: CompletionItemKind::KEYWORD,
        about: None,
    });
    listed.chain(truths).chain(named(place)).collect()
}

/// Returns the values for matchers and the tools for rules.
fn named(place: &Place) -> Vec<Choice> {
    let text = |label: &str, kind| Choice {
        label: label.to_owned(),
        text: Value::from(label).to_string(),
        kind,
        about: None,
    };
    match place.path.as_slice() {
        [Segment::Key(hooks), Segment::Key(event), Segment::Index(_), Segment::Key(key)]
            if hooks == "hooks" && key == "matcher" =>
        {
            let values = event.parse().ok().map(|kind: EventKind| matcher_values(kind)).unwrap_or_default();
            values.into_iter().map(|value| text(value, CompletionItemKind::VALUE)).collect()
        }
        [.., Segment::Key(key)] if key == "if" => {
            rules().map(|rule| text(&rule, CompletionItemKind::FUNCTION)).collect()
        }
        [Segment::Key(permissions), Segment::Key(list), Segment::Index(_)]
            if permissions == "permissions" && matches!(list.as_str(), "allow" | "ask" | "deny") =>
        {
            rules().map(|rule| text(&rule, CompletionItemKind::FUNCTION)).collect()
        }
        _ => Vec::new(),
    }
}

fn matcher_values(kind: EventKind) -> Vec<&'static str> {
    becket_embed::view::event_row::EventRow::from(kind).matcher_values
}

/// Returns the tools, each followed by parentheses if it takes a specifier.
fn rules() -> impl Iterator<Item = String> {
    tools::table().iter().map(|tool| match tool.primary.field() {
        Some(_) => format!("{}()", tool.name),
        None => tool.name.to_owned(),
    })
}
