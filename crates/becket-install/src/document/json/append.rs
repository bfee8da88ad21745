//! Items appended to an object or a list, in the layout of the file.

use super::JsonText;
use crate::document::layout::{Gap, indentation, is_first_on_line, line_break, rendered};
use crate::document::splice::Insertions;
use jsonc_parser::common::Range;
use serde_json::{Value, json};

/// A value to append, with its key in an object.
pub(super) struct Item<'v> {
    key: Option<&'v str>,
    value: &'v Value,
}

impl<'v> Item<'v> {
    pub(super) const fn value(value: &'v Value) -> Self {
        Item { key: None, value }
    }

    pub(super) const fn property(key: &'v str, value: &'v Value) -> Self {
        Item { key: Some(key), value }
    }

    fn text(&self, value: String) -> String {
        self.key.map_or_else(|| value.clone(), |key| format!("{}: {value}", json!(key)))
    }
}

/// The layout of a document.
pub(super) struct Layout<'t> {
    text: &'t str,
    pub(super) line_break: &'static str,
    unit: &'t str,
}

impl<'t> Layout<'t> {
    pub(super) fn of(parsed: &JsonText<'t>) -> Self {
        let first = parsed.root.as_ref().and_then(|root| root.properties.first());
        let unit = first.filter(|first| is_first_on_line(parsed.text, first.range.start));
        let unit = unit.map_or("", |first| indentation(parsed.text, first.range.start));
        Layout {
            text: parsed.text,
            line_break: line_break(parsed.text),
            unit: if unit.is_empty() { "  " } else { unit },
        }
    }

    /// Appends items to an object or a list, with the commas that it needs.
    pub(super) fn append(
        &self,
        insertions: &mut Insertions,
        container: Range,
        children: &[Range],
        items: &[Item<'_>],
    ) {
        let text = self.text;
        let outer = indentation(text, container.start);
        let last = children.last();
        let inner = match last.filter(|last| is_first_on_line(text, last.start)) {
            Some(last) => indentation(text, last.start).to_owned(),
            None => format!("{outer}{}", self.unit),
        };
        let start = last.map_or(container.start + 1, |last| last.end);
        let gap = Gap::read(text, start..container.end - 1);
        let is_inline =
            last.is_some() && !text[container.start..container.end].contains('\n') && gap.comments.is_empty();
        if is_inline {
            let items: Vec<String> = items.iter().map(|item| item.text(item.value.to_string())).collect();
            let items = items.join(", ");
            return match gap.comma {
                Some(comma) => insertions.push(comma + 1, format!(" {items},")),
                None => insertions.push(start, format!(", {items}")),
            };
        }
        let broken = self.line_break;
        let lines: Vec<String> = items
            .iter()
            .map(|item| {
                format!("{broken}{inner}{}", item.text(rendered(item.value, self.unit, &inner, broken)))
            })
            .collect();
        let all = lines.join(",");
        match (last, gap.comma) {
            (Some(_), Some(comma)) => insertions.push(gap.end_on_line(text, comma + 1), format!("{all},")),
            (Some(last), None) => {
                insertions.push(last.end, ",");
                insertions.push(gap.end_on_line(text, last.end), all);
            }
            (None, _) => {
                let at = gap.end_on_line(text, start);
                let is_broken = text[at..container.end - 1].contains('\n');
                let end = if is_broken { String::new() } else { format!("{broken}{outer}") };
                insertions.push(at, format!("{all}{end}"));
            }
        }
    }
}
