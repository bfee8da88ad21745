//! `docs/guide/guards.md`: the built-in guards, from their manifests.

use becket_install::guard::{Guard, Question, catalog};

const INTRODUCTION: &str = "\
# Guards

Made by `cargo xtask gen` from the folders in `crates/becket-install/guards`.

`becket add NAME` adds one of these guards to a project, `becket remove NAME` takes it away again: see [the first five
minutes](first-five-minutes.md). Each comes with cases for [`becket test`](test.md), and no mutant of its hooks survives them.
Permission rules hold for everything that a command starts, under [`becket exec`](exec.md) and in `becket run`.
";

/// Returns the page.
///
/// # Errors
/// Errors if a manifest is wrong.
pub(crate) fn text() -> Result<String, String> {
    let mut text = INTRODUCTION.to_owned();
    for name in catalog::names() {
        let guard = catalog::guard(name).map_err(|error| error.to_string())?;
        text.push_str(&section(&guard));
    }
    Ok(text)
}

fn section(guard: &Guard) -> String {
    let manifest = &guard.manifest;
    let mut text = format!("\n## {}\n\n{}.\n", manifest.name, manifest.summary);
    for list in ["deny", "ask"] {
        let items = manifest.items();
        let rules = items.iter().filter(|item| item.section == "permissions" && item.list == list);
        let rules: Vec<String> =
            rules.filter_map(|item| Some(format!("`{}`", item.value.as_str()?))).collect();
        if !rules.is_empty() {
            text.push_str(&format!("\n{list}: {}\n", rules.join(", ")));
        }
    }
    for item in manifest.items().iter().filter(|item| item.section == "hooks") {
        let matcher = item.value["matcher"].as_str();
        let matcher = matcher.map(|matcher| format!(" for `{matcher}`")).unwrap_or_default();
        let needs = match manifest.needs.as_slice() {
            [] => String::new(),
            needs => format!(", with {}", needs.join(" and ")),
        };
        text.push_str(&format!("\nA hook of `{}`{matcher}{needs}.\n", item.list));
    }
    if !manifest.questions.is_empty() {
        text.push('\n');
    }
    for question in &manifest.questions {
        text.push_str(&format!("- `--set {}=…`: {}{}\n", question.id, question.text, default(question)));
    }
    text
}

fn default(question: &Question) -> String {
    let values: Vec<String> = question.default.iter().map(|value| format!("`{value}`")).collect();
    let found = if question.detect.is_some() { "; by default what the repository says" } else { "" };
    match (values.is_empty(), found) {
        (true, found) => found.to_owned(),
        (false, "") => format!("; by default {}", values.join(", ")),
        (false, found) => format!("{found}, or {}", values.join(", ")),
    }
}
