//! The addresses that each source may post to, in every spelling: `addresses.json` beside this file.

use crate::common::{Project, bash, fire, frontmatter};
use crate::http::{failure, guard};
use becket_engine::Resolve;
use becket_model::Source;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;
use std::io;
use std::net::IpAddr;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    rule: String,
    /// The spelling in a URL.
    host: String,
    /// The address that the system reads it as; the URL parser has to agree.
    is: IpAddr,
    /// `anyone`, `user`: the user's files and above, `here`: anyone while loopback is open, `nobody`.
    who: String,
}

fn rows() -> Vec<Row> {
    let rows: Vec<Row> = serde_json::from_str(include_str!("addresses.json")).unwrap();
    assert!(rows.len() > 80 && rows.iter().all(|row| row.rule == "S1"));
    rows
}

/// Returns whether loading refuses the address for a handler in a file of this project.
fn refused_at_load(project: &Project, file: &str, url: &str) -> bool {
    project.write(file, &guard(url, json!({})).to_string());
    let config = project.builder().build().map(|engine| engine.config());
    project.write(file, "{}");
    match config {
        Ok(config) => config.errors().any(|error| error.code == "refused-address"),
        // A managed file with a broken guard stops the start (C7b).
        Err(stop) => stop.config.errors().any(|error| error.code == "refused-address"),
    }
}

const PROJECT: &str = "work/.claude/settings.json";
const USER: &str = "home/.claude/settings.json";
const MANAGED: &str = "managed/managed-settings.json";

// rules: S1, C7, C7b
#[test]
fn a_literal_address_is_judged_at_load() {
    let open = Project::with(json!({}));
    for Row { host, who, .. } in rows() {
        let url = format!("http://{host}:8/x");
        let who = who.as_str();
        assert_eq!(refused_at_load(&open, PROJECT, &url), matches!(who, "user" | "nobody"), "{host} project");
        assert_eq!(refused_at_load(&open, USER, &url), who == "nobody", "{host} user");
    }
    for host in ["169.254.169.254", "0", "[::]"] {
        assert!(refused_at_load(&open, MANAGED, &format!("http://{host}/")), "{host} managed");
    }
}

// rules: S1, C7
#[test]
fn loopback_is_closed_by_managed_settings_alone() {
    let here: Vec<String> = rows().into_iter().filter(|row| row.who == "here").map(|row| row.host).collect();
    let names = ["localhost", "LocalHost.", "a.localhost", "%6cocalhost", "ⓛocalhost"].map(str::to_owned);
    let project = Project::with(json!({}));
    let all: Vec<_> = here.into_iter().chain(names).collect();
    project.write("work/.claude/settings.local.json", r#"{"httpHookLoopback": false}"#);
    for host in &all {
        assert!(!refused_at_load(&project, PROJECT, &format!("http://{host}:8/")), "{host}");
    }
    project.write(MANAGED, r#"{"httpHookLoopback": false}"#);
    for host in &all {
        assert!(refused_at_load(&project, PROJECT, &format!("http://{host}:8/")), "{host}");
        assert!(refused_at_load(&project, USER, &format!("http://{host}:8/")), "{host}");
    }
}

// rule: S1
#[test]
fn private_networks_are_opened_by_the_user_and_not_by_a_project() {
    let project = Project::with(json!({}));
    let networks = r#"{"httpHookAllowedNetworks": ["10.1.0.0/16", "fd12::/16", "169.254.0.0/16"]}"#;
    let url = |host: &str| format!("http://{host}/");
    project.write("work/.claude/settings.local.json", networks);
    assert!(refused_at_load(&project, PROJECT, &url("10.1.2.3")));
    project.write(USER, networks);
    for (host, refused) in [
        ("10.1.2.3", false),
        ("[::ffff:10.1.2.3]", false),
        ("[fd12::1]", false),
        ("10.2.2.3", true),
        ("169.254.169.254", true),
        ("[64:ff9b::a9fe:a9fe]", true),
    ] {
        assert_eq!(refused_at_load(&project, PROJECT, &url(host)), refused, "{host}");
    }
}

struct Says(IpAddr);

impl Resolve for Says {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let address = self.0;
        Box::pin(async move { Ok(vec![address]) })
    }
}

// rule: S1
#[test]
fn a_name_is_judged_by_every_address_that_it_leads_to() {
    for row in rows().into_iter().filter(|row| matches!(row.who.as_str(), "user" | "nobody")) {
        let project = Project::with(guard("http://guard.example:9/", json!({})));
        let engine = project.builder().resolver(Says(row.is)).build().unwrap();
        let refused = failure(&fire(&engine, &project.event(bash("ls"))));
        let words = format!("`guard.example ({})` can't be posted to", row.is);
        assert!(refused.contains(&words), "{}: {refused}", row.is);
    }
}

// rule: S1
#[test]
fn every_spelling_is_read_as_the_address_that_it_is() {
    let project = Project::with(json!({}));
    let engine = project.engine();
    for row in rows().into_iter().filter(|row| row.who == "nobody") {
        // Handlers of a skill are loaded unchecked, so the run reports what it read.
        let text = format!(
            "---\nhooks:\n  PreToolUse:\n    - hooks:\n        - type: http\n          url: \"http://{}/\"\n---\n",
            row.host
        );
        let read = frontmatter(&project, Source::Skill("s".into()), &text, None);
        let id = engine.register(read.handlers);
        let refused = failure(&fire(&engine, &project.event(bash("ls"))));
        engine.unregister(id);
        let literal = match row.is {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        assert!(refused.contains(&format!("`{literal}` can't be posted to")), "{}: {refused}", row.host);
    }
}

// rules: S1, H5
#[test]
fn a_url_that_two_programs_could_read_differently_is_refused_at_load() {
    let project = Project::with(json!({}));
    for url in [
        "http://ok.example\\@169.254.169.254/",
        "http://ok.example\t.evil.example/",
        "http://\n169.254.169.254/",
        "http:///169.254.169.254/",
        "http:169.254.169.254",
        "//169.254.169.254/",
        "http://169.254.169.254\u{0}/",
        "http://[fe80::1%25lo]/",
        "http://[::1].ok.example/",
        "http://1.2.3.4.5/",
        "http://256.1.1.1/",
        "http://a:b:c/",
        "ftp://ok.example/",
        "file:///etc/passwd",
        "http://",
        "http://:8080/",
    ] {
        project.write(PROJECT, &guard(url, json!({})).to_string());
        let config = project.engine().config();
        let found: Vec<&str> = config.errors().map(|error| error.code).collect();
        assert!(matches!(found[..], ["invalid-url" | "refused-address"]), "{url:?}: {found:?}");
    }
}
