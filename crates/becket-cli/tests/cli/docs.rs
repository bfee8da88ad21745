//! What the documents say is what happens.

use crate::{env, workspace};

#[test]
fn the_reference_is_in_step() {
    let text = env().becket(["reference"]).run().stdout;
    let file = workspace().join("docs/cli.md");
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(text == kept, "docs/cli.md is out of step: cargo xtask gen");
}

/// Runs the walk-through of docs/guide/first-hook.md line by line: every `$ ` line is typed, every file block is
/// written, and what is printed must be what is shown.
#[cfg(unix)]
#[test]
fn the_first_hook_works_as_the_guide_says() {
    let guide =
        std::fs::read_to_string(workspace().join("docs/guide/first-hook.md")).expect("the guide is there");
    let env = env();
    let mut typed = 0;
    for block in guide.split("\n```").skip(1).step_by(2) {
        let (head, body) = block.split_once('\n').expect("a block has a first line");
        if let Some(file) = head.split("title=").nth(1) {
            env.write(&format!("project/{}", file.trim_matches('"')), body);
            continue;
        }
        for step in body.split("$ becket ").skip(1) {
            let (line, shown) = step.split_once('\n').unwrap_or((step, ""));
            let printed = env.redacted(&typed_in_a_shell(&env, line));
            let shown = snapbox::Data::text(env.redacted(shown).trim_end().to_owned());
            snapbox::assert_data_eq!(printed.trim_end().to_owned(), shown.raw());
            typed += 1;
        }
    }
    assert!(typed >= 4, "the guide has its steps: {typed}");
}

/// What `becket LINE` prints to stdout, typed in the project.
#[cfg(unix)]
fn typed_in_a_shell(env: &becket_testkit::env::TestEnv, line: &str) -> String {
    let becket = env.becket::<&str>([]).into_command();
    let words = std::iter::once(becket.get_program()).chain(becket.get_args());
    let words: Vec<String> = words.map(|word| format!("'{}'", word.display())).collect();
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", &format!("{} {line}", words.join(" "))]).current_dir(env.project()).env_clear();
    shell.envs(becket.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let output = shell.output().expect("a shell is there");
    String::from_utf8_lossy(&output.stdout).into_owned()
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
