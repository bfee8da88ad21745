//! Events that start on a program's own thread.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use becket_embed::runs_on_caller;
use becket_engine::{Callback, Engine, Environment};
use becket_model::event::lifecycle::Stop;
use becket_model::{Event, EventKind, Session};
use serde_json::{Value, json};

fn begins(hooks: &[Value], functions: usize) -> bool {
    let settings = json!({"hooks": {"Stop": [{"hooks": hooks}]}, "allowedHttpHookUrls": ["*"]});
    let engine = Engine::builder()
        .environment(Environment::empty())
        .start_dir("/tmp")
        .settings_text(settings.to_string())
        .build()
        .unwrap();
    engine.on_all((0..functions).map(|_| Callback::inline(EventKind::Stop, |_| ()))).unwrap();
    let stop: Stop = serde_json::from_value(json!({"stop_hook_active": false})).unwrap();
    let event = engine.host().ready(Event::new(Session::new("s", "/tmp/s.jsonl", "/tmp"), stop));
    assert_eq!(event.runs().len(), hooks.len() + functions);
    runs_on_caller(&event)
}

#[test]
fn functions_and_one_command_begin_here_and_nothing_else_does() {
    let command = |line: &str| json!({"type": "command", "command": line});
    assert!(begins(&[], 0));
    assert!(begins(&[], 20));
    assert!(begins(&[command("true")], 0));
    assert!(begins(&[command("true")], 20));
    assert!(!begins(&[command("true"), command("false")], 0));
    let others = [
        json!({"type": "http", "url": "https://example.com/"}),
        json!({"type": "prompt", "prompt": "fine?"}),
        json!({"type": "agent", "prompt": "fine?"}),
        json!({"type": "mcp_tool", "server": "s", "tool": "t"}),
    ];
    for other in others {
        assert!(!begins(&[other], 1));
    }
}
