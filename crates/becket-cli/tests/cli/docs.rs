//! The documents describe the actual behaviour.

use crate::workspace;
use std::path::{Path, PathBuf};

// The reference is that of the default build, which has no `--otlp`.
#[cfg(not(feature = "otlp"))]
#[test]
fn the_reference_is_in_step() {
    let text = crate::env().becket(["reference"]).run().stdout;
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
fn every_link_leads_somewhere() {
    let mut links = 0;
    for file in pages() {
        let text = prose(&file);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            links += 1;
            assert!(
                link.starts_with("https://") || leads_somewhere(&file, link),
                "{}: {link}",
                file.display()
            );
        }
    }
    assert!(links > 40, "{links}");
}

#[test]
fn the_readme_runs_the_example_first_and_all_tests_second() {
    let readme = std::fs::read_to_string(workspace().join("README.md")).expect("README.md is there");
    let mut commands = readme.split("```sh\n").skip(1).filter_map(|rest| rest.lines().next());
    assert!(
        commands.next().is_some_and(|first| first.starts_with("cargo run -- -C examples/guarded-repo fire "))
    );
    assert_eq!(commands.next(), Some("cargo xtask test"));
}

#[test]
fn the_readme_stays_short() {
    let readme = std::fs::read_to_string(workspace().join("README.md")).expect("README.md is there");
    assert!(readme.lines().count() < 150);
}

/// Returns every page of the documentation.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec!["README.md".into(), "CHANGELOG.md".into(), "CONTRIBUTING.md".into()];
    for directory in ["docs", "docs/admin", "docs/guide", "docs/decisions", "examples"] {
        let entries = std::fs::read_dir(workspace().join(directory)).expect("the directory is there");
        for entry in entries.map(|entry| entry.expect("it can be read").path()) {
            pages.push(if directory == "examples" { entry.join("README.md") } else { entry });
        }
    }
    let is_page = |page: &PathBuf| page.extension().is_some_and(|kind| kind == "md") && page.exists();
    pages.into_iter().map(|page| workspace().join(page)).filter(is_page).collect()
}

/// Returns a page without its code blocks.
fn prose(file: &Path) -> String {
    let text = std::fs::read_to_string(file).expect("the page is there");
    text.split("\n```").step_by(2).collect()
}

fn leads_somewhere(from: &Path, link: &str) -> bool {
    let (path, heading) = link.split_once('#').unwrap_or((link, ""));
    let to = if path.is_empty() { from.to_owned() } else { from.with_file_name(path) };
    to.exists() && (heading.is_empty() || prose(&to).lines().any(|line| anchor(line) == Some(heading.into())))
}

/// Returns the name of a heading in a link.
fn anchor(line: &str) -> Option<String> {
    let heading = line.strip_prefix('#')?.trim_start_matches('#').trim().to_lowercase();
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    Some(kept.map(|c| if c == ' ' { '-' } else { c }).collect())
}
