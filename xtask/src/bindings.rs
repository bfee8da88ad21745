//! The bindings for other languages: what is written for them from the event table, and their tests. One file per language.

mod node;
mod node_events;
mod python;
mod python_types;

use std::path::Path;

/// Builds what each language's users install, and runs its tests against that.
///
/// # Errors
/// Some failed.
pub(crate) fn test(root: &Path) -> Result<(), String> {
    let node = node::test(root);
    python::test(root).and(node)
}

/// `cargo xtask bindings`
pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    match rest.first() {
        Some(argument) => Err(format!("`{argument}` is not known: `bindings` takes no arguments")),
        None => test(crate::root()),
    }
}

/// Files that are written from the event table, below the root of the workspace.
///
/// # Errors
/// The table is not as it was.
pub(crate) fn generated() -> Result<Vec<(&'static str, String)>, String> {
    let [values, types] = node_events::files()?;
    Ok(vec![
        ("bindings/node/lib/events.js", values),
        ("bindings/node/lib/events.d.ts", types),
        ("bindings/python/python/becket/inputs.py", python_types::inputs()),
        ("bindings/python/python/becket/_table.py", python_types::table()),
    ])
}
