//! `policyHelper`: managed settings that a program prints.

use crate::config::support::{Machine, codes, labels, one};
use becket_engine::config::{Config, Request, load, resolve};
use becket_model::{EventKind, Source};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// Returns a machine whose managed file has a guard of its own, and names a program with this text.
fn machine(script: &str) -> Machine {
    let machine = Machine::new();
    let path = program(&machine, "helper", script);
    let mut settings: serde_json::Value = serde_json::from_str(&one("Stop", "of the file")).unwrap();
    settings["policyHelper"] = json!({"path": path, "timeoutMs": 20000});
    machine.settings("managed", settings.to_string());
    machine
}

fn program(machine: &Machine, name: &str, script: &str) -> std::path::PathBuf {
    let path = machine.write(name, format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn request(machine: &Machine) -> Request {
    let mut request = machine.request();
    request.environment = request.environment.with_var("PATH", "/usr/bin:/bin").with_var("GROUP", "ops");
    request
}

fn config(machine: &Machine) -> Config {
    resolve(&load(&request(machine)))
}

fn stop(machine: &Machine) -> String {
    config(machine).stops_start.unwrap().to_string()
}

// rules: C4, C5
#[test]
fn the_answer_of_the_program_is_the_only_managed_source() {
    let inner = one("Stop", "of the answer $GROUP").replace('"', "\\\"");
    let machine = machine(&format!("echo \"{{\\\"managedSettings\\\": {inner}}}\""));
    machine.settings("user", one("Stop", "user"));
    let config = config(&machine);
    assert!(config.stops_start.is_none(), "{:?}", config.stops_start);
    assert_eq!(labels(&config, EventKind::Stop), ["of the answer ops", "user"]);
    let handler = config.hooks.of(EventKind::Stop)[0].clone();
    assert_eq!(handler.place.source, Source::Policy);
    let file = format!("<policyHelper {}>", machine.path("helper").display());
    assert_eq!(handler.location.file.to_str(), Some(&*file));
}

// rule: C4
#[test]
fn a_program_without_settings_leaves_the_files_in_force_and_knows_who_runs_it() {
    let machine = machine("[ $# = 0 ] && [ -n \"$BECKET_VERSION\" ] && pwd >seen && echo '{}'");
    assert_eq!(labels(&config(&machine), EventKind::Stop), ["of the file"]);
    let seen = std::fs::read_to_string(machine.path("managed/seen")).unwrap();
    assert_eq!(Path::new(seen.trim()), machine.path("managed"));
}

// rule: C7b
#[test]
fn a_program_that_fails_is_a_managed_file_that_cannot_be_read() {
    for (script, why) in [
        ("echo no posture >&2; exit 3", "it ended with exit code 3: no posture"),
        ("echo on stdout; exit 1", "it ended with exit code 1: on stdout"),
        ("kill -9 $$", "signal 9 ended it"),
        ("echo nothing to say", "its output is not JSON: "),
        ("true", "its output is not JSON: the file is empty"),
        ("echo '{\"failClosed\": true}'", "its output has `failClosed` outside of `managedSettings`"),
        ("echo '{\"managedSettings\": true}'", "`managedSettings` is a boolean, not an object"),
        ("head -c 1100000 /dev/zero | tr '\\0' ' '; echo '{}'", "it wrote more than 1 MiB to stdout"),
        ("head -c 1100000 /dev/zero >&2; echo '{}'", "it wrote more than 1 MiB to stderr"),
        ("printf '{}\\377'", "its output is not UTF-8"),
    ] {
        let stop = stop(&machine(script));
        assert!(stop.contains("the program printed no settings: ") && stop.contains(why), "{script}: {stop}");
        assert!(stop.contains("<policyHelper ") && stop.contains("no session starts"), "{stop}");
    }
}

// rule: C7b
#[test]
fn settings_of_an_answer_are_judged_as_those_of_a_file() {
    let guard = "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\"}]}]}}";
    let stop = stop(&machine(&format!("echo '{{\"managedSettings\": {guard}}}'")));
    assert!(stop.contains("managed settings in `<policyHelper "), "{stop}");
}

// rules: C7b, H4
#[test]
fn a_slow_program_is_ended_with_all_that_it_started() {
    let machine = Machine::new();
    let path = program(&machine, "slow", "setsid sleep 300 & echo $! >slow-pid; sleep 300");
    machine.settings("managed", json!({"policyHelper": {"path": path, "timeoutMs": 1000}}).to_string());
    let began = Instant::now();
    let stop = stop(&machine);
    assert!(stop.contains("it took longer than 1000 ms (`timeoutMs`)"), "{stop}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    let pid = std::fs::read_to_string(machine.path("managed/slow-pid")).unwrap();
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

// rule: C7b
#[test]
fn a_value_that_cannot_be_read_stops_the_start_and_runs_nothing() {
    for (value, why) in [
        (json!("/bin/true"), "`policyHelper` is an object with `path`, not a string"),
        (json!({}), "`policyHelper` has no `path`"),
        (json!({"path": "bin/true"}), "`path` must be an absolute path without `.` and `..`"),
        (json!({"path": "/bin/../bin/true"}), "`path` must be an absolute path without `.` and `..`"),
        (json!({"path": "/bin/true", "timeoutMs": 999}), "`timeoutMs` must be a whole number from 1000 on"),
        (
            json!({"path": "/bin/true", "refreshIntervalMs": 1000}),
            "`refreshIntervalMs` must be 0 or a whole number from 60000 on",
        ),
        (json!({"path": "/no/such/program"}), "there is no such file"),
    ] {
        let machine = Machine::new();
        machine.settings("managed", json!({"policyHelper": value}).to_string());
        let stop = stop(&machine);
        assert!(stop.contains(why), "{value}: {stop}");
    }
}

// rules: C4, C7b
#[test]
fn of_several_files_the_last_names_the_program_and_a_broken_file_still_stops_the_start() {
    let machine = machine("touch ran; exit 1");
    let last = program(&machine, "last", "echo '{}'");
    machine.write("managed/managed-settings.d/10.json", json!({"policyHelper": {"path": last}}).to_string());
    assert_eq!(labels(&config(&machine), EventKind::Stop), ["of the file"]);
    assert!(!machine.path("managed/ran").exists());
    machine.write("managed/managed-settings.d/20.json", "{");
    assert!(stop(&machine).contains("20.json"));
}

// rules: C4, C5
#[test]
fn other_files_run_no_program() {
    let machine = Machine::new();
    let path = program(&machine, "helper", "touch ran; exit 1");
    let settings = json!({"policyHelper": {"path": path}}).to_string();
    for source in ["user", "project", "local"] {
        machine.settings(source, &settings);
    }
    let config = config(&machine);
    assert!(config.stops_start.is_none(), "{:?}", config.stops_start);
    assert_eq!(codes(&config.diagnostics), ["setting-without-effect"; 3], "{:?}", config.diagnostics);
    assert!(config.diagnostics[0].message.contains("`policyHelper` counts in managed settings only"));
    for place in ["home", "home/.claude", "project", "project/.claude", "managed"] {
        assert!(!machine.path(place).join("ran").exists(), "{place}");
    }
}

// rule: C7b
#[test]
fn a_program_that_starts_becket_does_not_run_itself_again() {
    let machine = machine("echo '{}'");
    let mut request = request(&machine);
    request.environment = request.environment.with_var("BECKET_POLICY_HELPER", "1");
    let stop = resolve(&load(&request)).stops_start.expect("no session starts").to_string();
    assert!(stop.contains("it was started by itself"), "{stop}");
}
