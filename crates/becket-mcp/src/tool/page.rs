//! A page of `tools/list` that the protocol's own types can't represent.
//!
//! With the library's types, one tool with an invalid schema would invalidate the whole page. Here it is one tool with
//! a problem.

use serde_json::Value;

use super::Tool;

/// A manually parsed page.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Page {
    pub(crate) tools: Vec<Tool>,
    /// The number of tools without a name, which can't be called.
    pub(crate) nameless: usize,
    pub(crate) next_cursor: Option<String>,
}

/// Parses the result of `tools/list`; `None` if it has no list of tools.
pub(crate) fn page(result: &Value) -> Option<Page> {
    let listed = result.get("tools")?.as_array()?;
    let tools: Vec<Tool> = listed.iter().filter_map(Tool::from_json).collect();
    let next_cursor = result.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
    Some(Page { nameless: listed.len() - tools.len(), tools, next_cursor })
}
