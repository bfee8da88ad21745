//! `becket add` and `remove`, with real guards, repositories and settings.

use crate::{env, env_with};
use becket_testkit::env::{ProgramOutput, TestEnv};
use becket_testkit::files::tree;
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

fn run(env: &TestEnv, arguments: &[&str]) -> ProgramOutput {
    env.becket(arguments.iter().copied()).run()
}

/// Runs a command that must succeed.
pub(crate) fn done(env: &TestEnv, arguments: &[&str]) -> String {
    let ended = run(env, arguments);
    assert_eq!(ended.code, Some(0), "{arguments:?} {ended:?}");
    ended.stdout
}

/// Runs a command that must change nothing, and returns its error.
pub(crate) fn refused(env: &TestEnv, arguments: &[&str], code: i32) -> String {
    let before = tree(&env.project());
    let ended = run(env, arguments);
    assert_eq!(ended.code, Some(code), "{arguments:?} {ended:?}");
    assert_eq!(tree(&env.project()), before, "{arguments:?}");
    ended.stderr
}

/// Adds a guard to a project without settings, and tests its cases and their mutants.
fn proven(name: &str) {
    let env = env();
    let before = tree(&env.project());
    let set: &[&str] = if name == "tests-before-stop" { &["--set", "command=true"] } else { &[] };
    done(&env, &[&["add", name, "--yes"], set].concat());
    assert_eq!(done(&env, &["check", "--deny", "warnings"]), "nothing wrong in 1 file\n");
    let tested = done(&env, &["test", "--mutate"]);
    assert!(!tested.contains("survived") && !tested.contains("vacuous"), "{tested}");
    assert!(tested.contains(" passed\n") && !tested.contains("not tested"), "{tested}");
    assert_eq!(run(&env, &["add", name, "--yes"]).stdout.lines().last(), Some("nothing to do"));
    done(&env, &["remove", name, "--yes"]);
    assert_eq!(tree(&env.project()), before);
}

macro_rules! guards {
    ($($test:ident proves $name:literal;)*) => {
        /// The guards that are proven.
        const PROVEN: &[&str] = &[$($name),*];
        $(
            #[test]
            fn $test() {
                proven($name);
            }
        )*
    };
}

guards! {
    deployments proves "ask-before-deploy";
    dependencies proves "ask-before-install";
    messages_of_commits proves "commit-messages";
    destructive_commands proves "destructive-commands";
    formatters proves "format-after-edit";
    no_network proves "no-network";
    secrets_in_prompts proves "prompt-secrets";
    protected_branches proves "protected-branches";
    protected_paths proves "protected-paths";
    secrets proves "secrets";
    context_of_a_session proves "session-context";
    tests_before_stop proves "tests-before-stop";
}

#[test]
fn no_guard_is_left_out_and_all_go_together() {
    let env = env();
    let listed = done(&env, &["add", "--list"]);
    let names: Vec<&str> = listed
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(names, PROVEN);
    done(&env, &[&["add", "--yes", "--set", "command=true"], PROVEN].concat());
    assert_eq!(done(&env, &["check", "--deny", "warnings"]), "nothing wrong in 1 file\n");
    let tested = done(&env, &["test"]);
    assert!(!tested.contains("failed") && !tested.contains("not tested"), "{tested}");
    assert_eq!(done(&env, &["add", "--list"]).matches(" added ").count(), PROVEN.len());
}

#[test]
fn a_deployment_is_asked_about_with_options_in_front_of_its_subcommand() {
    let env = env();
    done(&env, &["add", "ask-before-deploy", "--yes"]);
    for (line, code) in [
        ("kubectl apply -f x.yml", 3),
        ("kubectl -n prod apply -f x.yml", 3),
        ("kubectl --context=prod apply -f x.yml", 3),
        ("terraform -chdir=infra apply", 3),
        ("helm --kube-context prod upgrade app ./chart", 3),
        ("aws --profile prod s3 sync . s3://site", 3),
        ("npm -w app publish", 3),
        ("cargo +nightly publish", 3),
        ("git push origin --tags", 3),
        ("git -C app push --tags", 3),
        ("cd infra && sudo terraform -chdir=x apply", 3),
        ("vercel", 3),
        ("kubectl -n prod get pods", 0),
        ("terraform -chdir=infra plan", 0),
        ("git push origin topic", 0),
    ] {
        let set = format!("tool_input.command={line}");
        let ended = run(&env, &["fire", "PreToolUse", "--tool", "Bash", "--set", &set]);
        assert_eq!(ended.code, Some(code), "{line}: {ended:?}");
    }
    // Of commands that are a word each, no rule is left.
    done(&env, &["add", "ask-before-deploy", "--set", "commands=ship", "--yes"]);
    let settings = fs::read_to_string(env.project().join(".claude/settings.json")).expect("settings");
    assert!(
        settings.contains("Bash(ship *)") && !settings.contains("{{") && !settings.contains(" -* "),
        "{settings}"
    );
}

#[test]
fn a_change_is_shown_before_it_is_made() {
    let env = env_with("{\n  \"model\": \"x\"\n}\n");
    let shown = done(&env, &["add", "no-network", "--dry-run"]);
    assert!(shown.contains("from becket, sha256:"), "{shown}");
    assert!(shown.contains("+      \"Bash(curl *)\","), "{shown}");
    assert!(shown.contains("+++ .claude/tests/no-network.toml"), "{shown}");
    assert!(shown.ends_with("nothing was changed: this is a dry run\n"), "{shown}");
    let unasked = refused(&env, &["add", "no-network"], 2);
    assert!(unasked.contains("Pass `--yes`"), "{unasked}");
    let mode =
        || env.project().join(".claude/settings.json").metadata().expect("a file").permissions().mode();
    fs::set_permissions(env.project().join(".claude/settings.json"), Permissions::from_mode(0o600))
        .expect("a mode");
    let before = mode();
    let shown = done(&env, &["add", "no-network", "--yes"]);
    assert!(shown.contains("new      .claude/tests/no-network.toml"), "{shown}");
    assert!(shown.ends_with("added no-network; try it: becket test no-network\n"), "{shown}");
    assert_eq!(mode(), before);
    refused(&env, &["remove", "no-network"], 2);
    let shown = done(&env, &["remove", "no-network", "--yes"]);
    assert!(shown.contains("-      \"Bash(curl *)\",") && shown.ends_with("removed no-network\n"), "{shown}");
    let left = fs::read_to_string(env.project().join(".claude/settings.json")).expect("settings");
    assert_eq!(left, "{\n  \"model\": \"x\"\n}\n");
}

#[test]
fn what_was_edited_stays_and_is_named() {
    let env = env();
    done(&env, &["add", "secrets", "--yes"]);
    env.write("project/.claude/hooks/secrets/secrets_guard.py", "# mine\n");
    let again = run(&env, &["add", "secrets", "--yes"]);
    assert_eq!((again.code, again.stdout.lines().last()), (Some(0), Some("nothing to do")), "{again:?}");
    let ended = run(&env, &["remove", "secrets", "--yes"]);
    assert!(
        ended.stderr.contains("`.claude/hooks/secrets/secrets_guard.py` stays: it was edited"),
        "{ended:?}"
    );
    let left: Vec<PathBuf> = tree(&env.project()).into_keys().filter(|path| path.is_file()).collect();
    assert_eq!(left, [env.project().join(".claude/hooks/secrets/secrets_guard.py")]);
    let foreign = refused(&env, &["add", "secrets", "--yes"], 1);
    assert!(foreign.contains("is there already"), "{foreign}");
}

#[test]
fn rules_that_a_merge_has_lost_are_named_and_restored() {
    let env = env_with("{\"a\": 1}\n");
    done(&env, &["add", "destructive-commands", "--yes"]);
    env.write("project/.claude/settings.json", "{\"a\": 1}\n");
    let listed = run(&env, &["add", "--list"]);
    assert!(listed.stdout.contains("destructive-commands   partial"), "{listed:?}");
    assert!(
        listed.stderr.contains("rules and hooks of `destructive-commands` are not in the settings"),
        "{listed:?}"
    );
    let checked = run(&env, &["check", "--deny", "warnings"]);
    assert_eq!(checked.code, Some(1), "{checked:?}");
    assert!(checked.stdout.contains("guard-incomplete"), "{checked:?}");
    let restored = done(&env, &["add", "destructive-commands", "--yes"]);
    assert!(
        restored.contains("\"Bash(mkfs *)\",") && restored.contains("added destructive-commands"),
        "{restored}"
    );
    let mkfs = ["fire", "PreToolUse", "--tool", "Bash", "--set", "tool_input.command=mkfs /dev/sda"];
    assert_eq!(run(&env, &mkfs).code, Some(2));
    assert!(!done(&env, &["check", "--deny", "warnings"]).contains("guard-incomplete"));
    assert_eq!(
        run(&env, &["add", "destructive-commands", "--yes"]).stdout.lines().last(),
        Some("nothing to do")
    );
    done(&env, &["remove", "destructive-commands", "--yes"]);
    let left = fs::read_to_string(env.project().join(".claude/settings.json")).expect("settings");
    assert_eq!(left, "{\"a\": 1}\n");
}

#[test]
fn a_guard_is_not_written_through_a_link_out_of_the_project() {
    let env = env_with("{}");
    fs::create_dir(env.root().join("out")).expect("a directory");
    symlink(env.root().join("out"), env.project().join(".claude/hooks")).expect("a link");
    let linked = refused(&env, &["add", "secrets", "--yes"], 1);
    assert!(linked.contains("leads out of the project"), "{linked}");
    assert_eq!(fs::read_dir(env.root().join("out")).expect("a directory").count(), 0);
}

/// Writes a guard of another author.
fn folder(env: &TestEnv, path: &str, reason: &str) {
    let manifest = "name = \"ours\"\nsummary = \"Nobody says danger\"\nneeds = [\"sh\"]\n\n[[settings.hooks.PreToolUse]]\n\
                    matcher = \"Bash\"\nhooks = [{ type = \"command\", command = 'sh \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/ours/ours.sh' }]\n";
    env.write(&format!("{path}/guard.toml"), manifest);
    env.write(
        &format!("{path}/ours.sh"),
        format!("case $(cat) in *danger*) echo '{reason}' >&2; exit 2;; esac\n"),
    );
    let cases = "[[case]]\nname = \"danger is denied\"\ntool = { name = \"Bash\", input = { command = \"danger\" } }\n\
                 want = { decision = \"deny\", by = \"ours.sh\" }\n";
    env.write(&format!("{path}/cases.toml"), cases);
}

#[test]
fn a_guard_of_a_folder_is_added_whole() {
    let env = env();
    folder(&env, "project/guards/ours", "no");
    let before = tree(&env.project());
    let shown = done(&env, &["add", "./guards/ours", "--yes"]);
    assert!(shown.contains("+case $(cat) in"), "the script is shown: {shown}");
    assert!(done(&env, &["test"]).ends_with("1 case: 1 passed\n"));
    assert!(done(&env, &["add", "--list"]).contains("added   from ./guards/ours"));
    done(&env, &["remove", "ours", "--yes"]);
    assert_eq!(tree(&env.project()), before);
}

#[test]
fn a_folder_that_is_no_guard_is_refused() {
    let env = env();
    folder(&env, "linked", "no");
    env.write("secret", "x");
    symlink(env.root().join("secret"), env.root().join("linked/more")).expect("a link");
    let linked = refused(&env, &["add", "../linked", "--yes"], 1);
    assert!(
        linked.contains("is a link to `") && linked.contains("regular files of its own folder only"),
        "{linked}"
    );
    folder(&env, "needy", "no");
    let manifest = fs::read_to_string(env.root().join("needy/guard.toml")).expect("a manifest");
    env.write("needy/guard.toml", manifest.replace("[\"sh\"]", "[\"sh\", \"no-such-program-at-all\"]"));
    let needy = refused(&env, &["add", "../needy", "--yes"], 1);
    assert!(needy.contains("`ours` needs `no-such-program-at-all`, which is not on PATH"), "{needy}");
    env.write("needy/guard.toml", format!("{manifest}[settings.permissions]\nallow = [\"Bash\"]\n"));
    let allows = refused(&env, &["add", "../needy", "--yes"], 1);
    assert!(allows.contains("guard.toml") && allows.contains("`allow`"), "{allows}");
    let none = refused(&env, &["add", "../nowhere", "--yes"], 1);
    assert!(none.contains("can't be read"), "{none}");
    let unknown = refused(&env, &["add", "protect-branches", "--yes"], 2);
    assert!(unknown.contains("did you mean `protected-branches`?"), "{unknown}");
    let not_added = refused(&env, &["remove", "secrets", "--yes"], 2);
    assert!(not_added.contains("`secrets` was not added"), "{not_added}");
    let no_answer = refused(&env, &["add", "tests-before-stop", "--yes"], 2);
    assert!(no_answer.contains("`--set command=VALUE`"), "{no_answer}");
    let no_question = refused(&env, &["add", "secrets", "--set", "fils=a", "--yes"], 2);
    assert!(no_question.contains("the questions are `files`"), "{no_question}");
}

#[test]
fn settings_that_can_not_be_changed_are_left_alone() {
    let env = env_with("{\n  \"hooks\": [\n}\n");
    let broken = refused(&env, &["add", "secrets", "--yes"], 1);
    assert!(
        broken.contains("`.claude/settings.json` was left alone: it is not JSON")
            || broken.contains("settings.json` was left alone: it is not JSON"),
        "{broken}"
    );
    env.write("project/.claude/settings.json", "{\"permissions\": {\"deny\": \"Bash\"}}");
    let wrong = refused(&env, &["add", "secrets", "--yes"], 1);
    assert!(wrong.contains("`permissions.deny` is not a list"), "{wrong}");
    env.write("project/.claude/settings.json", "{}");
    let claude = env.project().join(".claude");
    fs::set_permissions(&claude, Permissions::from_mode(0o555)).expect("a mode");
    let read_only = refused(&env, &["add", "secrets", "--yes"], 1);
    fs::set_permissions(&claude, Permissions::from_mode(0o755)).expect("a mode");
    assert!(read_only.contains(".claude` is read-only"), "{read_only}");
    let home = env.becket(["add", "secrets", "--yes"]).dir(&env.root().join("home")).run();
    assert!(home.code == Some(1) && home.stderr.contains("this is your home directory"), "{home:?}");
}

/// A repository that git finds in place of one on GitHub.
struct Repository<'e> {
    env: &'e TestEnv,
}

impl<'e> Repository<'e> {
    fn new(env: &'e TestEnv) -> Self {
        let place = env.root().join("hosted").display().to_string();
        env.write(
            "home/.gitconfig",
            format!("[url \"file://{place}/\"]\n\tinsteadOf = https://github.com/\n"),
        );
        let repository = Repository { env };
        repository.git(&["init", "--quiet", "-b", "main", "."]);
        repository
    }

    fn git(&self, arguments: &[&str]) -> String {
        let directory = self.env.root().join("hosted/example/guards");
        fs::create_dir_all(&directory).expect("a directory");
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgSign=false"]);
        git.args(arguments)
            .current_dir(directory)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1");
        let ended = git.output().expect("git is there");
        assert!(ended.status.success(), "{arguments:?} {ended:?}");
        String::from_utf8(ended.stdout).expect("text").trim().to_owned()
    }

    /// Commits the files, and returns the source of the guard.
    fn committed(&self) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "--quiet", "-m", "A guard"]);
        format!("github:example/guards/ours@{}", self.git(&["rev-parse", "HEAD"]))
    }
}

#[test]
fn a_guard_of_github_is_pinned_and_a_changed_one_needs_more_than_yes() {
    let env = env();
    let repository = Repository::new(&env);
    folder(&env, "hosted/example/guards/ours", "no");
    let first = repository.committed();
    folder(&env, "hosted/example/guards/ours", "never");
    let second = repository.committed();
    let shown = done(&env, &["add", &first, "--yes"]);
    assert!(
        shown.contains(&format!("from {first}, sha256:")) && shown.contains("+case $(cat) in"),
        "{shown}"
    );
    assert!(done(&env, &["test"]).ends_with("1 case: 1 passed\n"));
    let record = fs::read_to_string(env.project().join(".claude/guards.json")).expect("a record");
    let record: Value = serde_json::from_str(&record).expect("JSON");
    assert_eq!(record["guards"]["ours"]["source"], first);
    // The same commit is the same guard.
    assert_eq!(done(&env, &["add", &first, "--yes"]).lines().last(), Some("nothing to do"));
    let changed = refused(&env, &["add", &second, "--yes"], 1);
    let hash =
        changed.split_once("--hash ").expect("the way out").1.split('`').next().expect("a hash").to_owned();
    assert!(changed.contains("nothing was added: the hash of `ours` is sha256:"), "{changed}");
    let other = refused(&env, &["add", &first, "--yes", "--hash", &hash], 1);
    assert!(other.contains("and not sha256:"), "{other}");
    done(&env, &["add", &second, "--yes", "--hash", &hash]);
    let script = fs::read_to_string(env.project().join(".claude/hooks/ours/ours.sh")).expect("a script");
    assert!(script.contains("never"), "{script}");
}

#[test]
fn a_changed_folder_needs_more_than_yes() {
    let env = env();
    folder(&env, "project/guards/ours", "no");
    done(&env, &["add", "./guards/ours", "--yes"]);
    folder(&env, "project/guards/ours", "never");
    let changed = refused(&env, &["add", "./guards/ours", "--yes"], 1);
    assert!(changed.contains("the hash of `ours` is sha256:"), "{changed}");
    let hash = changed.split_once("--hash ").expect("the way out").1.split('`').next().expect("a hash");
    done(&env, &["add", "./guards/ours", "--yes", "--hash", hash]);
}

#[test]
fn a_name_that_would_forge_a_line_of_the_changes_is_refused() {
    let env = env();
    folder(&env, "project/guards/ours", "no");
    env.write("project/guards/ours/a\n+++ b", "x");
    let error = refused(&env, &["add", "./guards/ours", "--yes"], 1);
    assert!(error.contains("is named with a control character"), "{error}");
}

#[test]
fn what_git_does_not_have_is_not_added() {
    let env = env();
    let repository = Repository::new(&env);
    folder(&env, "hosted/example/guards/ours", "no");
    symlink("/etc/passwd", env.root().join("hosted/example/guards/ours/link")).expect("a link");
    let linked = refused(&env, &["add", &repository.committed(), "--yes"], 1);
    assert!(linked.contains("`link` is a link"), "{linked}");
    let missing = format!("github:example/guards/ours@{}", "0123456789".repeat(4));
    let missing = refused(&env, &["add", &missing, "--yes"], 1);
    assert!(missing.contains("can't be fetched: git says"), "{missing}");
    let branch = refused(&env, &["add", "github:example/guards/ours@main", "--yes"], 2);
    assert!(branch.contains("`main` is not a full commit"), "{branch}");
}

#[test]
fn a_field_of_the_input_is_printed_for_a_shell() {
    let env = env();
    let get = |path: &str, stdin: &str| {
        let ended = env.becket(["input", "--get", path]).stdin(stdin).run();
        (ended.code, ended.stdout)
    };
    let input = r#"{"tool_input": {"command": "a \"b\"\nc", "list": [1, {"x": true}]}, "none": null}"#;
    assert_eq!(get("tool_input.command", input), (Some(0), "a \"b\"\nc\n".to_owned()));
    assert_eq!(get("tool_input.list.1.x", input), (Some(0), "true\n".to_owned()));
    assert_eq!(get("tool_input.list", input), (Some(0), "[1,{\"x\":true}]\n".to_owned()));
    assert_eq!(get("none", input), (Some(1), String::new()));
    assert_eq!(get("tool_input.command.x", input), (Some(1), String::new()));
    for broken in ["", "{", "[]", "\"x\""] {
        assert_eq!(get("a", broken), (Some(2), String::new()), "{broken}");
    }
    let ended = env.becket(["input", "--get", "none", "--default", "-"]).stdin(input).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "-\n"));
}
