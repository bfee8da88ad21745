//! Converts arguments to an event: finds its name, checks its fields against the event table, and fills gaps with
//! samples.
//!
//! INVARIANT: all sample values are listed in [`EventInput::samples`], and no given value is dropped.

pub(crate) mod read;
mod set;

use crate::args::EventFields;
use crate::env::Surroundings;
use crate::error::CliError;
use becket_engine::Engine;
use becket_lab::samples;
use becket_model::table::EventSpec;
use becket_model::wire::input;
use becket_model::{Event, EventKind};
use becket_rules::{Matcher, MatcherKind, Renames, Verdict, tools};
use serde_json::{Map, Value};
use std::path::Path;

/// An event made from arguments.
#[derive(Debug)]
pub(crate) struct EventInput {
    pub(crate) event: Event,
    /// The required fields that were not given.
    pub(crate) samples: Vec<&'static str>,
}

/// Finds an event by name.
///
/// # Errors
/// Returns [`CliError::UnknownEvent`] with the nearest names.
pub(crate) fn kind(name: &str) -> Result<EventKind, CliError> {
    Ok(becket_embed::event::kind(name)?)
}

/// Creates the event that the arguments describe, in a session that starts in `start`.
///
/// # Errors
/// Errors if a field is unknown, misplaced or of the wrong type.
pub(crate) fn from_arguments(
    kind: EventKind,
    fields: &EventFields,
    start: &Path,
    around: &Surroundings,
) -> Result<EventInput, CliError> {
    let spec = kind.spec();
    let mut input = Map::new();
    if let Some(text) = &fields.input {
        let given = read::json_object("`--input`", text, start, around)
            .map_err(|error| with_example(error, text, fields))?;
        add_input(&mut input, spec, given)?;
    }
    add_flags(&mut input, spec, fields)?;
    for assignment in &fields.set {
        set::apply(&mut input, spec, assignment)?;
    }
    if has(spec, "tool_name") && !input.contains_key("tool_name") {
        return Err(CliError::NoTool { event: kind.name() });
    }
    let samples = samples::fill(&mut input, spec, start, &around.process.temp);
    let event = input::from_value(Value::Object(input))
        .map_err(|why| CliError::WrongInput { event: kind.name(), why })?;
    Ok(EventInput { event, samples })
}

/// Adds an example of the tool's input as JSON.
fn with_example(error: CliError, text: &str, fields: &EventFields) -> CliError {
    let CliError::InputNotJson { what, why, .. } = error else { return error };
    let is_text = !text.trim_start().starts_with(['{', '[', '@', '-', '"']) && text.len() <= LONGEST_EXAMPLE;
    let field = fields.tool.as_deref().and_then(tools::find).and_then(|tool| tool.primary.field());
    let example = field.filter(|_| is_text).map(|field| serde_json::json!({field: text}).to_string());
    CliError::InputNotJson { what, why, example: example.map(|example| example.replace("\":", "\": ")) }
}

/// The length limit of a text that is shown as JSON.
const LONGEST_EXAMPLE: usize = 200;

/// Rejects a `--tool` that no agent of the profile has and no hook names: the result would apply to no call.
///
/// # Errors
/// Returns [`CliError::UnknownTool`] with the nearest name.
pub(crate) fn check_tool(fields: &EventFields, engine: &Engine) -> Result<(), CliError> {
    let config = engine.config();
    let Some(tool) = fields.tool.as_deref() else { return Ok(()) };
    let is_known = tool.starts_with("mcp__") || tools::known().contains(&Renames::tools().current(tool));
    let is_named = |matcher: &Matcher| match matcher.kind() {
        MatcherKind::Names(names) => names.iter().any(|name| name == tool),
        MatcherKind::Everything => false,
        MatcherKind::Expression(_) => matcher.judge(tool) == Verdict::Match,
    };
    let near = becket_base::suggest(tool, tools::known());
    // A matcher may contain the same typo.
    if is_known || (near.is_none() && config.hooks.all().any(|handler| is_named(&handler.matcher))) {
        return Ok(());
    }
    Err(CliError::UnknownTool { name: tool.to_owned(), near })
}

fn add_flags(input: &mut Map<String, Value>, spec: &EventSpec, fields: &EventFields) -> Result<(), CliError> {
    if let Some(tool) = &fields.tool {
        if !has(spec, "tool_name") {
            return Err(CliError::ToolWithoutUse { event: spec.kind.name() });
        }
        input.insert("tool_name".to_owned(), tool.clone().into());
    }
    if let Some(session) = &fields.session {
        if session.is_empty() {
            return Err(CliError::EmptySession);
        }
        input.insert("session_id".to_owned(), session.clone().into());
    }
    if let Some(mode) = &fields.mode {
        input.insert("permission_mode".to_owned(), mode.clone().into());
    }
    Ok(())
}

/// Adds `--input`: the tool's input if the event has one, otherwise the event's own fields.
fn add_input(
    input: &mut Map<String, Value>,
    spec: &EventSpec,
    given: Map<String, Value>,
) -> Result<(), CliError> {
    if has(spec, "tool_input") {
        input.insert("tool_input".to_owned(), Value::Object(given));
        return Ok(());
    }
    for (name, value) in given {
        set::check_field(spec, &name)?;
        input.insert(name, value);
    }
    Ok(())
}

fn has(spec: &EventSpec, name: &str) -> bool {
    spec.input.iter().any(|field| field.name == name)
}
