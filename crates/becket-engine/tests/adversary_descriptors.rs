//! A host with few descriptors: guards wait for their turn instead of failing open (O10). In a separate program, since
//! the limit applies to the whole program.
#![cfg(target_os = "linux")]

#[path = "it/common/mod.rs"]
#[allow(dead_code, unused_imports, reason = "this binary uses a part of it")]
mod common;

use common::{Project, bash, command, hooks};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;

#[test]
fn five_hundred_calls_at_once_are_all_denied_though_descriptors_are_few() {
    // rules: O10, H3
    let project = Project::with(hooks("PreToolUse", "", json!([command("cat >/dev/null; exit 2")])));
    let engine = project.engine();
    let event = project.event(bash("make"));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let limit = Rlimit { current: Some(128), ..getrlimit(Resource::Nofile) };
    setrlimit(Resource::Nofile, limit).unwrap();
    let outcomes = runtime.block_on(futures_util::future::join_all((0..500).map(|_| engine.fire(&event))));
    let lost = outcomes.iter().filter(|outcome| !outcome.verdict.blocks()).count();
    assert_eq!(lost, 0, "{:?}", outcomes.iter().find(|o| !o.verdict.blocks()).map(|o| &o.verdict.failures));
}
