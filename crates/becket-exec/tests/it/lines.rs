//! Lines from data files, each with and without a supervisor.

use super::common::Scene;

/// Returns the lines of a data file whose programs are installed.
fn lines(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines().filter(|line| !line.is_empty() && !line.starts_with("# ")).filter_map(|line| {
        let Some(rest) = line.strip_prefix("{needs ") else { return Some(line) };
        let (program, line) = rest.split_once("} ").unwrap();
        is_installed(program).then_some(line)
    })
}

fn is_installed(program: &str) -> bool {
    ["/usr/local/bin", "/usr/bin", "/bin"]
        .iter()
        .any(|directory| std::path::Path::new(directory).join(program).exists())
}

// rule: E1
#[test]
fn a_denied_program_does_not_run_however_it_is_started() {
    let (mut held, mut not_real) = (0, Vec::new());
    for line in lines(include_str!("lines.txt")) {
        let scene = Scene::new();
        let bare = scene.bare(line);
        if !scene.took_effect() {
            not_real.push((line, bare));
            continue;
        }
        let scene = Scene::new();
        let ended = scene.denied(line);
        assert!(!scene.took_effect(), "`{line}` ran the program: {ended:?}");
        held += 1;
    }
    // A line that does nothing proves nothing.
    assert!(not_real.is_empty(), "these lines do not run the program here: {not_real:#?}");
    assert!(held > 60, "only {held} lines");
}

// rule: E1
#[test]
fn other_programs_run_as_they_do_without_rules() {
    for line in lines(include_str!("harmless.txt")) {
        let (bare, supervised) = (Scene::new(), Scene::new());
        let (expected, found) = (bare.bare(line), supervised.denied(line));
        let without_directory =
            |text: &str, scene: &Scene| text.replace(scene.path("").to_str().unwrap(), "DIR/");
        let expected_stdout = without_directory(&expected.stdout, &bare);
        assert_eq!(expected_stdout, without_directory(&found.stdout, &supervised), "`{line}`: {found:?}");
        let expected_code = expected.code.or(Some(128 + 15));
        assert_eq!(expected_code, found.code, "`{line}`: {found:?}");
        assert!(!found.stderr.contains("was not run"), "`{line}`: {found:?}");
    }
}

// rule: E1
#[test]
fn a_subcommand_of_git_is_denied_behind_options_and_aliases() {
    if !is_installed("git") {
        return;
    }
    for line in [
        "git status",
        "git -C . --no-pager status",
        "git -c alias.s=status s",
        "git config alias.t s; git config alias.s status; git t",
        "printf '[alias]\\n\\ts = status\\n' > more; git config include.path ../more; git s",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.s GIT_CONFIG_VALUE_0=status git s",
        "git -c 'alias.s=!git status' s",
        "\"$(git --exec-path)/git\" status",
        "cp \"$(command -v git)\" x; ./x status",
    ] {
        let scene = Scene::new();
        let line = format!("git init -q .; {line}; echo $?");
        let ended = scene.supervised(&["deny=Bash(git status *)"], ["bash", "-c", &line]);
        assert!(ended.stderr.contains("denied by the rule `Bash(git status *)`"), "`{line}`: {ended:?}");
        assert!(!ended.stdout.contains("branch"), "`{line}`: {ended:?}");
    }
}
