//! The Rust lines of the README, compiled: the lines between the two marks are those of the README.

use becket_engine::{Decision, Engine, Environment};
use becket_model::Event;
use std::path::PathBuf;

/// The code of an embedder around those lines.
#[rustfmt::skip]
#[expect(dead_code, clippy::wildcard_enum_match_arm, reason = "it has to compile, and README is short")]
async fn guarded(environment: Environment, project: PathBuf, event: Event) -> Result<(), becket_engine::StartError> {
    // README
    let engine = Engine::builder().environment(environment).start_dir(project).build()?;
    let outcome = engine.fire(&event).await;
    match outcome.decision() { Decision::Proceed => run_it().await, _ => tell_the_model(outcome.reason()) } // or ask, on `Wait`
    // end
    Ok(())
}

async fn run_it() {}

fn tell_the_model(_: Option<String>) {}

#[test]
fn the_lines_of_the_readme_compile() {
    let trimmed = |text: &str| {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    };
    let between = |text: &str, from: &str, to: &str| {
        let text = text.split_once(from).unwrap_or_else(|| panic!("`{from}` is missing")).1;
        trimmed(text.split_once(to).unwrap_or_else(|| panic!("`{to}` is missing")).0)
    };
    let readme = include_str!("../../../../README.md");
    assert_eq!(readme.matches("```rust").count(), 1, "compile the other lines, too");
    let shown = between(readme, "```rust\n", "```");
    let compiled = between(include_str!("readme.rs"), "// README\n", "// end");
    assert_eq!(shown, compiled);
}
