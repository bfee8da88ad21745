//! The cost of loading, merging and compiling a configuration of 1,000 handlers from three files.

use becket_engine::config::{Request, lint, load, resolve};
use becket_engine::{Environment, Profile};
use becket_testkit::bench::{Bench, BenchTarget};
use serde_json::json;
use std::hint::black_box;

const MATCHERS: [&str; 6] = ["Bash", "Write|Edit", "mcp__.*", "", "^(Read|Grep)$", "Notebook.*"];
const EVENTS: [&str; 4] = ["PreToolUse", "PostToolUse", "PermissionRequest", "PostToolUseFailure"];

/// Returns a settings file with that many handlers, each in a group of its own.
fn settings(handlers: usize) -> String {
    let mut hooks = serde_json::Map::new();
    for index in 0..handlers {
        let command = format!("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/check-{index}.sh --strict");
        let mut handler = json!({"type": "command", "command": command, "timeout": 30});
        if index % 3 == 0 {
            handler["if"] = json!(format!("Bash(git push {index} *)"));
        }
        let group = json!({"matcher": MATCHERS[index % MATCHERS.len()], "hooks": [handler]});
        let event = hooks.entry(EVENTS[index % EVENTS.len()]).or_insert_with(|| json!([]));
        event.as_array_mut().into_iter().for_each(|groups| groups.push(group.clone()));
    }
    format!("{:#}", json!({"hooks": hooks}))
}

fn main() -> std::io::Result<()> {
    let directory = tempfile::tempdir()?;
    let at = |path: &str| directory.path().join(path);
    for (path, handlers) in [
        ("home/.claude/settings.json", 334),
        ("project/.claude/settings.json", 333),
        ("project/.claude/settings.local.json", 333),
    ] {
        std::fs::create_dir_all(at(path).parent().unwrap_or(directory.path()))?;
        std::fs::write(at(path), settings(handlers))?;
    }
    let environment = Environment::empty().with_home(at("home"));
    let mut request = Request::new(Profile::claude(), environment, at("project"));
    request.managed = Some(at("none"));
    assert_eq!(resolve(&load(&request)).hooks.all().count(), 1000);

    let mut bench = Bench::new("becket-engine");
    bench.alone("load and compile 1,000 handlers of 3 files", BenchTarget::Nanos(15e6), || {
        black_box(resolve(&load(&request)))
    });
    let loaded = load(&request);
    bench.alone("lint 1,000 handlers", BenchTarget::Nothing, || black_box(lint(&loaded)));
    let mut none = request.clone();
    (none.environment, none.start) = (Environment::empty(), at("none"));
    bench
        .alone("load where there is no file", BenchTarget::Nanos(200e3), || black_box(resolve(&load(&none))));
    Ok(())
}
