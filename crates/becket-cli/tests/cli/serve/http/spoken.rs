//! The messages over HTTP: the same as over any other transport.

use super::caller::{answer, on_port};
use crate::serve::{bash, command, with_hook};
use serde_json::{Value, json};
use std::io::BufReader;
use std::thread;

fn fire(session: &str, line: &str) -> Value {
    json!({"session": session, "event": "PreToolUse", "input": bash(line)})
}

#[test]
fn requests_are_answered_where_they_were_asked() {
    let env = with_hook("PreToolUse", command("case $(cat) in *rm*) echo no rm >&2; exit 2;; esac"));
    let port = on_port(&env, &[], &[]);
    let caller = port.caller();
    assert_eq!(caller.opens(&env.project(), "s", json!({}))["events"], json!(["PreToolUse"]));
    for (line, result) in [("ls", "passed"), ("rm x", "blocked")] {
        assert_eq!(caller.asks("event/fire", &fire("s", line))["result"], result);
    }
    let several: Vec<String> = (0..20).map(|_| caller.request("event/fire", &fire("s", "rm x"))).collect();
    let answers = port.asks("POST", Some(&caller.id), &several.join("\r\n\n"));
    assert_eq!(
        (answers.status, answers.lines().len(), answers.connection),
        (200, 20, Some(caller.id.clone()))
    );
    let note = json!({"jsonrpc": "2.0", "method": "$/cancel", "params": {"id": 1}}).to_string();
    let noted = port.asks("POST", Some(&caller.id), &note);
    assert_eq!((noted.status, noted.body.as_str()), (202, ""));
    assert_eq!(port.asks("DELETE", Some(&caller.id), "").status, 204);
    assert_eq!(port.asks("POST", Some(&caller.id), &note).status, 404);
}

// rule: H9
#[test]
fn hooks_of_the_client_are_called_over_its_stream() {
    let env = with_hook("Stop", command("true"));
    let port = on_port(&env, &[], &[]);
    let caller = port.caller();
    caller.opens(&env.project(), "s", json!({}));
    caller
        .asks("hooks/register", &json!({"session": "s", "id": "mine", "event": "PreToolUse", "timeout": 30}));
    for (reply, result) in [
        (json!({"result": null}), "passed"),
        (json!({"result": {"decision": "block", "reason": "mine"}}), "blocked"),
        (json!({"error": {"code": 1, "message": "broken"}}), "blocked"),
    ] {
        let mut told = caller.told();
        let fired = thread::scope(|scope| {
            let fired = scope.spawn(|| caller.asks("event/fire", &fire("s", "ls")));
            let call = told.next().expect("it is called");
            assert_eq!((&call["method"], &call["params"]["hook"]), (&json!("hook/call"), &json!("mine")));
            let mut said = json!({"jsonrpc": "2.0", "id": call["id"]});
            let (word, what) = reply.as_object().and_then(|reply| reply.iter().next()).expect("one");
            said[word] = what.clone();
            assert_eq!(port.asks("POST", Some(&caller.id), &said.to_string()).status, 202);
            fired.join().expect("it is answered")
        });
        assert_eq!(fired["result"], result, "{fired}");
    }
}

// rule: H13
#[test]
fn what_happens_is_told_over_the_newest_stream() {
    let env = with_hook("PreToolUse", command("true"));
    let port = on_port(&env, &[], &[]);
    let caller = port.caller();
    caller.opens(&env.project(), "s", json!({}));
    caller.asks("events/subscribe", &json!({"session": "s"}));
    // Notifications wait until there is a reader.
    caller.asks("event/fire", &fire("s", "ls"));
    let mut old = caller.told();
    assert_eq!(old.next().expect("told")["params"]["what"], "fired");
    let mut new = caller.told();
    while old.next().is_some() {}
    caller.asks("event/fire", &fire("s", "ls"));
    let mut what = Vec::new();
    while what.last() != Some(&json!([2, "decided"])) {
        let params = new.next().expect("told")["params"].clone();
        what.push(json!([params["firing"], params["what"]]));
    }
}

#[test]
fn an_id_is_free_again_once_it_is_answered() {
    let env = with_hook("PreToolUse", command("touch started; sleep 1"));
    let port = on_port(&env, &[], &[]);
    let caller = port.caller();
    caller.opens(&env.project(), "s", json!({}));
    let line = caller.request("event/fire", &fire("s", "ls"));
    let written = port.written("POST", Some(&caller.id), &line);
    let mut first = port.stream();
    std::io::Write::write_all(&mut first, written.as_bytes()).expect("it is taken");
    assert!(becket_testkit::proc::wait_until(|| env.project().join("started").exists()));
    let second = port.sends(written.as_bytes());
    assert_eq!((second.status, second.kind().as_str()), (409, "id_in_use"));
    assert_eq!(answer(&mut BufReader::new(first)).lines()[0]["result"]["result"], "passed");
    assert_eq!(port.sends(written.as_bytes()).status, 200);
}

#[test]
fn many_clients_at_once_do_not_meet() {
    let env = with_hook("Stop", command("true"));
    let port = on_port(&env, &[], &[]);
    let opened = || {
        let caller = port.caller();
        caller.opens(&env.project(), &caller.id, json!({}));
        // The same name is a different session for each client.
        let reason = json!({"decision": "block", "reason": caller.id});
        let hook = command(&format!("echo '{reason}'"));
        caller.opens(
            &env.project(),
            "same",
            json!({"settings": {"hooks": {"PreToolUse": [{"hooks": [hook]}]}}}),
        );
        caller
    };
    let callers: Vec<_> = thread::scope(|scope| {
        let opening: Vec<_> = (0..50).map(|_| scope.spawn(opened)).collect();
        opening.into_iter().map(|caller| caller.join().expect("it is opened")).collect()
    });
    thread::scope(|scope| {
        for (caller, other) in callers.iter().zip(callers.iter().cycle().skip(1)) {
            scope.spawn(move || {
                for _ in 0..4 {
                    let fired = caller.asks("event/fire", &fire("same", "ls"));
                    assert_eq!(fired["verdict"]["reason"], caller.id);
                }
                let foreign = caller.answers("event/fire", &fire(&other.id, "ls"));
                assert_eq!(foreign["error"]["data"]["kind"], "no_session");
            });
        }
    });
}
