//! The Python classes of the events' inputs, and the parts of the event table that Python needs.

use becket_model::EventKind;
use becket_model::table::{COMMON_INPUT, DecisionModel, FieldSpec, FieldType};

const HEAD: &str = "# Written by `cargo xtask gen` from the event table. Do not edit.\n";

/// Returns `becket/inputs.py`: a class for each event.
pub(crate) fn inputs() -> String {
    let names: Vec<String> = EventKind::ALL.iter().map(|event| class(*event)).collect();
    let mut text = format!(
        "{HEAD}\"\"\"The inputs of hooks, one class for each event.\"\"\"\n\nfrom __future__ import annotations\n\n\
         from dataclasses import dataclass\nfrom typing import Any, ClassVar\n\nfrom becket._input import HookInput\n\n\
         __all__ = [\n    \"HookInput\",\n    \"INPUTS\",\n{}]\n",
        names.iter().map(|name| format!("    \"{name}\",\n")).collect::<String>()
    );
    for event in EventKind::ALL {
        text.push_str(&one(event));
    }
    text.push_str("\n\nINPUTS: dict[str, type[HookInput]] = {\n");
    for event in EventKind::ALL {
        line(&mut text, &format!("    \"{}\": {},", event.name(), class(event)));
    }
    text.push_str("}\n\"\"\"The class of each event.\"\"\"\n");
    text
}

/// Returns `becket/_table.py`: the decisions and fields of an event's hooks.
pub(crate) fn table() -> String {
    let mut text = format!(
        "{HEAD}\"\"\"What the hooks of each event may decide, and which fields of its own its output has.\"\"\"\n\n\
         from __future__ import annotations\n\nfrom typing import NamedTuple\n\n\n\
         class Row(NamedTuple):\n    \"\"\"What an event allows.\"\"\"\n\n    decision: str\n    blocks: bool\n    output: frozenset[str]\n\n\n\
         TABLE: dict[str, Row] = {{\n"
    );
    for event in EventKind::ALL {
        let spec = event.spec();
        let decision = format!("{:?}", spec.decision);
        let blocks = matches!(spec.decision, DecisionModel::Block | DecisionModel::Task);
        let output: Vec<String> = spec.output.iter().map(|field| format!("\"{}\"", field.name)).collect();
        let output = if output.is_empty() { String::new() } else { format!("{{{}}}", output.join(", ")) };
        let row = format!(
            "    \"{}\": Row(\n        \"{}\",\n        {},\n        frozenset({output}),\n    ),",
            event.name(),
            snake(&decision),
            if blocks { "True" } else { "False" },
        );
        line(&mut text, &row);
    }
    text.push_str("}\n");
    text
}

fn class(event: EventKind) -> String {
    format!("{}Input", event.name())
}

fn one(event: EventKind) -> String {
    let spec = event.spec();
    let mut text = format!(
        "\n\n@dataclass(kw_only=True, slots=True)\nclass {}(HookInput):\n    \"\"\"{}\"\"\"\n\n    hook_event_name: ClassVar[str] = \"{}\"\n",
        class(event),
        spec.summary,
        event.name()
    );
    let mut own = spec.all_input().filter(|field| is_own(field)).peekable();
    if own.peek().is_some() {
        text.push('\n');
    }
    for field in own {
        line(&mut text, &format!("    {}", declared(field)));
        line(&mut text, &format!("    \"\"\"{}\"\"\"", field.doc.replace('\\', "\\\\")));
    }
    text
}

/// Returns whether the common class lacks the field.
fn is_own(field: &FieldSpec) -> bool {
    let is_common = COMMON_INPUT.iter().any(|common| common.name == field.name);
    !is_common || ["permission_mode", "effort"].contains(&field.name)
}

fn declared(field: &FieldSpec) -> String {
    let kind = match field.kind {
        FieldType::String => "str",
        FieldType::StringOrNull => "str | None",
        FieldType::Strings => "list[str]",
        FieldType::Number => "float",
        FieldType::Integer => "int",
        FieldType::Boolean => "bool",
        FieldType::Object => "dict[str, Any]",
        FieldType::Objects => "list[dict[str, Any]]",
        FieldType::Any => "Any",
    };
    let is_optional = !field.required;
    let none = if is_optional && !kind.ends_with("None") && kind != "Any" { " | None" } else { "" };
    let default = if is_optional { " = None" } else { "" };
    format!("{}: {kind}{none}{default}", field.name)
}

fn snake(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}
