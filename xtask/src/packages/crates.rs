//! The crates: the metadata required by crates.io, and `cargo package`.

use super::{Place, StepError, stdout_of};
use crate::root;
use serde_json::Value;
use std::process::Command;

/// The fields that a crate has to have, texts and lists.
const TEXTS: [&str; 5] = ["description", "license", "repository", "readme", "rust_version"];
const LISTS: [&str; 2] = ["keywords", "categories"];

/// Checks the metadata of each crate that is published, and packs all of them.
pub(super) fn run(place: &Place) -> Result<(), StepError> {
    let mut cargo = Command::new(env!("CARGO"));
    let metadata =
        stdout_of(cargo.args(["metadata", "--no-deps", "--format-version", "1"]).current_dir(root()))?;
    let metadata: Value =
        serde_json::from_str(&metadata).map_err(|error| format!("`cargo metadata`: {error}"))?;
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    // `publish = false` is an empty list of registries.
    let (published, internal): (Vec<&Value>, Vec<&Value>) =
        packages.iter().partition(|package| package["publish"].is_null());
    let missing: Vec<String> = published.iter().flat_map(|package| missing(package)).collect();
    if !missing.is_empty() {
        return Err(missing.join(", ").into());
    }
    let mut package = Command::new(env!("CARGO"));
    package.args(["package", "--workspace", "--no-verify", "--allow-dirty", "--quiet", "--target-dir"]);
    package.arg(place.fresh("crates")?);
    for name in internal.iter().filter_map(|package| package["name"].as_str()) {
        package.args(["--exclude", name]);
    }
    stdout_of(package.current_dir(root()))?;
    Ok(())
}

/// Returns the fields that a package lacks.
fn missing(package: &Value) -> Vec<String> {
    let is_missing = |field: &&str| match LISTS.contains(field) {
        true => package[*field].as_array().is_none_or(Vec::is_empty),
        false => !package[*field].is_string(),
    };
    let fields = TEXTS.into_iter().chain(LISTS).filter(is_missing);
    fields.map(|field| format!("{} has no `{field}`", package["name"])).collect()
}
