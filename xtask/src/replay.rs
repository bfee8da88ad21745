//! `cargo xtask suites replay`: `becket replay` over sessions that a real agent has recorded.
//!
//! Each hook of the recorded project has a label: `reproduced`, or its dependence besides its input.

use crate::installed::run;
use crate::program;
use crate::{root, say};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The recorded project, its sessions and its labels.
const CORPUS: &str = "crates/becket-lab/tests/corpus";
/// The minimum number of calls in the sessions, and the minimum share of answers that a hook has to repeat.
const FEWEST_CALLS: u64 = 500;
const LEAST_AGREED: f64 = 0.99;

/// Replays the sessions and compares the result with the labels.
///
/// # Errors
/// Errors if the program can't be built, or if a hook does not match its label.
pub(crate) fn suite(_: &[String]) -> Result<(), String> {
    let becket = program::becket()?;
    let place = TempDir::new().map_err(|error| format!("no temporary directory: {error}"))?;
    let corpus = root().join(CORPUS);
    let project = unpacked(&corpus, place.path())?;
    let mut replay = Command::new(becket);
    replay.args(["replay", "sessions.jsonl", "--json"]).current_dir(&project);
    replay.env("HOME", place.path()).stderr(Stdio::inherit());
    let done = replay.output().map_err(|error| format!("can't run becket: {error}"))?;
    let report: Value = serde_json::from_slice(&done.stdout)
        .map_err(|error| format!("`becket replay` printed no report ({error}): {}", done.status))?;
    let labels = fs::read_to_string(corpus.join("labels.json")).map_err(|error| error.to_string())?;
    let labels: BTreeMap<String, String> =
        serde_json::from_str(&labels).map_err(|error| error.to_string())?;
    let differences = differences(&report, &labels);
    let share = report["set_aside"]["share"].as_f64().unwrap_or_default() * 100.0;
    say(&format!(
        "{} calls, {} hooks, {share:.0} % of their runs set aside",
        report["transcripts"]["calls"],
        labels.len()
    ));
    if differences.is_empty() { Ok(()) } else { Err(differences.join("\n")) }
}

/// Recreates the project, a git repository with one commit, and the sessions in it.
fn unpacked(corpus: &Path, place: &Path) -> Result<PathBuf, String> {
    let project = place.join("project");
    run(Command::new("cp").arg("-r").arg(corpus.join("project")).arg(&project))?;
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(arguments);
        run(git.current_dir(&project))
    };
    git(&["init", "--quiet", "--initial-branch", "main"])?;
    git(&["commit", "--quiet", "--allow-empty", "--message", "start"])?;
    let failed = |error: std::io::Error| format!("`{CORPUS}/sessions.jsonl.gz` can't be unpacked: {error}");
    let sessions = File::create(project.join("sessions.jsonl")).map_err(failed)?;
    run(Command::new("gzip").arg("-dc").arg(corpus.join("sessions.jsonl.gz")).stdout(sessions))?;
    Ok(project)
}

/// Returns the differences between a report and the labels.
fn differences(report: &Value, labels: &BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    let calls = report["transcripts"]["calls"].as_u64().unwrap_or_default();
    if calls < FEWEST_CALLS {
        found.push(format!("only {calls} calls were read; there are at least {FEWEST_CALLS}"));
    }
    let handlers = report["handlers"].as_array().map(Vec::as_slice).unwrap_or_default();
    for (hook, label) in labels {
        match handlers.iter().find(|handler| handler["hook"] == **hook) {
            Some(handler) if is_as_labelled(handler, label) => {}
            Some(handler) => found.push(format!("`{hook}` should be `{label}`: {handler}")),
            None => found.push(format!("`{hook}` is not in the report")),
        }
    }
    found
}

fn is_as_labelled(handler: &Value, label: &str) -> bool {
    if label != "reproduced" {
        return handler["status"] == "not_replayable" && handler["depends_on"][0] == label;
    }
    let count = |key: &str| handler[key].as_f64().unwrap_or_default();
    let (compared, agreed) = (count("compared"), count("agreed"));
    handler["status"] == "reproduced" && compared > 0.0 && agreed / compared >= LEAST_AGREED
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_hook_that_is_not_as_labelled_is_a_difference() {
        let labels = BTreeMap::from([
            ("a.sh".to_owned(), "reproduced".to_owned()),
            ("b.sh".to_owned(), "clock".to_owned()),
        ]);
        let report = |agreed: u64, reason: &str| {
            json!({"transcripts": {"calls": 500}, "handlers": [
                {"hook": "a.sh", "status": "reproduced", "compared": 100, "agreed": agreed},
                {"hook": "b.sh", "status": "not_replayable", "depends_on": [reason]}]})
        };
        assert!(differences(&report(99, "clock"), &labels).is_empty());
        assert_eq!(differences(&report(98, "clock"), &labels).len(), 1);
        assert_eq!(differences(&report(100, "git"), &labels).len(), 1);
        assert_eq!(differences(&json!({"transcripts": {"calls": 499}}), &labels).len(), 3);
    }
}
