//! The hooks to choose from, and the actions on each of them.

use crate::env::Surroundings;
use crate::report::human::short_position;
use crate::report::style::one_line;
use becket_embed::view::listed::{HookListing, RecordedHook};
use becket_model::EventKind;
use becket_rules::tools;
use std::fmt;

/// The maximum length of a hook's name in a line, in characters.
const WIDTH: usize = 60;

/// A hook of an event.
#[derive(Debug, Clone)]
pub(super) struct Choice<'l> {
    pub(super) event: &'static str,
    pub(super) hook: &'l RecordedHook,
    line: String,
}

impl<'l> Choice<'l> {
    /// Returns all hooks, by event.
    pub(super) fn all(listing: &'l HookListing, around: &Surroundings) -> Vec<Choice<'l>> {
        let hooks =
            listing.events.iter().flat_map(|listed| listed.hooks.iter().map(|hook| (listed.event, hook)));
        hooks
            .map(|(event, hook)| {
                let matcher = if hook.matcher.is_empty() { "*" } else { &hook.matcher };
                let name = one_line(&hook.hook.label, WIDTH);
                let place = short_position(&hook.hook.at, around);
                let line = format!("{event}  {matcher}  {name}  {}  {place}", hook.hook.source);
                Choice { event, hook, line: one_line(&line, around.width.unwrap_or(120).saturating_sub(4)) }
            })
            .collect()
    }

    /// Returns the event fields that the user enters, with sample values that the hook's matcher accepts.
    pub(super) fn fields(&self) -> Vec<Field> {
        let Ok(kind) = self.event.parse::<EventKind>() else { return Vec::new() };
        let has = |name: &str| kind.spec().input.iter().any(|field| field.name == name);
        if has("tool_name") {
            let tool = self.sample_tool();
            let input = sample_input(tool);
            return vec![
                Field { question: "Tool:", option: "tool", prefix: "", sample: tool.to_owned() },
                Field { question: "Its input, as JSON:", option: "input", prefix: "", sample: input },
            ];
        }
        if has("prompt") {
            let sample = "Hello".to_owned();
            return vec![Field { question: "Prompt:", option: "set", prefix: "prompt=", sample }];
        }
        Vec::new()
    }

    /// Returns the first tool that the matcher names.
    fn sample_tool(&self) -> &'static str {
        let named = self.hook.matcher.split('|').find_map(|name| tools::find(name.trim()));
        named.map_or("Bash", |tool| tool.name)
    }
}

impl fmt::Display for Choice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line)
    }
}

/// A field of an event, as an option of `becket fire`.
pub(super) struct Field {
    pub(super) question: &'static str,
    pub(super) option: &'static str,
    pub(super) prefix: &'static str,
    pub(super) sample: String,
}

/// An action on a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HookAction {
    Try,
    Explain,
    Event(&'static str),
    Back,
}

impl HookAction {
    pub(super) fn all(event: &'static str) -> Vec<HookAction> {
        vec![HookAction::Try, HookAction::Explain, HookAction::Event(event), HookAction::Back]
    }
}

impl fmt::Display for HookAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HookAction::Try => f.write_str("Try it: run the hooks of an event"),
            HookAction::Explain => f.write_str("Explain which hooks an event would run; runs nothing"),
            HookAction::Event(event) => write!(f, "Show what a hook of {event} reads and answers"),
            HookAction::Back => f.write_str("Back"),
        }
    }
}

fn sample_input(tool: &str) -> String {
    let field = tools::find(tool).and_then(|tool| tool.primary.field());
    match field {
        Some("command") => r#"{"command": "git status"}"#.to_owned(),
        Some("url") => r#"{"url": "https://example.com/"}"#.to_owned(),
        Some(field @ ("file_path" | "path" | "notebook_path")) => format!(r#"{{"{field}": "README.md"}}"#),
        Some(field) => format!(r#"{{"{field}": "x"}}"#),
        None => "{}".to_owned(),
    }
}
