//! Commands that can't be started, and the error shown to the user: the cause and what to do about it.
#![expect(clippy::unwrap_used, reason = "a test helper fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::common::patient;
use becket_process::{CancellationToken, Command, End, FinishedRun, Program, Runner, SpawnError};

async fn attempt(command: &Command) -> Result<FinishedRun, SpawnError> {
    Runner::new().run(command, &patient(), &CancellationToken::new(), &mut |_| ()).await
}

fn file(dir: &Path, name: &str, content: &str, mode: u32) {
    fs::write(dir.join(name), content).unwrap();
    fs::set_permissions(dir.join(name), fs::Permissions::from_mode(mode)).unwrap();
}

fn exec(dir: &Path, program: &str) -> Command {
    Command::new(Program::exec(program, ["argument"]), dir)
        .env("PATH", format!("{}/bin:/usr/bin:/bin", dir.display()))
}

fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("bin")).unwrap();
    file(dir.path(), "plain", "#!/bin/sh\nexit 0\n", 0o644);
    file(dir.path(), "bin/plain", "#!/bin/sh\nexit 0\n", 0o644);
    file(dir.path(), "wrong", "#!/no/such/interpreter -x\n", 0o755);
    file(dir.path(), "locked", "#!./plain\n", 0o755);
    file(dir.path(), "crlf", "#!/bin/sh\r\nexit 0\r\n", 0o755);
    file(dir.path(), "bare", "echo no first line\n", 0o755);
    file(dir.path(), "good", "#!/bin/sh\nexit 6\n", 0o755);
    file(dir.path(), "bin/good", "#!/bin/sh\nexit 7\n", 0o755);
    dir
}

// rule: H3
#[tokio::test]
async fn each_refusal_names_its_cause_and_a_remedy() {
    for (program, variant, texts) in [
        ("no-such-program", "ProgramMissing", ["`no-such-program`", "install it"]),
        ("", "ProgramMissing", ["``", "install it"]),
        ("./no/such", "ProgramMissing", ["`./no/such`", "full path"]),
        ("/no/such", "ProgramMissing", ["`/no/such`", "full path"]),
        ("./good/under", "ProgramMissing", ["`./good/under`", "full path"]),
        ("./plain", "NotExecutable", ["plain`", "chmod +x"]),
        ("plain", "NotExecutable", ["bin/plain`", "chmod +x"]),
        ("./bin", "NotExecutable", ["bin`", "is a file"]),
        ("./wrong", "BadInterpreter", ["`#!/no/such/interpreter -x`", "first line"]),
        ("./locked", "BadInterpreter", ["`#!./plain`", "first line"]),
        ("./crlf", "CrlfShebang", ["`#!/bin/sh`", "LF line ends"]),
        ("./bare", "NoShebang", ["bare`", "#!/bin/sh"]),
        ("a\0b", "NulByte", ["`a\\0b`", "remove it"]),
    ] {
        let dir = directory();
        let error = attempt(&exec(dir.path(), program)).await.unwrap_err();
        assert!(format!("{error:?}").starts_with(variant), "{program:?}: {error:?}");
        for text in texts {
            assert!(error.to_string().contains(text), "{program:?}: `{error}` lacks {text:?}");
        }
        assert!(!error.to_string().ends_with('.'));
    }
}

// rule: H3
#[tokio::test]
async fn a_program_is_found_on_the_commands_own_path_and_from_its_directory() {
    let dir = directory();
    let on = |path: &str, program: &str| {
        Command::new(Program::exec(program, [""; 0]), dir.path()).env("PATH", path)
    };
    let bin = dir.path().join("bin");
    let first = format!("/no/such:{}:/bin", bin.display());
    for (command, code) in [
        (on(&first, "good"), 7),
        (on("bin", "good"), 7),
        (on("", "good"), 6),
        (on("/bin:", "good"), 6),
        (on("/bin", "./good"), 6),
        (on("/bin", "bin/good"), 7),
        (Command::new(Program::exec("sh", ["-c", "exit 8"]), dir.path()), 8),
        (on("/no", "good").env("PATH", "bin"), 7),
    ] {
        assert_eq!(attempt(&command).await.unwrap().end, End::Exited(code), "{command:?}");
    }
}

// rule: H3
#[tokio::test]
async fn a_directory_that_is_gone_is_told_from_a_program_that_is_missing() {
    let gone = tempfile::tempdir().unwrap().path().to_owned();
    for program in [Program::shell("exit 0"), Program::exec("/bin/sh", ["-c", "exit 0"])] {
        let error = attempt(&Command::new(program, &gone)).await.unwrap_err();
        assert!(matches!(&error, SpawnError::CwdGone { cwd } if *cwd == gone), "{error:?}");
        assert!(error.to_string().contains("choose another"));
    }
    let dir = directory();
    let error = attempt(&Command::new(Program::shell("exit 0"), dir.path().join("good"))).await.unwrap_err();
    assert!(matches!(error, SpawnError::CwdGone { .. }), "{error:?}");
}

// rule: H3
#[tokio::test]
async fn the_shell_itself_may_be_missing() {
    let program = Program::Shell { shell: "/no/such/shell".into(), script: "exit 0".into() };
    let error = attempt(&Command::new(program, "/")).await.unwrap_err();
    assert!(matches!(error, SpawnError::ProgramMissing { .. }), "{error:?}");
}

// rule: H3
#[tokio::test]
async fn arguments_and_environment_have_a_length() {
    let long = "x".repeat(4 << 20);
    let error = attempt(&Command::new(Program::shell(long.clone()), "/")).await.unwrap_err();
    assert!(matches!(error, SpawnError::TooLong { .. }), "{error:?}");
    let error = attempt(&Command::new(Program::shell("exit 0"), "/").env("BIG", long)).await.unwrap_err();
    assert!(error.to_string().contains("stdin or a file"));
}

// rule: H3
#[tokio::test]
async fn a_nul_in_a_variable_is_told_without_its_value() {
    let command = Command::new(Program::shell("exit 0"), "/").env("TOKEN", "secret\0");
    let error = attempt(&command).await.unwrap_err().to_string();
    assert!(error.contains("`TOKEN`") && !error.contains("secret"), "{error}");
    assert!(!format!("{command:?}").contains("secret"));
}

// rule: H3
#[tokio::test]
async fn a_program_that_is_being_written_is_busy_until_it_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    fs::copy("/bin/true", dir.path().join("program")).unwrap();
    let writer = || fs::File::options().append(true).open(dir.path().join("program")).unwrap();
    let command = exec(dir.path(), "./program");
    let held = writer();
    let error = attempt(&command).await.unwrap_err();
    assert!(matches!(error, SpawnError::Busy { .. }), "{error:?}");
    drop(held);
    // Closed between two attempts: the first pause lets the other side continue.
    let held = writer();
    let (finished, ()) = tokio::join!(attempt(&command), async { drop(held) });
    assert_eq!(finished.unwrap().end, End::Exited(0));
}

// rule: H3
#[tokio::test]
async fn nothing_is_inherited_and_nothing_is_split() {
    let args = ["", "a b", "$HOME", "*", "ü\n\"'"];
    let script = Program::exec(
        "/bin/sh",
        ["-c", "for a; do printf '<%s>' \"$a\"; done; env", "name"].into_iter().chain(args),
    );
    let finished = attempt(&Command::new(script, "/tmp").env("ONLY", "this")).await.unwrap();
    let text = String::from_utf8(finished.stdout.bytes.to_vec()).unwrap();
    let (printed, environment) = text.split_at(text.rfind('>').unwrap() + 1);
    assert_eq!(printed, "<><a b><$HOME><*><ü\n\"'>");
    let mut names: Vec<&str> = environment.lines().map(|line| line.split('=').next().unwrap()).collect();
    names.retain(|name| !["PWD", "_", "OLDPWD", "SHLVL"].contains(name));
    assert_eq!(names, ["ONLY"]);
    assert!(environment.contains("PWD=/tmp"));
}
