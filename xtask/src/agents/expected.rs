//! `agents.json`: the versions of all agents, and the expected results of each.

use super::point::PointResult;
use super::results::Results;
use serde::Deserialize;
use std::collections::BTreeMap;

/// One agent.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ExpectedAgent {
    /// The package, by its name on the registry.
    pub(crate) package: String,
    pub(crate) version: String,
    /// The registry.
    pub(crate) from: Registry,
    /// The program below the directory of its packages.
    pub(crate) program: String,
    /// A further npm package whose programs come first on its search path.
    #[serde(default)]
    pub(crate) beside: Option<String>,
    /// Set if its package needs its install scripts, which link a program.
    #[serde(default)]
    pub(crate) scripts: bool,
    /// Set if it runs hooks of `.claude` itself, in its own way: they are then in the user's settings, so that only
    /// Becket reads them.
    #[serde(default)]
    pub(crate) reads_hooks: bool,
    /// Set if CI runs it.
    #[serde(default)]
    pub(crate) ci: bool,
    /// The limit of one scenario, in seconds.
    pub(crate) limit: u64,
    /// The results that differ from `kept`.
    #[serde(flatten)]
    pub(crate) results: Results,
}

/// A registry of packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Registry {
    /// npm.
    Npm,
    /// PyPI.
    Pypi,
}

/// Reads the file.
///
/// # Errors
/// Errors if it does not have the expected form.
pub(crate) fn agents() -> Result<BTreeMap<String, ExpectedAgent>, String> {
    serde_json::from_str(include_str!("agents.json")).map_err(|error| format!("`agents.json`: {error}"))
}

impl ExpectedAgent {
    /// Returns the differences from the expectation, for better or worse.
    pub(crate) fn differences(&self, found: &Results) -> Vec<String> {
        let mut wrong = Vec::new();
        for ((set, found), (_, expected)) in found.sets().into_iter().zip(self.results.sets()) {
            for (point, result) in found {
                let expected = expected.get(point).copied().unwrap_or(PointResult::Kept);
                if expected != *result {
                    wrong.push(format!("{set}: {point} is {result} instead of {expected}"));
                }
            }
        }
        wrong
    }
}

#[cfg(test)]
mod tests {
    use super::super::point::Point;
    use super::*;

    #[test]
    fn a_point_that_is_worse_or_better_is_a_difference() {
        let all = agents().unwrap();
        let agent = all.values().find(|agent| !agent.results.points.is_empty()).unwrap();
        assert!(agent.differences(&agent.results).is_empty());
        let (point, expected) =
            agent.results.points.iter().next().map(|(point, result)| (*point, *result)).unwrap();
        let found = |point, result| Results { points: [(point, result)].into(), ..Results::default() };
        let better = found(point, PointResult::Kept);
        let worse = found(Point::Harmless, PointResult::Lost);
        assert_ne!(expected, PointResult::Kept);
        assert_eq!((agent.differences(&better).len(), agent.differences(&worse).len()), (1, 1));
    }

    #[test]
    fn no_denial_and_no_ask_is_expected_to_be_lost() {
        use Point::{Ask, Deny, ExitTwo, Harmless, WriteGuard};
        for (name, agent) in agents().unwrap() {
            assert!(becket_proof::driver(&name).is_some(), "{name} has no driver");
            let dialect = becket_dialects::dialect(&name).unwrap();
            assert_eq!(dialect.version, agent.version, "{name}");
            for (set, points) in agent.results.sets() {
                for point in [Deny, ExitTwo, WriteGuard, Ask, Harmless] {
                    let expected = points.get(&point).copied().unwrap_or(PointResult::Kept);
                    let is_held = matches!(expected, PointResult::Kept | PointResult::Ends)
                        && (point, expected) != (Harmless, PointResult::Ends);
                    assert!(is_held, "{name}, {set}: {point} is {expected}");
                }
            }
        }
    }
}
