//! The tables of SDK options in `docs/guide/sdk.md`, from the list that tests compare with the installed SDKs.

use serde::Deserialize;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The list.
const LIST: &str = "crates/becket-cli/tests/cli/sdk/options.json";
/// The page, and the lines around its tables.
pub(crate) const PAGE: &str = "docs/guide/sdk.md";
const BEGIN: &str = "<!-- written by `cargo xtask gen` -->\n";
const END: &str = "<!-- end of what is written -->\n";

/// All options, fields of agents and methods.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OptionList {
    options: Vec<SdkOption>,
    agents: Vec<AgentField>,
    methods: Vec<SdkOption>,
}

/// An option or a method, under its names in the SDKs that have it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SdkOption {
    python: Option<String>,
    typescript: Option<String>,
    support: Support,
    note: String,
}

/// A field of an agent's definition.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AgentField {
    field: String,
    support: Support,
    note: String,
}

/// The support of an option.
#[derive(Debug, Clone, Copy, Deserialize)]
enum Support {
    #[serde(rename = "yes")]
    Yes,
    #[serde(rename = "in part")]
    InPart,
    #[serde(rename = "no effect")]
    NoEffect,
    #[serde(rename = "refused")]
    Refused,
    /// The SDK itself implements it.
    #[serde(rename = "SDK")]
    Sdk,
}

/// Returns the page with its tables updated from the list.
///
/// # Errors
/// Errors if the list or the page can't be read, or if the page has no place for tables.
pub(crate) fn page(root: &Path) -> Result<String, String> {
    let read = |file: &str| fs::read_to_string(root.join(file)).map_err(|error| format!("`{file}`: {error}"));
    let list: OptionList =
        serde_json::from_str(&read(LIST)?).map_err(|error| format!("`{LIST}`: {error}"))?;
    let page = read(PAGE)?;
    let place = page.split_once(BEGIN).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = place.ok_or_else(|| format!("`{PAGE}` has no lines {BEGIN:?} and {END:?}"))?;
    Ok(format!("{before}{BEGIN}{}{END}{after}", tables(&list)))
}

fn tables(list: &OptionList) -> String {
    let mut text = "\n| Python | TypeScript | | |\n|---|---|---|---|\n".to_owned();
    list.options.iter().for_each(|option| row(&mut text, option));
    text.push_str("\n| field of an agent | | |\n|---|---|---|\n");
    for AgentField { field, support, note } in &list.agents {
        let _ = writeln!(text, "| `{field}` | {} | {note} |", support.text());
    }
    text.push_str("\n| method (Python) | TypeScript | | |\n|---|---|---|---|\n");
    list.methods.iter().for_each(|method| row(&mut text, method));
    text.push('\n');
    text
}

fn row(text: &mut String, option: &SdkOption) {
    let name = |name: &Option<String>| name.as_ref().map_or("–".to_owned(), |name| format!("`{name}`"));
    let SdkOption { python, typescript, support, note } = option;
    let _ = writeln!(text, "| {} | {} | {} | {note} |", name(python), name(typescript), support.text());
}

impl Support {
    const fn text(self) -> &'static str {
        match self {
            Support::Yes => "yes",
            Support::InPart => "**in part**",
            Support::NoEffect => "**no effect**",
            Support::Refused => "**refused**",
            Support::Sdk => "the SDK's own",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_tables_of_the_list() {
        let root = crate::root();
        let written = fs::read_to_string(root.join(PAGE)).unwrap();
        assert!(page(root).unwrap() == written, "`{PAGE}` is out of date: run `cargo xtask gen`");
    }
}
