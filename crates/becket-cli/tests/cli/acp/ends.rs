//! The end of the editor, of the agent, of the proxy.

use super::editor::Editor;
use super::{guarded, hook};
use becket_testkit::proc::wait_until;
use serde_json::json;
use std::fs;

#[test]
fn the_end_of_the_editor_ends_the_agent_and_the_session() {
    let end = hook("SessionEnd", "", "cat >> \"$CLAUDE_PROJECT_DIR\"/ended");
    let env = guarded(&json!({}), &end);
    let mut editor = Editor::start(&env);
    editor.prompt("hello");
    assert_eq!(editor.leave(), Some(0));
    let ended = fs::read_to_string(env.project().join("ended")).expect("it ran");
    assert_eq!(ended.matches("\"SessionEnd\"").count(), 1, "{ended}");
    editor.marker.wait_for(0);
    assert_eq!(fs::read_dir(env.root().join("tmp")).expect("a directory").count(), 0);
}

#[test]
fn the_exit_of_the_agent_is_that_of_the_proxy() {
    let env = guarded(&json!({}), &json!({}));
    let mut editor = Editor::start(&env);
    let prompt = json!([{"type": "text", "text": "die"}]);
    let sent = json!({"jsonrpc": "2.0", "id": 9, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": prompt}});
    editor.send(&sent.to_string());
    assert!(wait_until(|| editor.proxy.try_wait().is_ok_and(|status| status.is_some())));
    assert_eq!(editor.leave(), Some(7));
}

#[test]
fn an_agent_that_is_not_there_is_named() {
    let env = guarded(&json!({}), &json!({}));
    let ended = env.becket(["acp", "--", "no-such-agent"]).run();
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("no-such-agent"), "{ended:?}");
    assert_eq!(env.becket(["acp"]).run().code, Some(2));
}

#[test]
fn a_proxy_that_is_killed_or_terminated_leaves_nothing_behind() {
    for signal in ["KILL", "TERM"] {
        let env = guarded(&json!({}), &hook("UserPromptSubmit", "", "exec sleep 1000"));
        let mut editor = Editor::start(&env);
        let before = editor.marker.alive().len();
        let prompt = json!([{"type": "text", "text": "hello"}]);
        let sent = json!({"jsonrpc": "2.0", "id": 9, "method": "session/prompt", "params": {"sessionId": "s1", "prompt": prompt}});
        editor.send(&sent.to_string());
        assert!(wait_until(|| editor.marker.alive().len() > before), "the hook runs");
        let id = editor.proxy.id().to_string();
        let sent = std::process::Command::new("kill").args([format!("-{signal}"), id]).status();
        assert!(sent.is_ok_and(|sent| sent.success()));
        editor.marker.wait_for(0);
        assert!(!editor.heard().contains("hello"), "{signal}");
    }
}

#[test]
fn all_sessions_end_at_once() {
    let meet = "cat >/dev/null; cd \"$CLAUDE_PROJECT_DIR\"; touch began.$$; \
                until [ $(ls began.* | wc -l) = 3 ]; do sleep 0.02; done; touch met.$$";
    let env = guarded(&json!({}), &hook("SessionEnd", "", meet));
    let mut editor = Editor::start(&env);
    for session in ["l1", "l2"] {
        let params = json!({"sessionId": session, "cwd": env.project(), "mcpServers": []});
        editor.request("session/load", &params);
    }
    assert_eq!(editor.leave(), Some(0));
    let files = std::fs::read_dir(env.project()).expect("it is there").flatten();
    let met = files.filter(|file| file.file_name().to_string_lossy().starts_with("met.")).count();
    assert_eq!(met, 3, "each hook saw the others");
}
