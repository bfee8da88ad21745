//! The shell of a session, with real processes: its directory changes, its output is complete, no leftovers.

use crate::support::shell::{LONG, Shell, said};
use crate::support::{Tree, object, until};
use becket_engine::{CancellationToken, Tool};
use becket_testkit::proc::{open_descriptors, wait_until, zombies};
use becket_tools::Surroundings;
use serde_json::{Value, json};
use std::path::Path;

fn line(command: &str) -> Value {
    json!({"command": command})
}

// rule: E7
#[cfg(target_os = "linux")]
#[tokio::test]
async fn nothing_that_a_line_starts_outlives_it_but_what_is_exempt() {
    for command in [
        "setsid sleep 4321 & sleep 0.2",
        "(setsid sh -c 'trap \"\" TERM; sleep 4321; :' >/dev/null 2>&1 &); sleep 0.2",
        "nohup setsid sh -c '(setsid sleep 4321 &)' >/dev/null 2>&1 & disown; sleep 0.3",
    ] {
        let shell = Shell::new();
        assert_eq!(shell.line(command).await, "(no output)", "{command}");
        shell.runner.all_gone().await;
        assert_eq!(shell.marker.alive(), [] as [u32; 0], "{command}");
    }
    let shell = Shell::of(Tree::new(), |host| host.with_kept_processes(|| ["sleep".to_owned()].into()));
    shell.line("setsid sleep 4321 >/dev/null 2>&1 & setsid sh -c 'read x </dev/zero' & sleep 0.2").await;
    shell.runner.all_gone().await;
    let left = shell.marker.alive();
    assert_eq!(left.len(), 1, "the one that is exempt: {left:?}");
    std::process::Command::new("kill").arg(left[0].to_string()).status().unwrap();
    shell.marker.wait_for(0);
}

#[tokio::test]
async fn a_response_has_the_shape_that_hooks_know() {
    let shell = Shell::new();
    let output = shell.call(line("printf 'ran\n'")).await.unwrap();
    let expected =
        r#"{"stdout":"ran","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}"#;
    assert_eq!((output.response.to_string().as_str(), output.as_text().as_str()), (expected, "ran"));
    let replaced = shell.bash.replaced(&json!({"stdout": "a", "stderr": "b", "interrupted": false})).unwrap();
    assert_eq!(replaced.as_text(), "a\nb");
    assert!(shell.bash.replaced(&json!({"stdout": "a"})).is_err());
}

#[tokio::test]
async fn each_line_of_the_table_says_and_moves_what_it_says_there() {
    let table: Value = serde_json::from_str(include_str!("../cases/shell.json")).unwrap();
    let mut wrong = Vec::new();
    for case in table["cases"].as_array().unwrap() {
        let shell = Shell::new();
        let place = |text: &str| text.replace("BASE", &shell.tree.base.display().to_string());
        let command = place(case["line"].as_str().unwrap());
        let said = shell.line(&command).await;
        let expected = place(case["said"].as_str().unwrap());
        let to = case.get("to").map_or("work", |to| to.as_str().unwrap());
        let moved = usize::from(to != "work");
        if said != expected || shell.place() != to || shell.at.moves.lock().unwrap().len() != moved {
            wrong.push(format!("{command:?} said {said:?}, not {expected:?}; now in {}", shell.place()));
        }
        assert!(
            shell.marker.alive().is_empty() || wait_until(|| shell.marker.alive().is_empty()),
            "{command}"
        );
        let left: Vec<_> = std::fs::read_dir(shell.tasks.directory()).unwrap().collect();
        assert!(left.is_empty(), "{command} left {left:?}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn a_session_goes_on_where_a_line_has_left_it() {
    let shell = Shell::new();
    let base = shell.tree.base.clone();
    for (command, text, place) in [
        ("cd sub && X=1 && f() { :; }", "(no output)".to_owned(), "work/sub"),
        (
            "pwd; echo \"[$X]\"; f 2>/dev/null || echo none",
            format!("{}/work/sub\n[]\nnone", base.display()),
            "work/sub",
        ),
        ("cd ..; false", "Exit code 1".to_owned(), "work"),
        ("mkdir 'a b'\ncd 'a b'", "(no output)".to_owned(), "work/a b"),
        ("cd ../../more", "(no output)".to_owned(), "more"),
        ("cd -", "Exit code 1\n/bin/bash: line 1: cd: OLDPWD not set".to_owned(), "more"),
        ("cd ../work/deep && pwd", format!("{}/work/deep", base.display()), "more/deep"),
    ] {
        assert_eq!(shell.line(command).await, text, "{command}");
        assert_eq!(shell.place(), place, "{command}");
    }
    let moves = shell.at.moves.lock().unwrap().len();
    assert_eq!(moves, 5);
}

#[tokio::test]
async fn outside_the_working_directories_a_session_goes_back_to_its_root() {
    let shell = Shell::new();
    let root = shell.tree.work().display().to_string();
    shell.line("cd sub").await;
    let output = shell.call(line("cd ../../outside && echo there")).await.unwrap();
    let note = format!(
        "Shell cwd was reset to {root}: {} lies outside the working directories",
        shell.tree.base.join("outside").display()
    );
    assert_eq!(output.response["stderr"], note);
    assert_eq!((output.as_text(), shell.place().as_str()), (format!("there\n{note}"), "work"));
    // Through a link, and with a line that fails.
    let said = shell.line("cd dirlink; exit 3").await;
    assert!(said.starts_with(&format!("Exit code 3\nShell cwd was reset to {root}")), "{said}");
    assert_eq!(shell.place(), "work");
    let said = shell.line("mkdir gone; cd gone; rmdir ../gone").await;
    assert_eq!(said, format!("Shell cwd was reset to {root}: the directory that it was in is gone"));
    assert_eq!(shell.place(), "work");
}

#[tokio::test]
async fn in_a_directory_that_is_gone_nothing_runs() {
    let shell = Shell::new();
    shell.line("cd sub").await;
    std::fs::remove_dir_all(shell.tree.work().join("sub")).unwrap();
    let error = shell.call(line("touch ran")).await.unwrap_err().error;
    assert!(error.contains("was not run. The session is in") && shell.place() == "work", "{error}");
    assert!(!shell.tree.work().join("ran").exists());
    assert_eq!(shell.line("touch ran").await, "(no output)");
    std::fs::remove_dir_all(shell.tree.work()).unwrap();
    let error = shell.call(line("echo ran")).await.unwrap_err().error;
    assert!(error.contains("was not run") && shell.place() == "work", "{error}");
}

#[tokio::test]
async fn a_session_that_began_elsewhere_is_not_moved_by_lines_that_stay() {
    let shell = Shell::new();
    // Through a link, and outside: as the host decides.
    *shell.at.cwd.lock().unwrap() = shell.tree.work().join("dirlink");
    assert_eq!(shell.line("cat secret").await, "SECRET");
    assert_eq!((shell.place().as_str(), shell.at.moves.lock().unwrap().len()), ("work/dirlink", 0));
}

// rule: H12
#[tokio::test]
async fn environment_files_count_for_each_line_and_a_line_s_directory_is_followed_all_the_same() {
    let tree = Tree::new();
    let files = vec![
        tree.write("1.sh", "export A=1 B=1; echo noise; cd /; set -e; set -- x y\n"),
        tree.write("it's 2.sh", "export B=2\n"),
        tree.base.join("gone.sh"),
    ];
    let shell = Shell::of(tree, |host| host.with_env_files(move |_| files.clone()));
    assert_eq!(shell.line("echo $A $B $#; false; cd \"$OLDPWD/sub\"").await, "1 2 0");
    assert_eq!(shell.place(), "work/sub");
    let tree = Tree::new();
    let exits = tree.write("exit.sh", "exit 0\n");
    let shell = Shell::of(tree, |host| host.with_env_files(move |_| vec![exits.clone()]));
    let said = shell.line("echo ran").await;
    assert!(said.starts_with("Exit code 125\nan environment file"), "{said}");
}

#[tokio::test]
async fn output_that_is_too_long_is_kept_whole_in_a_private_file() {
    use std::os::unix::fs::PermissionsExt;
    let shell = Shell::new();
    for (command, length) in [
        ("echo start; yes €€€ | head -c 300000; echo; echo end >&2", 300_011),
        ("echo start; head -c 29991 /dev/zero | tr '\\0' x; echo; echo end", 30_002),
        ("echo start; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo end; exit 3", 3_000_011),
    ] {
        let answer = shell.call(line(command)).await;
        let text = said(answer);
        let (shown, file) =
            text.rsplit_once(&format!("The output is {length} bytes long; all of it is in ")).unwrap();
        assert!(shown.contains("start\n") && shown.contains("bytes left out") && shown.ends_with("end\n"));
        assert!(text.chars().count() < 30_300);
        let metadata = Path::new(file).metadata().unwrap();
        assert_eq!((metadata.len(), metadata.permissions().mode() & 0o777), (length, 0o600), "{command}");
        assert!(std::fs::read(file).unwrap().starts_with(b"start\n"));
    }
    let short = shell.line("head -c 29000 /dev/zero | tr '\\0' x").await;
    assert_eq!(short.len(), 29_000);
}

#[tokio::test]
async fn pictures_are_shown_as_what_they_are() {
    let shell = Shell::new();
    for (text, is_image) in [
        ("data:image/png;base64,iVBORw0KGgo=", true),
        ("data:image/svg+xml;base64,iVBORw0KGgo=", false),
        ("data:image/png;base64,<b>", false),
        ("see data:image/png;base64,iVBORw0KGgo=", false),
    ] {
        let output = shell.call(line(&format!("echo '{text}'"))).await.unwrap();
        assert_eq!(output.response["isImage"], is_image, "{text}");
        assert_eq!(output.as_text(), if is_image { "" } else { text });
    }
}

// rule: L0
#[test]
fn what_a_call_can_t_be_is_refused_by_its_field() {
    let shell = Shell::new();
    for (input, named) in [
        (json!({}), "`command`"),
        (json!({"command": " "}), "`command`"),
        (json!({"command": "a\u{0}b"}), "`command`"),
        (json!({"command": "ls", "timeout": 600_001}), "`timeout`"),
        (json!({"command": "ls", "timeout": "5"}), "`timeout`"),
        (json!({"command": "ls", "run_in_background": "yes"}), "`run_in_background`"),
        (json!({"command": "ls", "cwd": "/"}), "`cwd`"),
    ] {
        assert!(shell.bash.check(&object(input.clone())).unwrap_err().contains(named), "{input}");
    }
    let plain = json!({"command": "true", "run_in_background": true, "description": "x", "timeout": 600_000});
    assert_eq!(shell.bash.check(&object(plain)), Ok(()));
}

#[tokio::test]
async fn the_limits_of_lines_are_those_of_the_environment() {
    let limited = |usual: &str, most: &str| {
        let tree = Tree::new();
        let environment = tree.environment().with_var("BASH_DEFAULT_TIMEOUT_MS", usual);
        let environment = environment.with_var("BASH_MAX_TIMEOUT_MS", most);
        Shell::of(tree, |_| Surroundings::new(environment))
    };
    let shell = limited("300", "900000");
    let timeout = &shell.bash.spec().input_schema["properties"]["timeout"];
    assert_eq!(timeout["maximum"], 900_000);
    assert!(timeout["description"].as_str().unwrap().contains("300 by default"), "{timeout}");
    let fits = |ms: u64| shell.bash.check(&object(json!({"command": "ls", "timeout": ms})));
    assert_eq!(fits(900_000), Ok(()));
    assert!(fits(900_001).unwrap_err().contains("from 1 to 900000"));
    assert!(shell.line("echo early; sleep 1000").await.contains("early"));
    for (usual, most, expected) in [("", "", 600_000), ("x", "-5", 600_000), ("700000", "5", 700_000)] {
        let shell = limited(usual, most);
        assert_eq!(shell.bash.spec().input_schema["properties"]["timeout"]["maximum"], expected);
    }
}

// rule: H4
#[tokio::test]
async fn a_deadline_ends_the_whole_group_and_moves_nobody() {
    let shell = Shell::new();
    let command =
        "cd sub; echo early; (trap '' TERM; sleep 1000; sleep 1000) & setsid sleep 1000 & sleep 1000";
    let failure = shell.call(json!({"command": command, "timeout": 500})).await.unwrap_err();
    assert_eq!(
        (failure.error.as_str(), failure.interrupted),
        ("Command timed out after 500 ms\nearly", false)
    );
    assert_eq!(shell.place(), "work");
    tokio::time::timeout(LONG, shell.runner.all_gone()).await.unwrap();
    shell.marker.wait_for(0);
    // The files that its shell wrote while it was ended are also removed.
    let left = || std::fs::read_dir(shell.tasks.directory()).unwrap().count();
    assert!(wait_until(|| left() == 0));
}

// rule: H4
#[tokio::test]
async fn a_cancelled_line_is_released_at_once_and_a_dropped_one_ended() {
    let shell = Shell::new();
    let descriptors = open_descriptors();
    let nest = line("sleep 1000 & setsid sleep 1000 & (sleep 1000; true)");
    let started = || async {
        until("all processes have started", || shell.marker.alive().len() >= 6).await;
    };
    let cancel = CancellationToken::new();
    let (answer, ()) = tokio::join!(shell.call_until(nest.clone(), &cancel), async {
        started().await;
        cancel.cancel();
    });
    let failure = answer.unwrap_err();
    assert_eq!((failure.error.as_str(), failure.interrupted), ("Command was interrupted", true));
    shell.marker.wait_for(0);
    tokio::select! {
        _ = shell.call(nest) => unreachable!("it takes 1000 s"),
        () = started() => {}
    }
    shell.marker.wait_for(0);
    tokio::time::timeout(LONG, shell.runner.all_gone()).await.unwrap();
    assert!(wait_until(|| zombies().is_empty() && open_descriptors() <= descriptors));
    assert_eq!(std::fs::read_dir(shell.tasks.directory()).unwrap().count(), 0);
}

#[tokio::test]
async fn where_nothing_can_be_written_lines_run_all_the_same() {
    let shell = Shell::new();
    shell.tree.write("private", "no directory");
    let text = shell.line("cd sub; echo on").await;
    assert!(text.starts_with("on\nShell cwd can't be followed, the session stays in"), "{text}");
    assert_eq!(shell.place(), "work");
}
