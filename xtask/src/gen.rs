//! `cargo xtask gen`: writes `schemas/`, the tables of the bindings and the reference of the commands from the code.
//! Files there that belong to no event are removed.

use becket_model::schema;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn run(rest: &[String]) -> Result<(), String> {
    if let Some(argument) = rest.first() {
        return Err(format!("`{argument}` is not known: `gen` takes no arguments"));
    }
    let root = crate::root().join("schemas");
    let mut written = BTreeSet::new();
    for (path, schema) in schema::all() {
        let path = root.join(path);
        write(&path, &schema::text(&schema))?;
        written.insert(path);
    }
    for folder in ["input", "output"] {
        remove_others(&root.join(folder), &written)?;
    }
    crate::say(&format!("{} files in {}", written.len(), root.display()));
    for (file, text) in crate::bindings::generated()? {
        write(&crate::root().join(file), &text)?;
    }
    for (path, text) in crate::cases::all()? {
        write(&crate::root().join(path), &text)?;
    }
    for (path, text) in crate::api::all(crate::root())? {
        write(&crate::root().join(path), &text)?;
    }
    write(&crate::root().join("docs/guide/agents.md"), &crate::agents_page::text()?)?;
    write(&crate::root().join("docs/guide/guards.md"), &crate::guards_page::text()?)?;
    crate::readme::write()?;
    write(&crate::root().join(crate::sdk_options::PAGE), &crate::sdk_options::page(crate::root())?)?;
    let becket = crate::program::becket()?;
    let events = printed(&becket, &["events", "--json"])?;
    write(&crate::root().join("docs/events.md"), &crate::events_page::events(&events)?)?;
    write(&crate::root().join("docs/schemas.md"), &crate::events_page::schemas(&events)?)?;
    write_output(&becket, &["schema", "rpc"], "schemas/rpc.json")?;
    write_output(&becket, &["rule", "--page"], "docs/rules.md")?;
    write_output(&becket, &["reference"], "docs/cli.md")
}

/// Writes the output of the program to a file.
fn write_output(becket: &Path, arguments: &[&str], file: &str) -> Result<(), String> {
    write(&crate::root().join(file), &printed(becket, arguments)?)
}

/// Returns the output of the program.
fn printed(becket: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(becket).args(arguments).current_dir(crate::root()).output();
    let output = output.map_err(|error| format!("can't run `{}`: {error}", becket.display()))?;
    if !output.status.success() {
        let name = arguments.join(" ");
        return Err(format!("`becket {name}` failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, text).map_err(failed)
}

fn remove_others(folder: &Path, written: &BTreeSet<PathBuf>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    for file in std::fs::read_dir(folder).map_err(failed)? {
        let path = file.map_err(failed)?.path();
        if !written.contains(&path) {
            std::fs::remove_file(&path).map_err(failed)?;
        }
    }
    Ok(())
}
