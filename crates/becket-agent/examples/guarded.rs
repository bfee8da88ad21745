//! An agent with two tools, under the hooks of a project: `cargo run -p becket-agent --example guarded`.

use becket_agent::assemble::{Assembly, ToolFilter};
use becket_agent::session::Prompt;
use becket_engine::config::Request;
use becket_engine::{CancellationToken, Engine, Environment, Profile};
use becket_llm::{Script, ScriptedModel, SingleModel, Turn};
use serde_json::json;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// The settings of the project: one guard, and one rule.
const SETTINGS: &str = r#"{
  "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
    {"type": "command", "if": "Bash(git push *)", "command": "echo 'pushing is for people' >&2; exit 2"}
  ]}]},
  "permissions": {"allow": ["Bash(make *)"]}
}"#;

/// Returns a model that follows a script, so that the example works offline.
fn model() -> SingleModel {
    let call = |tool: &str, field: &str, value: &str| {
        Turn::tool(tool, json!({ field: value }).as_object().cloned().unwrap_or_default())
    };
    let turns = vec![
        call("Read", "file_path", "NOTES.md"),
        call("Bash", "command", "cd . && git push origin main"),
        call("WebFetch", "url", "https://example.org/"),
        Turn::text("The notes say `ship it`, but I may not push."),
    ];
    SingleModel(Arc::new(ScriptedModel::new(Script::new("offline", turns))))
}

/// Returns the actions of the agent in the project, one per line.
async fn guarded(project: &Path, private: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let environment = Environment::empty().with_var("PATH", "/usr/bin:/bin");
    let request = Request::new(Profile::claude(), environment, project);
    let mut assembly = Assembly::new(request.clone(), Arc::new(model()), "offline", private);
    assembly.tools = ToolFilter::of(Some("Read,Bash"));
    let engine = assembly.engine(Engine::builder().request(|whole| *whole = request)).build()?;
    let agent = assembly.session(&engine)?.builder.open().await?;
    let mut lines = vec![format!("tools: {}", agent.info().tools.join(", "))];
    let end = agent.prompt(Prompt::text("ship what the notes say"), &CancellationToken::new()).await;
    let denied = |call: &becket_agent::turn::Denial| format!("denied {}: {}", call.tool_name, call.because);
    lines.extend(end.denials.iter().map(denied));
    lines.push(format!("answer: {}", end.text));
    agent.close("other").await;
    Ok(lines)
}

/// Runs the agent in a new project.
pub(crate) async fn run() -> Result<Vec<String>, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let project = directory.path().canonicalize()?.join("project");
    std::fs::create_dir_all(project.join(".claude"))?;
    std::fs::write(project.join(".claude/settings.json"), SETTINGS)?;
    std::fs::write(project.join("NOTES.md"), "ship it\n")?;
    guarded(&project, &directory.path().join("private")).await
}

#[tokio::main(flavor = "current_thread")]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<(), Box<dyn Error>> {
    for line in run().await? {
        println!("{line}");
    }
    Ok(())
}
