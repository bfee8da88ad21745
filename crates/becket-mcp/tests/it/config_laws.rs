//! Laws for every text: nothing panics, nothing is lost, nothing is allowed that a gate forbids.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use becket_mcp::config::{
    self, Approvals, Choices, ConfiguredServer, DisabledReason, Gates, McpPolicy, ResolvedServers, Scope,
    Settings, Status,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const KEYS: [&str; 24] = [
    "type",
    "url",
    "command",
    "args",
    "env",
    "cwd",
    "timeout",
    "disabled",
    "headers",
    "headersHelper",
    "oauth",
    "tls",
    "ideName",
    "authToken",
    "id",
    "clientId",
    "callbackPort",
    "scopes",
    "ca",
    "cert",
    "key",
    "serverName",
    "serverCommand",
    "serverUrl",
];
const WORDS: [&str; 24] = [
    "stdio",
    "http",
    "sse",
    "ws",
    "ws-ide",
    "proxy",
    "sdk",
    "s",
    "https://h/mcp",
    "https://*.h/*",
    "wss://h",
    "ws://[::1]",
    "https://u:p@h",
    "${A}",
    "${A:-b}",
    "${",
    "${}",
    "",
    "a\nb",
    "\u{0}",
    "é\u{202e}",
    "https://h/%2f",
    "*",
    "plugin:a:b",
];
const SETTINGS: [&str; 7] = [
    "mcpServers",
    "allowedMcpServers",
    "deniedMcpServers",
    "allowManagedMcpServersOnly",
    "enabledMcpjsonServers",
    "disabledMcpjsonServers",
    "enableAllProjectMcpServers",
];

fn word() -> impl Strategy<Value = String> {
    prop_oneof![3 => prop::sample::select(WORDS.to_vec()).prop_map(str::to_owned), 1 => ".*"]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![5 => prop::sample::select(KEYS.to_vec()).prop_map(str::to_owned), 1 => word()]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        6 => word().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            3 => prop::collection::vec((key(), inner), 0..7).prop_map(|all| Value::Object(all.into_iter().collect())),
        ]
    })
}

fn settings() -> impl Strategy<Value = Value> {
    prop::collection::vec((prop::sample::select(SETTINGS.to_vec()), value()), 0..5)
        .prop_map(|all| Value::Object(all.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()))
}

/// Returns settings whose servers are well-formed enough to collide.
fn crowded() -> impl Strategy<Value = Value> {
    let names = prop::collection::vec((prop::sample::select(vec!["a", "b", "c"]), value()), 0..4);
    (settings(), names).prop_map(|(mut settings, servers)| {
        let servers: Map<String, Value> =
            servers.into_iter().map(|(name, entry)| (name.to_owned(), entry)).collect();
        settings["mcpServers"] = Value::Object(servers);
        settings
    })
}

fn scope() -> impl Strategy<Value = Scope> {
    prop::sample::select(vec![
        Scope::Managed,
        Scope::CommandLine,
        Scope::Local,
        Scope::Project,
        Scope::User,
        Scope::Plugin { name: "p".to_owned(), root: "/p".into(), values: Box::default() },
    ])
}

fn all_of(files: &[(Scope, Value)]) -> Settings {
    let mut all = Settings::default();
    for (scope, text) in files {
        all.join(config::read_settings(&text.to_string(), Path::new("f.json"), scope.clone()).unwrap());
    }
    all
}

fn resolve(settings: &Settings, choices: &Choices, trusted: bool, exclusive: bool) -> ResolvedServers {
    let gates = Gates {
        policy: &settings.policy,
        choices,
        approvals: &Approvals::default(),
        project: "/p",
        workspace_trusted: trusted,
        exclusive,
    };
    config::resolve(settings.layers.clone(), &[("A".into(), "x".into())], &gates)
}

fn is_allowed(server: &&ConfiguredServer) -> bool {
    server.status == Status::Allowed
}

fn allowed(resolved: &ResolvedServers) -> HashSet<(String, String)> {
    let servers = resolved.servers.iter().filter(is_allowed);
    servers.map(|server| (server.name.to_string(), server.scope.to_string())).collect()
}

proptest! {
    // rule: X1
    #[test]
    fn no_text_makes_a_reader_panic(text in ".*", entry in value(), root in value()) {
        let _ = config::read(&text, Path::new("f.json"), &[]);
        let _ = config::read_settings(&root.to_string(), Path::new("f.json"), Scope::User);
        let _ = config::read_user_file(&root.to_string(), Path::new("f.json"), "/p");
        let _ = Approvals::parse(&text);
        let servers = config::read(&json!({"mcpServers": {"a": entry}}).to_string(), Path::new("f.json"), &[]).unwrap();
        prop_assert_eq!(servers.len(), 1);
        for server in servers {
            let _ = format!("{server:?}");
            if let Ok(config) = &server.config {
                let _ = config.key();
                prop_assert!(config.transport.url().is_none_or(|url| url.has_host() && url.password().is_none()));
            }
        }
    }

    // rules: X1, X2
    #[test]
    fn no_server_is_lost_and_no_name_counts_twice(files in prop::collection::vec((scope(), crowded()), 0..6)) {
        let settings = all_of(&files);
        let written: usize = settings.layers.iter().map(|layer| layer.names().count()).sum();
        let resolved = resolve(&settings, &settings.choices, true, false);
        prop_assert_eq!(resolved.servers.len() + resolved.others.len(), written);
        let names: HashSet<String> = resolved.servers.iter().map(|server| server.name.to_string()).collect();
        prop_assert_eq!(names.len(), resolved.servers.len());
        prop_assert!(resolved.others.iter().all(|server| !is_allowed(&server)));
    }

    // rule: X1
    #[test]
    fn a_gate_that_closes_opens_nothing(files in prop::collection::vec((scope(), crowded()), 0..6)) {
        let settings = all_of(&files);
        let open = resolve(&settings, &settings.choices, true, false);
        for server in open.servers.iter().filter(is_allowed) {
            prop_assert!(server.scope != Scope::Project || settings.choices != Choices::default());
        }
        // Without trust nothing of the workspace runs; entries that it shadowed may.
        for server in resolve(&settings, &settings.choices, false, false).servers.iter().filter(is_allowed) {
            prop_assert!(!matches!(server.scope, Scope::Project | Scope::Local), "{server:?}");
        }
        for server in resolve(&settings, &settings.choices, true, true).servers.iter().filter(is_allowed) {
            prop_assert_eq!(&server.scope, &Scope::Managed);
        }
        let free = Settings { policy: McpPolicy::default(), ..settings.clone() };
        let without_policy = resolve(&free, &settings.choices, true, false);
        prop_assert!(allowed(&open).is_subset(&allowed(&without_policy)));
    }

    // rule: X1
    #[test]
    fn another_deny_list_only_takes_away(
        files in prop::collection::vec((scope(), crowded()), 0..5),
        denied in value(),
        scope in scope(),
    ) {
        let before = all_of(&files);
        let mut after = before.clone();
        let text = json!({"deniedMcpServers": denied}).to_string();
        after.join(config::read_settings(&text, Path::new("g.json"), scope).unwrap());
        let (was, is) = (resolve(&before, &before.choices, true, false), resolve(&after, &after.choices, true, false));
        prop_assert!(allowed(&is).is_subset(&allowed(&was)));
    }
}

// rule: X2
#[test]
fn ten_thousand_servers_are_read_in_no_time() {
    let entry = |index: usize| {
        (
            format!("server-{index}"),
            json!({"command": "s", "args": [index.to_string()], "env": {"A": "${A}"}}),
        )
    };
    let servers: Map<String, Value> = (0..10_000).map(entry).collect();
    let text = serde_json::to_string_pretty(&json!({"mcpServers": servers})).unwrap();
    let denied: Vec<Value> = (0..100).map(|index| json!({"serverName": format!("server-{index}")})).collect();
    let mut settings = all_of(&[(Scope::User, json!({"deniedMcpServers": denied}))]);
    for scope in [Scope::User, Scope::Local] {
        settings.layers.push(config::read_file(&text, Path::new("f.json"), scope).unwrap());
    }
    let resolved = resolve(&settings, &settings.choices, true, false);
    assert_eq!((resolved.servers.len(), resolved.others.len()), (10_000, 10_000));
    assert_eq!(allowed(&resolved).len(), 9_900);
    let last = &resolved.servers[9_999];
    assert_eq!(last.place.as_ref().unwrap().line, 3 + 9_999 * 9);
    assert!(resolved.others.iter().all(|server| {
        matches!(
            &server.status,
            Status::Disabled(
                DisabledReason::Shadowed { by: Scope::Local, .. } | DisabledReason::ByPolicy { .. }
            )
        )
    }));
}

// rule: X1
#[test]
fn a_key_that_comes_twice_counts_for_the_worse() {
    let is = |text: &str| {
        let settings = config::read_settings(text, Path::new("f.json"), Scope::Managed).unwrap();
        let resolved = resolve(&settings, &settings.choices, true, false);
        let all: BTreeMap<String, bool> =
            resolved.servers.iter().map(|server| (server.name.to_string(), is_allowed(&server))).collect();
        (all, settings.problems.len())
    };
    let servers = r#""mcpServers": {"a": {"command": "s"}, "b": {"command": "s"}}"#;
    let of = |a: bool, b: bool| BTreeMap::from([("a".to_owned(), a), ("b".to_owned(), b)]);
    let (a, b) = (r#"[{"serverName": "a"}]"#, r#"[{"serverName": "b"}]"#);
    let twice = |key: &str| is(&format!(r#"{{{servers}, "{key}": {a}, "{key}": {b}}}"#));
    assert_eq!(twice("deniedMcpServers"), (of(false, false), 1));
    assert_eq!(twice("allowedMcpServers"), (of(false, false), 1));
    assert_eq!(is(&format!(r#"{{{servers}, {servers}}}"#)), (BTreeMap::new(), 1));
}
