//! Headers that a command of the user prints: `tests/cases/auth_helper.json`.

use std::time::Duration;

use becket_mcp::auth::NoHeaders;
use becket_mcp::auth::{HELPER_LIMIT, HeaderAttempt, HeaderSource, Helper, HelperCommand};
use becket_process::Runner;
use becket_testkit::proc::Marker;
use futures_util::future::join_all;
use serde::Deserialize;
use tempfile::TempDir;

use crate::auth::place::refused;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    rule: String,
    script: String,
    /// The time limit in milliseconds, instead of the usual one.
    limit: Option<u64>,
    #[serde(default)]
    headers: Vec<(String, String)>,
    error: Option<String>,
}

struct Place {
    directory: TempDir,
    marker: Marker,
    runner: Runner,
}

impl Place {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap(), marker: Marker::new(), runner: Runner::new() }
    }

    fn helper(&self, script: &str, limit: Duration) -> Helper {
        let (name, value) = self.marker.env();
        let environment = vec![
            ("PATH".into(), "/usr/bin:/bin".into()),
            ("HELPER_KEY".into(), "k3y".into()),
            ("CLAUDE_CODE_MCP_SERVER_NAME".into(), "not this one".into()),
            (name.into(), value.into()),
        ];
        let command = HelperCommand {
            script: script.into(),
            server: "docs".into(),
            url: "https://mcp.example/mcp?x=1".parse().unwrap(),
            environment,
            cwd: self.directory.path().into(),
            limit,
        };
        Helper::new(command, self.runner.clone())
    }

    fn runs(&self) -> usize {
        std::fs::read_to_string(self.directory.path().join("runs")).unwrap_or_default().lines().count()
    }
}

// rule: X1
#[tokio::test]
async fn what_a_helper_prints_is_sent_and_everything_else_is_named() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../../cases/auth_helper.json")).unwrap();
    assert!(cases.len() > 10);
    for case in cases {
        let place = Place::new();
        let limit = case.limit.map_or(HELPER_LIMIT, Duration::from_millis);
        let helper = place.helper(&case.script, limit);
        let given = helper.headers(HeaderAttempt::First).await;
        let shown = format!("{given:?} {helper:?}");
        assert!(!shown.contains("s3cr3t"), "{} ({}): {shown}", case.name, case.rule);
        match (given, &case.error) {
            (Ok(headers), None) => {
                let plain: Vec<_> = headers
                    .iter()
                    .map(|(name, value)| (name.to_string(), value.expose().to_owned()))
                    .collect();
                assert_eq!(plain, case.headers, "{}", case.name);
            }
            (Err(NoHeaders::Failed(error)), Some(expected)) => {
                let said = error.to_string();
                assert!(
                    said.contains(expected.as_str()) && !said.contains("s3cr3t"),
                    "{}: {said}",
                    case.name
                );
            }
            (given, _) => panic!("{}: {given:?}", case.name),
        }
        place.runner.all_gone().await;
        place.marker.wait_for(0);
    }
}

// rule: X1
#[tokio::test]
async fn a_helper_is_run_once_and_once_more_after_a_401() {
    let place = Place::new();
    let script = r#"echo run >> runs; sleep 0.1; echo "{\"X-Run\": \"$(wc -l < runs | tr -d ' ')\"}""#;
    let helper = place.helper(script, HELPER_LIMIT);
    let ask = async |attempt: HeaderAttempt| helper.headers(attempt).await.unwrap()[0].1.expose().to_owned();
    let first = join_all((0..10).map(|_| ask(HeaderAttempt::First))).await;
    assert!(first.iter().all(|run| run == "1"), "{first:?}");
    assert_eq!((ask(HeaderAttempt::First).await.as_str(), place.runs()), ("1", 1));
    let again = join_all((0..10).map(|_| ask(refused()))).await;
    assert!(again.iter().all(|run| run == "2"), "{again:?}");
    assert_eq!((ask(HeaderAttempt::First).await.as_str(), place.runs()), ("2", 2));
}

// rule: X1
#[tokio::test]
async fn a_helper_that_failed_is_run_again() {
    let place = Place::new();
    let script = r#"echo run >> runs; [ "$(wc -l < runs)" -gt 1 ] && echo '{"X-A": "1"}'"#;
    let helper = place.helper(script, HELPER_LIMIT);
    assert!(helper.headers(HeaderAttempt::First).await.is_err());
    assert_eq!(helper.headers(HeaderAttempt::First).await.unwrap().len(), 1);
}
