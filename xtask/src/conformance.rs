//! `cargo xtask conformance`: the published conformance suites of MCP, run against the client of `becket-mcp`.
//!
//! A suite starts a server for each scenario and runs the example `conformance_client` against it. The expected
//! failures are in `crates/becket-mcp/tests/conformance-baseline.json`, with the failing checks and the reasons.
//! The baseline is strict both ways: a failure that it does not name fails the chore, and so does a named one that does
//! not happen. Unlike in the suites themselves, a scenario without a passed check has failed: a client that never
//! connected must not count as one that behaved.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;

use crate::conformance_suite::{Scenario, ScenarioResult, Suite};
use crate::installed::Places;
use crate::suites::leave_out;
use crate::{root, say};

/// The number of scenarios that run at once.
const AT_ONCE: usize = 2;

/// The suites, and the sets of their scenarios.
const SETS: [(&str, &str, Which); 4] = [
    ("0.1.16", "conformance-0.1.16", Which::All),
    ("2025-11-25", "conformance-0.2.0-alpha.12", Which::Version("2025-11-25")),
    ("2026-07-28", "conformance-0.2.0-alpha.12", Which::Version("2026-07-28")),
    ("extensions", "conformance-0.2.0-alpha.12", Which::Extensions),
];

#[derive(Clone, Copy)]
enum Which {
    All,
    Version(&'static str),
    Extensions,
}

/// The expected failures: set, scenario, and then the checks with the reason.
type Baseline = BTreeMap<String, BTreeMap<String, ExpectedFailure>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedFailure {
    fails: BTreeSet<String>,
    reason: String,
}

/// Runs all scenarios, or those whose `set/scenario` contains one of the arguments.
///
/// # Errors
/// A result differs from the baseline, or a suite could not be run. A registry without the suites is not an error, but
/// is reported.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let places = Places::of(root());
    let modules = match places.npm("conformance") {
        Ok(modules) => modules,
        Err(reason) => {
            leave_out("the conformance suites", &reason);
            return Ok(());
        }
    };
    let (baseline, client) = (baseline()?, client()?);
    let mut todo = Vec::new();
    for (set, package, which) in SETS {
        let suite = Suite::open(&modules.join(package))?;
        todo.extend(suite.list()?.into_iter().filter_map(|scenario| Task::new(set, &suite, which, scenario)));
    }
    let known: BTreeSet<String> = todo.iter().map(Task::id).collect();
    for (set, scenarios) in &baseline {
        if let Some(gone) = scenarios.keys().find(|name| !known.contains(&format!("{set}/{name}"))) {
            return Err(format!(
                "the baseline names `{gone}` of `{set}`, which is not a scenario: remove it"
            ));
        }
    }
    todo.retain(|task| {
        arguments.is_empty() || arguments.iter().any(|part| task.id().contains(part.as_str()))
    });
    report(&todo, &perform(&todo, &client)?, &baseline)
}

/// One run of the client.
struct Task {
    set: &'static str,
    suite: Suite,
    version: Option<&'static str>,
    scenario: String,
}

impl Task {
    fn new(set: &'static str, suite: &Suite, which: Which, scenario: Scenario) -> Option<Self> {
        let (belongs, version) = match which {
            Which::All => (true, None),
            Which::Version(version) => (scenario.tags.iter().any(|tag| tag == version), Some(version)),
            Which::Extensions => (scenario.tags.iter().any(|tag| tag == "extension"), None),
        };
        belongs.then(|| Self { set, suite: suite.clone(), version, scenario: scenario.name })
    }

    fn id(&self) -> String {
        format!("{}/{}", self.set, self.scenario)
    }
}

fn perform(todo: &[Task], client: &str) -> Result<Vec<ScenarioResult>, String> {
    let results = root().join("target/mcp/results");
    // Results of an earlier run would be mistaken for those of this one.
    if results.exists() {
        fs::remove_dir_all(&results).map_err(|error| format!("`{}`: {error}", results.display()))?;
    }
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(task) = todo.get(index) else { return };
            let ran = task.suite.run(&task.scenario, task.version, client, &results.join(task.set));
            done.lock().unwrap_or_else(PoisonError::into_inner).insert(index, ran);
        }
    };
    std::thread::scope(|scope| (0..AT_ONCE).for_each(|_| drop(scope.spawn(work))));
    done.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().collect()
}

fn report(todo: &[Task], ran: &[ScenarioResult], baseline: &Baseline) -> Result<(), String> {
    let (mut table, mut wrong) = (String::new(), 0);
    let mut passed: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for (task, ran) in todo.iter().zip(ran) {
        let expected = baseline.get(task.set).and_then(|set| set.get(&task.scenario));
        let (word, is_wrong) = judge(&ran.failed, expected);
        let count = passed.entry(task.set).or_default();
        count[0] += usize::from(ran.failed.is_empty());
        count[1] += 1;
        let failed = ran.failed.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let _ = writeln!(table, "{word:<22} {:<62} {:>3} checks passed  {failed}", task.id(), ran.passed);
        if is_wrong {
            wrong += 1;
            let _ = writeln!(table, "{}", ran.said);
        }
    }
    for (set, [passed, all]) in &passed {
        let _ = writeln!(table, "{set}: {passed} of {all} scenarios pass");
    }
    say(&table);
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} scenarios are not as the baseline says")) }
}

/// Returns a word for the table, and whether the result is unexpected.
fn judge(failed: &BTreeSet<String>, expected: Option<&ExpectedFailure>) -> (&'static str, bool) {
    match expected {
        None if failed.is_empty() => ("passes", false),
        None => ("FAILS", true),
        Some(_) if failed.is_empty() => ("PASSES UNEXPECTEDLY", true),
        Some(expected) if expected.fails == *failed => ("fails as expected", false),
        Some(_) => ("FAILS OTHERWISE", true),
    }
}

fn baseline() -> Result<Baseline, String> {
    let path = root().join("crates/becket-mcp/tests/conformance-baseline.json");
    let fail = |error: String| format!("`{}`: {error}", path.display());
    let text = fs::read_to_string(&path).map_err(|error| fail(error.to_string()))?;
    let baseline: Baseline = serde_json::from_str(&text).map_err(|error| fail(error.to_string()))?;
    for (set, scenarios) in &baseline {
        if !SETS.iter().any(|(known, _, _)| known == set) {
            return Err(fail(format!("there is no set `{set}`")));
        }
        if let Some((name, _)) = scenarios
            .iter()
            .find(|(_, expected)| expected.reason.trim().is_empty() || expected.fails.is_empty())
        {
            return Err(fail(format!("`{name}` of `{set}` needs a reason and the checks that fail")));
        }
    }
    Ok(baseline)
}

/// Builds the client, and returns the command line that starts it.
fn client() -> Result<String, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--package", "becket-mcp", "--example", "conformance_client"]);
    cargo.args(["--message-format", "json-render-diagnostics"]).current_dir(root());
    let built = cargo.stderr(std::process::Stdio::inherit()).output();
    let built = built.map_err(|error| format!("can't run cargo: {error}"))?;
    if !built.status.success() {
        return Err("the conformance client can't be built: see above".to_owned());
    }
    let executable = String::from_utf8_lossy(&built.stdout).lines().rev().find_map(executable);
    let executable = executable.ok_or("cargo does not say where the conformance client is")?;
    if executable.contains(char::is_whitespace) || !Path::new(&executable).is_absolute() {
        return Err(format!("the suites can't start `{executable}`: its path has spaces in it"));
    }
    Ok(executable)
}

fn executable(line: &str) -> Option<String> {
    let message: serde_json::Value = serde_json::from_str(line).ok()?;
    (message["target"]["name"] == "conformance_client").then_some(())?;
    Some(message["executable"].as_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_baseline_is_strict_both_ways() {
        let set = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<BTreeSet<_>>();
        let expected = ExpectedFailure { fails: set(&["a"]), reason: "why".into() };
        for (failed, expected, wrong) in [
            (set(&[]), None, false),
            (set(&["a"]), None, true),
            (set(&["a"]), Some(&expected), false),
            (set(&["a", "b"]), Some(&expected), true),
            (set(&[]), Some(&expected), true),
        ] {
            assert_eq!(judge(&failed, expected).1, wrong, "{failed:?}");
        }
    }

    #[test]
    fn the_baseline_can_be_read_and_has_reasons() {
        baseline().unwrap();
    }
}
