//! Hundreds of concurrent sessions, which are isolated from each other.

use super::client::on_socket;
use super::{bash, command, with_hook};
use serde_json::{Value, json};
use std::collections::HashMap;

const CLIENTS: usize = 4;
const SESSIONS: usize = 50;
const EVENTS: usize = 3;

#[test]
fn two_hundred_sessions_do_not_mix() {
    let env = with_hook("PreToolUse", command("printf %s \"$WHO\" >&2; exit 2"));
    let serving = on_socket(&env, &[]);
    std::thread::scope(|scope| {
        for n in 0..CLIENTS {
            let (serving, env) = (&serving, &env);
            scope.spawn(move || {
                let mut client = serving.client();
                let opening: Vec<u64> = (0..SESSIONS)
                    .map(|m| {
                        let who = json!({"WHO": format!("{n}-{m}")});
                        let params = json!({"start": env.project(), "session": m.to_string(), "env": who});
                        client.request("session/open", params)
                    })
                    .collect();
                for id in opening {
                    client.result_of(id);
                }
                let hook =
                    |m: usize| json!({"session": m.to_string(), "id": m.to_string(), "event": "PreToolUse"});
                for m in 0..SESSIONS {
                    client.asks("hooks/register", hook(m));
                }
                let mut firing = HashMap::new();
                for event in 0..EVENTS * SESSIONS {
                    let m = event % SESSIONS;
                    let line = format!("{n}-{m}");
                    let params =
                        json!({"session": m.to_string(), "event": "PreToolUse", "input": bash(&line)});
                    firing.insert(client.request("event/fire", params), line);
                }
                for _ in 0..EVENTS * SESSIONS {
                    let asked = client.asked("hook/call");
                    let of = &asked["params"];
                    assert_eq!(of["hook"], of["session"]);
                    let own = format!("{n}-{}", of["session"].as_str().expect("text"));
                    assert_eq!(of["input"]["tool_input"]["command"], json!(own));
                    client.answers(&asked, json!({"systemMessage": own}));
                }
                for (id, who) in firing {
                    let fired = client.result_of(id);
                    assert_eq!(fired["verdict"]["reason"], json!(who), "{fired}");
                    let messages: Vec<&Value> =
                        fired["verdict"]["messages"].as_array().expect("a list").iter().collect();
                    assert!(messages.len() == 1 && messages[0]["text"] == json!(who), "{fired}");
                }
            });
        }
    });
}
