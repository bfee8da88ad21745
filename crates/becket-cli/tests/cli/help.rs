//! The examples of the help run, completions work, manual pages are readable, and `-q` and `-v` have their documented
//! effects.

use crate::{env, env_with};
use becket_testkit::env::TestEnv;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};

/// The examples that a test can't type, by their beginning, with the reason.
const NOT_TYPED: &[(&str, &str)] = &[
    ("becket add github:", "it fetches from GitHub"),
    ("becket acp ", "it starts an agent"),
    ("becket allow-once ", "it is for a person at a terminal, about a call that waits"),
    ("becket audit checkpoint", "typed by docs_guide::an_audit_log"),
    ("becket audit show", "typed by docs_guide::an_audit_log"),
    ("becket audit verify", "typed by docs_guide::an_audit_log"),
    ("becket check --for", "typed by docs_guide::in_every_agent"),
    ("becket check plugins/mine", "it names files of another project"),
    ("becket completions", "typed below"),
    ("becket doctor --prove", "it starts an agent"),
    ("becket exec", "typed by docs_guide::rules_at_exec"),
    ("becket explain --call", "typed by explained_call"),
    ("becket fire --dialect", "an agent writes its stdin"),
    ("becket --profile becket fire --stdin-event", "an agent writes its stdin"),
    ("becket hooks", "it is for a terminal"),
    ("becket man ~", "typed below"),
    ("becket mcp", "typed by docs_guide::mcp_servers"),
    ("becket profile", "typed by docs_guide::the_time_of_hooks"),
    ("BECKET_PROFILE=1 becket", "typed by docs_guide::the_time_of_hooks"),
    ("becket replay", "typed by docs_guide::past_sessions"),
    ("becket run", "typed by docs_guide::an_agent_under_hooks"),
    ("git diff | becket run", "typed by docs_guide::an_agent_under_hooks"),
    ("becket self update", "typed by self_update"),
    ("becket serve", "typed by docs_guide::beside_a_program"),
    ("becket trust", "it is for a person at a terminal"),
    ("becket install all", "it depends on the agents of this machine"),
    ("becket lsp", "an editor writes its stdin"),
];

/// A project in which the examples make sense, with `becket` on the path.
struct Typist {
    env: TestEnv,
}

impl Typist {
    fn new() -> Self {
        let env = env();
        env.write("project/.claude/settings.json", GUARD);
        env.write("project/.claude/tests/pushes.toml", OUR_CASES);
        env.write("project/answers-of-the-model.json", r#"{"turns": []}"#);
        env.write("project/guards/our-guard/guard.toml", OUR_GUARD);
        env.write("project/guards/our-guard/cases.toml", OUR_CASES);
        let becket = env.becket::<&str>([]).into_command();
        let words = std::iter::once(becket.get_program()).chain(becket.get_args());
        let words: Vec<String> = words.map(|word| format!("'{}'", word.display())).collect();
        let program = env.write("bin/becket", format!("#!/bin/sh\nexec {} \"$@\"\n", words.join(" ")));
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("it can be made a program");
        Typist { env }
    }

    /// Types a line in a shell.
    fn types(&self, shell: &str, line: &str) -> Output {
        let becket = self.env.becket::<&str>([]).path_first(&self.env.root().join("bin")).into_command();
        let mut command = Command::new(shell);
        command.args(["-c", line]).current_dir(self.env.project()).env_clear().stdin(Stdio::null());
        command.envs(becket.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.output().expect("a shell is there")
    }
}

const OUR_GUARD: &str = r#"name = "our-guard"
summary = "Denies deployments"

[settings.permissions]
deny = ["Bash(make deploy*)"]
"#;

const OUR_CASES: &str = r#"[[case]]
name = "a deployment is denied"
tool = { name = "Bash", input = { command = "make deploy" } }
want = { decision = "deny" }
"#;

/// Returns the names of all commands in the reference.
fn commands() -> Vec<String> {
    let reference = env().becket(["reference"]).run().stdout;
    let names = reference.lines().filter_map(|line| line.strip_prefix("## `")?.strip_suffix('`'));
    names.map(str::to_owned).collect()
}

#[test]
fn the_examples_of_the_help_run() {
    let mut typed = 0;
    let mut unused: Vec<&str> = NOT_TYPED.iter().map(|(beginning, _)| *beginning).collect();
    for name in commands() {
        let words: Vec<&str> = name.split(' ').skip(1).chain(["--help"]).collect();
        let help = env().becket(&words).env("COLUMNS", "200").run().stdout;
        let lines = help.lines().skip_while(|line| !line.starts_with("Examples")).skip(1);
        for line in lines.take_while(|line| line.starts_with("  ")).map(str::trim) {
            let left_out = NOT_TYPED.iter().find(|(beginning, _)| line.starts_with(beginning));
            if let Some((beginning, _)) = left_out {
                unused.retain(|one| one != beginning);
                continue;
            }
            let typist = Typist::new();
            let before = BEFORE.iter().find(|(example, _)| *example == line).map_or("", |(_, before)| before);
            let ended = typist.types("/bin/sh", &format!("{before}\n{}", without_questions(line)));
            let (code, stderr) = (ended.status.code(), String::from_utf8_lossy(&ended.stderr));
            let is_verdict =
                line.contains("becket fire") || line.contains("--mutate") || line.contains("translate");
            assert!(
                code == Some(0) || (is_verdict && matches!(code, Some(1..=4))),
                "`{line}` ends with {code:?}:\n{stderr}\n{}",
                String::from_utf8_lossy(&ended.stdout)
            );
            assert!(!stderr.lines().any(|line| line.starts_with("becket: ")), "`{line}`:\n{stderr}");
            typed += 1;
        }
    }
    assert!(typed > 25, "{typed}");
    assert!(unused.is_empty(), "no example begins with {unused:?}");
}

/// Returns the lines of the help of a command, in lines of so many columns.
fn help_lines(name: &str, flag: &str, columns: usize) -> Vec<String> {
    let words: Vec<&str> = name.split(' ').skip(1).chain([flag]).collect();
    let help = env().becket(&words).env("COLUMNS", &columns.to_string()).run().stdout;
    help.lines().map(str::to_owned).collect()
}

#[test]
fn help_fits_the_width_of_a_terminal() {
    let width = |line: &str| line.chars().count();
    for name in commands() {
        for flag in ["-h", "--help"] {
            for columns in [40, 200] {
                for line in help_lines(&name, flag, columns) {
                    // A link or a path is kept whole.
                    let is_long = line.split(' ').any(|word| width(word) > columns);
                    assert!(width(&line) <= columns || is_long, "{name} {flag} at {columns}: {line}");
                }
            }
            let (narrow, wide) = (help_lines(&name, flag, 40), help_lines(&name, flag, 200));
            assert!(narrow.len() > wide.len(), "{name} {flag}: {} and {}", narrow.len(), wide.len());
            let text = |lines: &[String]| lines.concat().replace(' ', "");
            assert_eq!(text(&narrow), text(&wide), "{name} {flag}");
        }
    }
}

/// Answers the questions of an example that changes something, and keeps it in its shell.
fn without_questions(line: &str) -> String {
    let changes = ["init", "add ", "remove "].iter().any(|name| line.starts_with(&format!("becket {name}")));
    let is_asked = changes && !["--yes", "--dry-run", "--list"].iter().any(|option| line.contains(option));
    let line = line.replace(" || exit 2", "");
    if is_asked { format!("{line} --yes") } else { line }
}

/// The lines to type before an example, for its prerequisites.
const BEFORE: &[(&str, &str)] = &[
    ("becket remove no-network", "becket add no-network --yes -q"),
    ("becket remove secrets --dry-run", "becket add secrets --yes -q"),
    ("becket input --get tool_input.file_path --default ''", "exec < .claude/settings.json"),
    (
        "command=$(becket input --get tool_input.command) || exit 2",
        "printf '{\"tool_input\": {\"command\": \"ls\"}}' > i; exec < i",
    ),
    ("becket audit key show audit.key", "becket audit key new audit.key"),
];

#[test]
fn bash_completes_commands_options_and_values() {
    let typist = Typist::new();
    let completed = |words: &str| {
        let line = format!(
            "eval \"$(becket completions bash)\"; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); \
             _becket becket \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let ended = typist.types("bash", &line);
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
        String::from_utf8_lossy(&ended.stdout).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(completed("becket fi"), ["fire"]);
    assert_eq!(completed("becket mcp gat"), ["gateway"]);
    assert_eq!(completed("becket init --templ"), ["--template"]);
    assert_eq!(completed("becket init --template st"), ["standard", "strict"]);
    assert_eq!(completed("becket --profile a"), ["agent"]);
}

/// Checks scripts for the other shells that are on this machine.
#[test]
fn scripts_of_other_shells_load() {
    let typist = Typist::new();
    for (shell, line) in [
        (
            "zsh",
            "autoload -U compinit; compinit -u -d dump; eval \"$(becket completions zsh)\"; (( $+functions[_becket] ))",
        ),
        ("fish", "becket completions fish | source; complete -C 'becket fi' | string match -q 'fire*'"),
    ] {
        if Command::new(shell).arg("--version").output().is_ok_and(|output| output.status.success()) {
            let ended = typist.types(shell, line);
            assert!(ended.status.success(), "{shell}: {}", String::from_utf8_lossy(&ended.stderr));
        }
    }
}

#[test]
fn manual_pages_are_readable() {
    let typist = Typist::new();
    assert!(typist.types("/bin/sh", "becket man pages").status.success());
    let pages: Vec<_> = fs::read_dir(typist.env.project().join("pages")).expect("pages").collect();
    assert!(pages.len() >= commands().len(), "{}", pages.len());
    if Command::new("groff").arg("--version").output().is_err() {
        return;
    }
    for page in pages {
        let page = page.expect("a page").path();
        let output =
            Command::new("groff").args(["-man", "-Tutf8", "-W", "break", "-P-cbou"]).arg(&page).output();
        let output = output.expect("groff runs");
        let (text, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && errors.is_empty(), "{}: {errors}", page.display());
        for part in ["NAME", "SYNOPSIS", "OPTIONS"] {
            assert!(text.contains(part), "{}: no {part}", page.display());
        }
    }
}

const GUARD: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
    {"type": "command", "if": "Bash(make deploy*)", "command": "echo 'not on a Friday' >&2; exit 2"}]}]}}"#;

#[test]
fn quiet_prints_results_and_errors_alone() {
    let env = env_with(GUARD);
    env.write("project/src/main.c", "");
    let run = |arguments: &[&str]| env.becket(arguments).run();
    let fire = ["fire", "PreToolUse", "--tool", "Bash", "--set", "tool_input.command=make deploy", "-q"];
    assert_eq!(run(&fire).stdout, "denied\n  not on a Friday\n");
    for (arguments, code) in [
        (&["check", "-q"][..], 0),
        (&["-q", "check"], 0),
        (&["-C", "src", "-q", "check"], 0),
        (&["-q", "init", "--template", "minimal", "--set", "branches=main", "--yes", "--dry-run"], 0),
    ] {
        let ended = run(arguments);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(code), ""), "{arguments:?}");
        assert!(ended.stdout.is_empty() || arguments.contains(&"--dry-run"), "{arguments:?}: {ended:?}");
    }
    let added = run(&["-q", "add", "secrets", "--yes"]);
    assert_eq!((added.code, added.stdout.as_str()), (Some(0), "added secrets\n"), "{added:?}");
    let tested = run(&["-q", "test"]);
    assert_eq!((tested.code, tested.stdout.as_str()), (Some(0), ""), "{tested:?}");
    env.write("project/.claude/settings.json", GUARD.replace("PreToolUse", "PreTolUse"));
    let found = run(&["-q", "check"]);
    assert_eq!(found.code, Some(1));
    assert!(found.stdout.contains("unknown-event") && !found.stdout.contains("in 1 file"), "{found:?}");
    let wrong = run(&["-q", "rule", "nothing-like-it"]);
    assert!(wrong.stderr.contains("there is no rule"), "an error is always shown: {wrong:?}");
}

#[test]
fn verbose_names_the_files_the_exit_code_and_the_time() {
    let env = env_with(GUARD);
    env.write("home/.claude/settings.json", "{}");
    let ended = env.becket(["-v", "list"]).run();
    for line in [
        "reads ~/.claude/settings.json (user)",
        "reads .claude/settings.json (project)",
        "exit code 0 after ",
    ] {
        assert!(ended.stderr.lines().any(|shown| shown.starts_with(line)), "{line}: {ended:?}");
    }
    let plain = env.becket(["list"]).run();
    assert_eq!((plain.stdout, plain.stderr.as_str()), (ended.stdout, ""));
    let fire = ["fire", "PreToolUse", "--tool", "Bash", "--set", "tool_input.command=make deploy"];
    let fired = env.becket(["-v"].into_iter().chain(fire)).run();
    assert!(fired.stdout.contains("stdin:") && fired.stderr.contains("exit code 2 after"), "{fired:?}");
}
