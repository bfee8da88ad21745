//! One published conformance suite: its scenarios, and one run of a scenario.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

/// The time limit of one scenario, in milliseconds: for a loaded machine.
const LIMIT: &str = "90000";

/// An installed suite.
#[derive(Clone)]
pub(crate) struct Suite {
    script: PathBuf,
}

/// A scenario as the suite lists it.
#[derive(Debug, PartialEq)]
pub(crate) struct Scenario {
    pub(crate) name: String,
    /// The versions of the protocol that it belongs to, or `extension`, or `draft`.
    pub(crate) tags: Vec<String>,
}

/// The result of a scenario.
pub(crate) struct ScenarioResult {
    /// The number of passed checks.
    pub(crate) passed: usize,
    /// The failed checks, by id; and other failures, in parentheses.
    pub(crate) failed: BTreeSet<String>,
    /// The output of the suite.
    pub(crate) said: String,
}

#[derive(Deserialize)]
struct Check {
    id: String,
    status: String,
}

impl Suite {
    /// Opens the suite in this package.
    ///
    /// # Errors
    /// Errors if it is missing, or differs from the published one.
    pub(crate) fn open(package: &Path) -> Result<Self, String> {
        let (published, script) = (package.join("dist/index.js"), package.join("dist/becket.js"));
        let fail = |path: &Path, error: std::io::Error| format!("`{}`: {error}", path.display());
        let source = fs::read_to_string(&published).map_err(|error| fail(&published, error))?;
        let source = without_glob(&source).ok_or_else(|| {
            format!("`{}` does not import `globSync` once: see what this version needs", published.display())
        })?;
        fs::write(&script, source).map_err(|error| fail(&script, error))?;
        Ok(Self { script })
    }

    /// Returns its scenarios for clients.
    pub(crate) fn list(&self) -> Result<Vec<Scenario>, String> {
        let listed = Command::new("node").arg(&self.script).args(["list", "--client"]).output();
        let listed = listed.map_err(|error| format!("can't run `node`: {error}"))?;
        let scenarios: Vec<Scenario> =
            String::from_utf8_lossy(&listed.stdout).lines().filter_map(scenario).collect();
        if scenarios.is_empty() {
            return Err(format!("the suite lists nothing: {}", String::from_utf8_lossy(&listed.stderr)));
        }
        Ok(scenarios)
    }

    /// Runs the client against one scenario.
    pub(crate) fn run(
        &self,
        scenario: &str,
        version: Option<&str>,
        client: &str,
        results: &Path,
    ) -> Result<ScenarioResult, String> {
        // The suite adds the time of day to the name of a scenario; in a separate directory, it is found without that.
        let place = results.join(scenario.replace('/', "-"));
        let mut suite = Command::new("node");
        suite.arg(&self.script).args(["client", "--command", client, "--scenario", scenario]);
        suite.args(["--timeout", LIMIT, "--output-dir"]).arg(&place);
        if let Some(version) = version {
            suite.args(["--spec-version", version]);
        }
        let output = suite.output().map_err(|error| format!("can't run `node`: {error}"))?;
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let checks = checks(&place).unwrap_or_default();
        Ok(judge(&checks, output.status.success(), said.concat()))
    }
}

fn judge(checks: &[Check], is_satisfied: bool, said: String) -> ScenarioResult {
    let with = |status: &'static str| checks.iter().filter(move |check| check.status == status);
    let mut failed: BTreeSet<String> =
        with("FAILURE").chain(with("WARNING")).map(|check| check.id.clone()).collect();
    let passed = with("SUCCESS").count();
    if passed == 0 {
        failed.insert("(no check passed)".to_owned());
    }
    if failed.is_empty() && !is_satisfied {
        failed.insert("(the client failed)".to_owned());
    }
    ScenarioResult { passed, failed, said }
}

/// Returns the one `checks.json` below a directory.
fn checks(place: &Path) -> Option<Vec<Check>> {
    let mut places = vec![place.to_owned()];
    while let Some(place) = places.pop() {
        for entry in fs::read_dir(place).ok()?.flatten() {
            let path = entry.path();
            if path.ends_with("checks.json") {
                return serde_json::from_str(&fs::read_to_string(path).ok()?).ok();
            }
            if path.is_dir() {
                places.push(path);
            }
        }
    }
    None
}

/// Returns the source without `fs.globSync`, which Node 20 lacks, and which client scenarios never use.
fn without_glob(source: &str) -> Option<String> {
    let (before, rest) = source.split_once("globSync as ")?;
    let (_name, after) = rest.split_once(',')?;
    if after.contains("globSync as ") { None } else { Some(format!("{before}{after}")) }
}

/// Parses `  - name [tag,tag]`.
fn scenario(line: &str) -> Option<Scenario> {
    let (name, tags) = line.trim().strip_prefix("- ")?.strip_suffix(']')?.split_once(" [")?;
    Some(Scenario { name: name.into(), tags: tags.split(',').map(str::to_owned).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenarios_are_read_with_their_tags() {
        let read = scenario("  - auth/basic-cimd [2025-11-25,2026-07-28]").unwrap();
        assert_eq!((read.name.as_str(), read.tags.len()), ("auth/basic-cimd", 2));
        assert_eq!(scenario("Client scenarios (test against a client):"), None);
    }

    #[test]
    fn the_import_is_taken_out_where_it_stands_once() {
        let source = "import{existsSync as a,globSync as o,mkdtempSync as s}from\"fs\"";
        assert_eq!(without_glob(source).unwrap(), "import{existsSync as a,mkdtempSync as s}from\"fs\"");
        assert_eq!(without_glob("import{existsSync as a}from\"fs\""), None);
        assert_eq!(without_glob(&source.repeat(2)), None);
    }

    #[test]
    fn silence_is_no_success() {
        let check = |id: &str, status: &str| Check { id: id.into(), status: status.into() };
        let failed = |checks: &[Check], is_satisfied| {
            judge(checks, is_satisfied, String::new()).failed.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(failed(&[], true), ["(no check passed)"]);
        assert_eq!(failed(&[check("a", "SKIPPED"), check("b", "INFO")], true), ["(no check passed)"]);
        assert_eq!(failed(&[check("a", "SUCCESS")], true), [""; 0]);
        assert_eq!(failed(&[check("a", "SUCCESS")], false), ["(the client failed)"]);
        assert_eq!(failed(&[check("a", "SUCCESS"), check("b", "WARNING")], false), ["b"]);
    }
}
