//! The SBOM of the programs: CycloneDX, as JSON, by cargo-cyclonedx.

use super::{Place, StepError, VERSION, cargo_tool, copy, stdout_of};
use crate::root;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of cargo-cyclonedx.
const CARGO_CYCLONEDX: &str = "0.5.9";
/// The name of the files that it writes beside each manifest, without their ending.
const NAME: &str = "becket-sbom";

/// Writes the SBOM, and checks that it names the programs and their dependencies.
pub(super) fn run(place: &Place) -> Result<(), StepError> {
    let tool = cargo_tool("cargo-cyclonedx", CARGO_CYCLONEDX)?;
    let mut cyclonedx = Command::new(tool);
    cyclonedx.args(["cyclonedx", "--format", "json", "--spec-version", "1.5", "--override-filename", NAME]);
    cyclonedx.args(["--target", &place.target, "--manifest-path", "crates/becket-cli/Cargo.toml", "--quiet"]);
    let made = stdout_of(cyclonedx.current_dir(root()));
    let to = place.out.join("becket.cdx.json");
    let written = root().join("crates/becket-cli").join(format!("{NAME}.json"));
    let copied = made.and_then(|_| copy(&written, &to));
    // The tool writes one for each package of the workspace.
    remove_all()?;
    copied?;
    check(&to).map_err(StepError::Failed)
}

fn remove_all() -> Result<(), String> {
    for folder in ["crates", "bindings", "."] {
        let entries = fs::read_dir(root().join(folder)).map_err(|error| format!("`{folder}`: {error}"))?;
        let files = entries.flatten().map(|entry| entry.path().join(format!("{NAME}.json")));
        let found: Vec<PathBuf> = files.filter(|file| file.is_file()).collect();
        for file in found {
            fs::remove_file(&file).map_err(|error| format!("`{}`: {error}", file.display()))?;
        }
    }
    Ok(())
}

fn check(file: &Path) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| format!("`{}`: {error}", file.display()))?;
    let bom: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("`{}`: {error}", file.display()))?;
    let subject = &bom["metadata"]["component"];
    if bom["bomFormat"] != "CycloneDX" || subject["name"] != "becket-cli" || subject["version"] != VERSION {
        return Err(format!("`{}` is not the SBOM of becket-cli {VERSION}", file.display()));
    }
    let components = bom["components"].as_array().map_or(&[][..], Vec::as_slice);
    let has = |name: &str| components.iter().any(|one| one["name"] == name && one["purl"].is_string());
    match ["becket-engine", "tokio", "rustls", "serde_json"].into_iter().find(|name| !has(name)) {
        None => Ok(()),
        Some(name) => Err(format!("the SBOM does not name `{name}`")),
    }
}
