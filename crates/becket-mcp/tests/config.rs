//! The cases of `tests/cases/config.json`: a text, and what each of its servers becomes.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use becket_mcp::config::{self, ServerConfig};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(rename = "rule")]
    _rule: Option<String>,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    text: Vec<String>,
    servers: Option<Value>,
    error: Option<String>,
}

#[test]
fn cases() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("cases/config.json")).unwrap();
    for case in cases {
        let variables: Vec<(OsString, OsString)> =
            case.variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let expected = match (case.servers, case.error) {
            (Some(servers), None) => Ok(servers),
            (None, Some(error)) => Err(error),
            (Some(_), Some(_)) | (None, None) => panic!("{}: `servers` or `error`", case.name),
        };
        let read = config::read(&case.text.join("\n"), Path::new("f.json"), &variables);
        let got = read.map_err(|error| error.to_string()).map(|servers| {
            let shown = servers.into_iter().map(|server| {
                let shown = match server.config {
                    Ok(config) => shown(&config),
                    Err(error) => Value::from(error.to_string()),
                };
                (server.name, shown)
            });
            Value::Object(shown.collect())
        });
        assert_eq!(got, expected, "{}", case.name);
    }
}

fn shown(config: &ServerConfig) -> Value {
    let text = |text: &OsString| text.to_str().unwrap().to_owned();
    json!({
        "command": text(&config.command),
        "args": config.args.iter().map(text).collect::<Vec<_>>(),
        "env": config.env.iter().map(|(name, value)| (text(name), text(value))).collect::<BTreeMap<_, _>>(),
        "cwd": config.cwd,
        "timeout_ms": config.timeout.map(|timeout| timeout.as_millis()),
    })
}

#[test]
fn what_may_be_secret_is_not_shown() {
    let text = r#"{"mcpServers": {"a": {"command": "s", "args": ["${T}"], "env": {"KEY": "${T}"}}}}"#;
    let servers = config::read(text, Path::new("f.json"), &[("T".into(), "s3cret".into())]).unwrap();
    let shown = format!("{servers:?}");
    assert!(shown.contains("KEY") && !shown.contains("s3cret"), "{shown}");
    let options = becket_mcp::Options::new(vec![("KEY".into(), "s3cret".into())], "/");
    let shown = format!("{options:?}");
    assert!(shown.contains("KEY") && !shown.contains("s3cret"), "{shown}");
}
