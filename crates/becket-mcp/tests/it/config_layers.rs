//! The cases of `tests/cases/config_layers.json`: many files, and the servers that may be connected.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use becket_mcp::config::PluginValues;
use becket_mcp::config::{
    self, Approvals, ConfiguredServer, Fingerprint, Gates, Scope, Settings, Status, Transport,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

const PROJECT: &str = "/home/u/project";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(rename = "rule")]
    _rule: String,
    files: Vec<File>,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    /// The approved entries, in their state at that time.
    #[serde(default)]
    approved: Map<String, Value>,
    #[serde(default = "yes")]
    trusted: bool,
    #[serde(default)]
    exclusive: bool,
    /// The servers that count, in order: name, scope, and `allowed` or the reason against it.
    servers: Vec<[String; 3]>,
    #[serde(default)]
    others: Vec<[String; 3]>,
    #[serde(default)]
    problems: Vec<String>,
}

/// A file, whose scope is the part before the dot of its name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    file: String,
    text: Value,
}

fn yes() -> bool {
    true
}

fn scope(file: &str) -> Scope {
    match file.split('.').next().unwrap() {
        "managed" => Scope::Managed,
        "command_line" => Scope::CommandLine,
        "local" => Scope::Local,
        "project" => Scope::Project,
        "user" => Scope::User,
        plugin => Scope::Plugin {
            name: plugin.to_owned(),
            root: Path::new("/plugins").join(plugin),
            values: Box::new(PluginValues {
                data: None,
                options: vec![("key".to_owned(), "a value".to_owned())],
            }),
        },
    }
}

fn read(files: &[File]) -> Settings {
    let mut all = Settings::default();
    for File { file, text } in files {
        let (text, path) = (text.to_string(), Path::new(file));
        if file.ends_with(".claude.json") {
            all.join(config::read_user_file(&text, path, PROJECT).unwrap());
        } else if file.ends_with(".mcp.json") {
            all.layers.push(config::read_file(&text, path, scope(file)).unwrap());
        } else {
            all.join(config::read_settings(&text, path, scope(file)).unwrap());
        }
    }
    all
}

fn fingerprint(name: &str, entry: &Value) -> Fingerprint {
    let text = json!({"mcpServers": {name: entry}}).to_string();
    config::read(&text, Path::new("f.json"), &[]).unwrap().remove(0).fingerprint.unwrap()
}

fn shown(server: &ConfiguredServer) -> [String; 3] {
    let status = match &server.status {
        Status::Allowed => "allowed".to_owned(),
        Status::Disabled(why) => why.to_string(),
    };
    [server.name.to_string(), server.scope.to_string(), status]
}

#[test]
fn cases() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("../cases/config_layers.json")).unwrap();
    for case in cases {
        let settings = read(&case.files);
        let mut approvals = Approvals::default();
        for (name, entry) in &case.approved {
            approvals.approve(PROJECT, name, fingerprint(name, entry));
        }
        // Approvals survive a round trip through the file.
        let approvals = Approvals::parse(&approvals.to_text()).unwrap();
        let gates = Gates {
            policy: &settings.policy,
            choices: &settings.choices,
            approvals: &approvals,
            project: PROJECT,
            workspace_trusted: case.trusted,
            exclusive: case.exclusive,
        };
        let variables: Vec<(OsString, OsString)> =
            case.variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let resolved = config::resolve(settings.layers, &variables, &gates);
        let all = |servers: &[ConfiguredServer]| servers.iter().map(shown).collect::<Vec<_>>();
        assert_eq!(all(&resolved.servers), case.servers, "{}", case.name);
        assert_eq!(all(&resolved.others), case.others, "{}", case.name);
        let problems: Vec<String> = settings.problems.iter().map(ToString::to_string).collect();
        assert_eq!(problems, case.problems, "{}", case.name);
        assert!(resolved.others.iter().all(|server| server.status != Status::Allowed), "{}", case.name);
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Addresses {
    #[serde(rename = "rule")]
    _rule: String,
    pattern: String,
    /// Addresses that match as an allow pattern and as a deny pattern.
    both: Vec<String>,
    /// Addresses that match only as a deny pattern.
    #[serde(default)]
    denied: Vec<String>,
    /// Addresses that do not match.
    neither: Vec<String>,
}

fn is_allowed(list: &str, pattern: &Value, entry: &Value) -> bool {
    let policy = json!({list: [pattern], "mcpServers": {"it": entry}}).to_string();
    let settings = config::read_settings(&policy, Path::new("f.json"), Scope::User).unwrap();
    let gates = Gates {
        policy: &settings.policy,
        choices: &settings.choices,
        approvals: &Approvals::default(),
        project: PROJECT,
        workspace_trusted: true,
        exclusive: false,
    };
    let server = config::resolve(settings.layers, &[], &gates).servers.remove(0);
    assert!(server.config.is_ok(), "{entry}: {:?}", server.config);
    server.status == Status::Allowed
}

#[test]
fn addresses_are_compared_part_by_part() {
    let cases: Vec<Addresses> = serde_json::from_str(include_str!("../cases/config_addresses.json")).unwrap();
    for case in cases {
        let pattern = json!({"serverUrl": case.pattern});
        let check = |urls: &[String], allows: bool, denies: bool| {
            for url in urls {
                let kind = if url.starts_with("ws") { "ws" } else { "http" };
                let entry = json!({"type": kind, "url": url});
                let is = (
                    is_allowed("allowedMcpServers", &pattern, &entry),
                    !is_allowed("deniedMcpServers", &pattern, &entry),
                );
                assert_eq!(is, (allows, denies), "{}: {url}", case.pattern);
            }
        };
        check(&case.both, true, true);
        check(&case.denied, false, true);
        check(&case.neither, false, false);
    }
}

// rule: X1
#[test]
fn what_is_no_pattern_denies_everything_and_allows_nothing() {
    let names = [
        "https:///x",
        "https://",
        "h/x",
        "ftp://h/*",
        "https://*a.com",
        "https://a.*.com",
        "https://*.1.2.3.4",
    ];
    let more = [
        "https://u@h/",
        "https://h/?a",
        "https://h/#a",
        "https://h\\x",
        "https://h /",
        "https://h:0",
        "https://h:x",
    ];
    let rest = [
        "https://h:99999",
        "https://h/a/../b",
        "https://h/%2f",
        "https://h/a;b",
        "https://h:",
        "https://::1/",
        "",
    ];
    let texts = names.into_iter().chain(more).chain(rest).map(|text| json!({"serverUrl": text}));
    let others = [
        json!("https://h/*"),
        json!({}),
        json!({"serverName": ""}),
        json!({"serverName": 1}),
        json!({"serverCommand": []}),
        json!({"serverCommand": "it"}),
        json!({"serverUrl": 1}),
        json!({"server": "it"}),
        json!({"serverName": "it", "serverUrl": "https://h/*"}),
        json!(null),
    ];
    for pattern in texts.chain(others) {
        for entry in [json!({"type": "http", "url": "https://h/x"}), json!({"command": "it"})] {
            assert!(!is_allowed("allowedMcpServers", &pattern, &entry), "{pattern}");
            assert!(!is_allowed("deniedMcpServers", &pattern, &entry), "{pattern}");
        }
    }
}

// rule: X1
#[test]
fn a_pattern_with_a_user_is_told_what_is_wrong_and_not_who() {
    let text = r#"{"deniedMcpServers": [{"serverUrl": "https://hush@h/*"}]}"#;
    let settings = config::read_settings(text, Path::new("f.json"), Scope::User).unwrap();
    let problems: Vec<String> = settings.problems.iter().map(ToString::to_string).collect();
    let why = "f.json:1:23: this pattern of `deniedMcpServers` has a user in it, and no server's address may: remove \
               that; until then every server is denied";
    assert_eq!(problems, [why]);
}

// rule: X1
#[test]
fn a_plugins_servers_know_where_it_lies() {
    let text = r#"{"mcpServers": {
        "it": {"command": "${CLAUDE_PLUGIN_ROOT}/s", "args": ["${BECKET_PLUGIN_ROOT}"]},
        "own": {"command": "s", "env": {"CLAUDE_PLUGIN_ROOT": "/own", "KEY": "${user_config.key}${user_config.unset}"}},
        "far": {"type": "http", "url": "https://h/", "headersHelper": "$CLAUDE_PLUGIN_ROOT/helper"},
        "plain": {"type": "http", "url": "https://h/"}
    }}"#;
    let layer = config::read_file(text, Path::new("f.json"), scope("tools.mcp.json")).unwrap();
    let none = Settings::default();
    let gates = Gates {
        policy: &none.policy,
        choices: &none.choices,
        approvals: &Approvals::default(),
        project: PROJECT,
        workspace_trusted: false,
        exclusive: false,
    };
    let variables = [("CLAUDE_PLUGIN_ROOT".into(), "/elsewhere".into())];
    let servers = config::resolve(vec![layer], &variables, &gates).servers;
    let env = |server: &ConfiguredServer| {
        let Transport::Stdio(stdio) = &server.config.as_ref().unwrap().transport else { panic!() };
        let mut env: Vec<String> =
            stdio.env.iter().map(|(name, value)| format!("{}={}", name.display(), value.display())).collect();
        env.sort();
        (stdio.command.clone(), stdio.args.clone(), env)
    };
    assert_eq!(servers[0].name.to_string(), "plugin:tools:it");
    let both =
        vec!["BECKET_PLUGIN_ROOT=/plugins/tools".to_owned(), "CLAUDE_PLUGIN_ROOT=/plugins/tools".to_owned()];
    assert_eq!(env(&servers[0]), ("/plugins/tools/s".into(), vec!["/plugins/tools".into()], both));
    assert_eq!(
        env(&servers[1]).2,
        ["BECKET_PLUGIN_ROOT=/plugins/tools", "CLAUDE_PLUGIN_ROOT=/own", "KEY=a value"]
    );
    let helper_env = |server: &ConfiguredServer| {
        let Transport::Http(remote) = &server.config.as_ref().unwrap().transport else { panic!() };
        remote.helper_env.iter().map(|(name, _)| name.to_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(helper_env(&servers[2]), ["CLAUDE_PLUGIN_ROOT", "BECKET_PLUGIN_ROOT"]);
    assert_eq!(helper_env(&servers[3]), [""; 0], "nothing is run for it");
    let elsewhere = config::read_file(text, Path::new("f.json"), scope("others.mcp.json")).unwrap();
    let elsewhere = config::resolve(vec![elsewhere], &variables, &gates).servers;
    let key = |server: &ConfiguredServer| server.config.as_ref().unwrap().key();
    assert_ne!(key(&servers[2]), key(&elsewhere[2]), "two plugins share no connection");
}

// rules: G3, X7
#[test]
fn servers_of_a_projects_file_start_in_its_directory_and_are_approved_for_it_alone() {
    let entry = json!({"command": "s"});
    let text = json!({"mcpServers": {
        "a": entry,
        "b": {"command": "s", "cwd": "sub"},
        "c": {"type": "http", "url": "https://h/", "headersHelper": "./h"},
    }});
    let mut approvals = Approvals::default();
    approvals.approve(PROJECT, "a", fingerprint("a", &entry));
    let none = Settings::default();
    let gates = Gates {
        policy: &none.policy,
        choices: &none.choices,
        approvals: &approvals,
        project: PROJECT,
        workspace_trusted: true,
        exclusive: false,
    };
    let servers = |directory: &str| {
        let layer = config::read_file(&text.to_string(), Path::new("f.json"), Scope::Project).unwrap();
        let layer = layer.in_directory(Path::new(directory), Path::new(PROJECT));
        config::resolve(vec![layer], &[], &gates).servers
    };
    let starts = |server: &ConfiguredServer| {
        let transport = &server.config.as_ref().unwrap().transport;
        if let Transport::Stdio(stdio) = transport {
            return stdio.cwd.clone().unwrap();
        }
        let Transport::Http(remote) = transport else { panic!("{transport:?}") };
        remote.helper_cwd.clone().unwrap()
    };
    let fingerprints = |servers: &[ConfiguredServer]| {
        servers.iter().map(|server| server.fingerprint.clone().unwrap()).collect::<Vec<_>>()
    };
    let (root, vendor) = (servers(PROJECT), servers("/home/u/project/vendor"));
    assert_eq!(shown(&root[0])[2], "allowed", "an approval from before");
    assert_eq!(fingerprints(&root)[0], fingerprint("a", &entry));
    let moved = "the project has changed or moved it since it was approved: read its entry, then approve it";
    assert_eq!(shown(&vendor[0])[2], moved);
    assert_eq!(
        vendor.iter().map(starts).collect::<Vec<_>>(),
        ["/home/u/project/vendor", "/home/u/project/vendor/sub", "/home/u/project/vendor"].map(Path::new)
    );
    assert_eq!(starts(&root[1]), Path::new("/home/u/project/sub"));
    let others = [servers("/home/u/project/v/endor"), servers("/home/u/project/vendor/vendor"), root];
    for other in &others {
        assert!(fingerprints(other).iter().zip(fingerprints(&vendor)).all(|(one, two)| *one != two));
    }
    let key = |servers: &[ConfiguredServer]| servers[0].config.as_ref().unwrap().key();
    assert_ne!(key(&vendor), key(&others[0]), "they share no connection");
}

// rule: X2
#[test]
fn a_fingerprint_is_of_what_is_said_and_a_key_of_what_is_meant() {
    let base = json!({"type": "http", "url": "https://h/${A}", "headers": {"A": "1", "B": "2"}, "x": [1, 2]});
    let same = json!({"x": [1, 2], "headers": {"B": "2", "A": "1"}, "url": "https://h/${A}", "type": "http"});
    assert_eq!(fingerprint("a", &base), fingerprint("a", &same));
    for (pointer, value) in [
        ("/type", json!("sse")),
        ("/url", json!("https://h/${B}")),
        ("/headers/A", json!("2")),
        ("/headers", json!({"A": "1"})),
        ("/x/1", json!(3)),
        ("/x", json!([2, 1])),
        ("/x", json!(["1", 2])),
    ] {
        let mut other = base.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        assert_ne!(fingerprint("a", &base), fingerprint("a", &other), "{pointer}");
    }
    let shown = fingerprint("a", &base).to_string();
    assert_eq!(Fingerprint::parse(&shown), Some(fingerprint("a", &base)));
    assert!(shown.starts_with("sha256:") && shown.len() == 71, "{shown}");
    let cut = &shown[..70];
    for wrong in
        ["", "sha256:", &shown[1..], cut, &format!("{cut}g"), &format!("{shown}0"), &shown.to_uppercase()]
    {
        assert_eq!(Fingerprint::parse(wrong), None, "{wrong}");
    }
}

// rule: X2
#[test]
fn two_configurations_have_one_key_only_if_nothing_tells_them_apart() {
    let key = |entry: &Value, variables: &[(OsString, OsString)]| {
        let text = json!({"mcpServers": {"a": entry}}).to_string();
        config::read(&text, Path::new("f.json"), variables).unwrap()[0].config.as_ref().unwrap().key()
    };
    let variables = |value: &str| [("A".into(), value.into())];
    let written = json!({"command": "s", "args": ["${A}"], "env": {"B": "1", "C": "2"}});
    let other_order = json!({"env": {"C": "2", "B": "1"}, "args": ["x"], "command": "s"});
    assert_eq!(key(&written, &variables("x")), key(&other_order, &[]));
    assert_ne!(key(&written, &variables("x")), key(&written, &variables("y")));
    let all: Vec<Value> = serde_json::from_str(include_str!("../cases/config_keys.json")).unwrap();
    for (index, one) in all.iter().enumerate() {
        for other in &all[..index] {
            assert_ne!(key(one, &[]), key(other, &[]), "{one} {other}");
        }
    }
    assert_eq!(format!("{:?}", key(&other_order, &[])), "ConfigKey(…)");
}

// rule: X1
#[test]
fn approvals_that_cannot_be_read_are_none() {
    for text in [
        "[]",
        "{}",
        "{\"version\": 2, \"projects\": {}}",
        "{\"version\": 1, \"projects\": {\"p\": {\"a\": \"x\"}}}",
        "x",
    ] {
        let why = Approvals::parse(text).unwrap_err().to_string();
        assert!(why.starts_with("the approvals of MCP servers can't be read, so none counts: "), "{why}");
    }
    let mut approvals = Approvals::parse(" \n").unwrap();
    let of = fingerprint("a", &json!({"command": "s"}));
    approvals.approve("p", "a", of.clone());
    approvals.approve("p", "b", of.clone());
    assert_eq!(approvals.of("p", "a"), Some(&of));
    assert_eq!(approvals.of("q", "a"), None);
    assert!(approvals.forget("p", Some("a")) && !approvals.forget("p", Some("a")));
    assert!(approvals.forget("p", None) && !approvals.forget("p", None));
    assert_eq!(approvals, Approvals::default());
}
