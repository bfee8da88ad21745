//! What the documents say is what happens.

use crate::{env, workspace};

#[test]
fn the_reference_is_in_step() {
    let text = env().becket(["reference"]).run().stdout;
    let file = workspace().join("docs/cli.md");
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(text == kept, "docs/cli.md is out of step: cargo xtask gen");
}

#[cfg(unix)]
#[test]
fn the_hook_in_the_readme_does_what_it_says() {
    let readme = std::fs::read_to_string(workspace().join("README.md")).expect("README.md is there");
    let settings = readme.split("```json\n").nth(1).and_then(|rest| rest.split("```").next());
    let env = crate::env_with(settings.expect("README.md holds a settings file"));
    assert_eq!(env.becket(["check", "--deny", "warnings"]).run().code, Some(0));
    let fire = ["fire", "PreToolUse", "--tool", "Bash", "--set"];
    let fired = |line| env.becket(fire.into_iter().chain([line])).run();
    let denied = fired("tool_input.command=make deploy");
    assert_eq!((denied.code, denied.stderr.as_str()), (Some(2), "not on a Friday\n"));
    assert_eq!(fired("tool_input.command=make test").code, Some(0));
}

#[test]
fn the_links_of_the_readme_lead_somewhere() {
    let readme = std::fs::read_to_string(workspace().join("README.md")).expect("README.md is there");
    let links: Vec<&str> = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(links.len() > 5, "{links:?}");
    for link in links {
        assert!(workspace().join(link).exists(), "{link}");
    }
    assert!(readme.lines().count() < 150);
}
