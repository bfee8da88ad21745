//! Bash with real processes: its answers, and no leftovers.

use crate::support::{Host, Tree, object, until};
use becket_engine::CancellationToken;
use becket_testkit::proc::{Marker, wait_until, zombies};
use serde_json::{Value, json};
use std::future::Future;
use std::time::{Duration, Instant};

/// Returns a host whose commands carry a marker.
fn marked(tree: &Tree) -> (Host, Marker) {
    let marker = Marker::new();
    let (name, value) = marker.env();
    (tree.host_of(becket_tools::Surroundings::new(tree.environment().with_var(name, value))), marker)
}

fn line(command: &str) -> Value {
    json!({"command": command})
}

// rule: H8
#[tokio::test]
async fn an_answer_has_the_shape_that_hooks_know() {
    let tree = Tree::new();
    let answer = tree.host().call("Bash", line("printf 'ran\n'")).await;
    assert_eq!((answer.text.as_str(), answer.is_error), ("ran", false));
    let expected =
        r#"{"stdout":"ran","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}"#;
    assert_eq!(answer.response.to_string(), expected);
}

// rule: H8
#[tokio::test]
async fn output_exit_codes_and_errors_reach_the_model() {
    let tree = Tree::new();
    let host = tree.host();
    for (command, text, is_error) in [
        ("echo out; echo err >&2", "out\nerr", false),
        ("echo out; echo err >&2; exit 3", "Exit code 3\nout\nerr", true),
        ("false", "Exit code 1", true),
        ("true", "(no output)", false),
        ("printf 'a\n\n'", "a\n", false),
        ("printf '  x'", "  x", false),
        ("pwd", &tree.work().display().to_string(), false),
        ("cat", "(no output)", false),
        ("kill -9 $$", "Exit code 137", true),
        ("kill -9 $PPID", "Command was ended by signal 9", true),
        ("nosuchprogram 2>/dev/null", "Exit code 127", true),
        ("set -- a b; echo ${#@} $0", "2 /bin/bash", false),
        ("[[ -n $BASH_VERSION ]] && echo bash", "bash", false),
        ("cd sub; echo done", "done", false),
        ("exec echo replaced", "replaced", false),
        ("exec >&- 2>&-; echo lost", "Exit code 1", true),
        ("printf '\\xff\\n'", "\u{fffd}", false),
        ("env | grep -c CARGO_MANIFEST_DIR", "Exit code 1\n0", true),
    ] {
        let answer = host.call("Bash", line(command)).await;
        assert_eq!((answer.text.as_str(), answer.is_error), (text, is_error), "{command}");
    }
}

// rule: H8
#[tokio::test]
async fn the_environment_is_the_one_that_was_handed_in_whole() {
    let tree = Tree::new();
    let environment =
        tree.environment().with_var("A", "x y\nz").with_var("BASH_FUNC_f%%", "() { echo from f; }");
    let host = tree.host_of(becket_tools::Surroundings::new(environment));
    assert_eq!(host.call("Bash", line("echo \"$A\"; f")).await.text, "x y\nz\nfrom f");
    let names =
        host.call("Bash", line("env -0 | tr '\\n\\0' ' \\n' | cut -d= -f1 | sort | tr '\\n' ' '")).await.text;
    assert_eq!(names.trim(), "A BASH_FUNC_f%% HOME OLDPWD PATH PWD SHLVL _".replace("OLDPWD ", ""));
}

// rule: H12
#[tokio::test]
async fn environment_files_are_evaluated_in_order_and_the_last_wins() {
    let tree = Tree::new();
    let first = tree.write("1.sh", "export A=1 B=1; echo noise; echo noise >&2; f() { :; }\nset -e\n");
    let second = tree.write("it's 2.sh", "export B=2\n");
    let files = vec![first, second, tree.base.join("gone.sh")];
    let host = tree.host_of(tree.surroundings().with_env_files(move |session| {
        assert_eq!(session.as_str(), "s");
        files.clone()
    }));
    let answer = host.call("Bash", line("echo $A $B; false; echo on; declare -F f; exit 4")).await;
    assert_eq!(answer.text, "Exit code 4\n1 2\non");
    let exits = tree.write("exit.sh", "exit 0\n");
    let host = tree.host_of(tree.surroundings().with_env_files(move |_| vec![exits.clone()]));
    let answer = host.call("Bash", line("echo ran")).await;
    assert!(answer.is_error && !answer.text.contains("ran\n"), "{}", answer.text);
    assert!(answer.text.starts_with("Exit code 125\nan environment file"), "{}", answer.text);
}

// rule: H8
#[tokio::test]
async fn long_output_keeps_its_beginning_and_its_end() {
    let tree = Tree::new();
    let answer =
        tree.host().call("Bash", line("echo start; yes €€€ | head -c 3000000; echo end; echo err >&2")).await;
    let stdout = answer.response["stdout"].as_str().unwrap();
    assert!(stdout.starts_with("start\n€€€\n") && stdout.ends_with("\nend"));
    assert!(stdout.chars().count() <= 30_100 && stdout.contains("bytes left out"));
    assert_eq!(answer.response["stderr"], "err");
}

// rule: H8
#[tokio::test]
async fn what_a_call_can_t_be_is_refused_by_its_field() {
    let tree = Tree::new();
    let host = tree.host();
    for (input, named) in [
        (json!({}), "`command`"),
        (json!({"command": " "}), "`command`"),
        (json!({"command": "a\u{0}b"}), "`command`"),
        (json!({"command": "ls", "timeout": 600_001}), "`timeout`"),
        (json!({"command": "ls", "timeout": 0}), "`timeout`"),
        (json!({"command": "ls", "run_in_background": true}), "`run_in_background`"),
        (json!({"command": "ls", "cwd": "/"}), "`cwd`"),
    ] {
        let answer = host.call("Bash", input.clone()).await;
        assert!(answer.is_error && answer.text.contains(named), "{input}: {}", answer.text);
        assert!(host.tools.check("Bash", &object(input)).unwrap_err().contains(named));
    }
    let plain = json!({"command": "true", "run_in_background": false, "description": "x", "timeout": 5000});
    assert_eq!(host.tools.check("Bash", &object(plain)), Ok(()));
    let mut gone = host.clone();
    gone.session.cwd = tree.base.join("gone");
    let answer = gone.call("Bash", line("ls")).await;
    assert!(answer.is_error && answer.text.contains("working directory"), "{}", answer.text);
}

#[tokio::test]
async fn commands_that_print_nothing_are_told_apart() {
    let tree = Tree::new();
    for (command, silent) in [("touch x && mkdir y", true), ("touch x; ls", false), ("cd sub", true)] {
        let answer = tree.host().call("Bash", line(command)).await;
        assert_eq!(answer.response["noOutputExpected"], silent, "{command}");
    }
    let answer = tree.host().call("Bash", line("echo data:image/png; echo base64,AAAA")).await;
    assert_eq!(answer.response["isImage"], false, "the shell splits at the semicolon");
    let answer = tree.host().call("Bash", line("echo 'data:image/png;base64,AAAA'")).await;
    assert_eq!(answer.response["isImage"], true);
}

// rules: H8, D11
#[tokio::test]
async fn a_response_that_a_hook_rewrote_is_shown_if_it_has_the_shape() {
    let tree = Tree::new();
    let host = tree.host();
    let response = json!({"stdout": "a", "stderr": "b", "interrupted": false});
    assert_eq!(host.text_of("Bash", &response).as_deref(), Some("a\nb"));
    for (tool, response) in
        [("Bash", json!("text")), ("Bash", json!({"stdout": 1})), ("Other", json!({"stdout": ""}))]
    {
        assert_eq!(host.text_of(tool, &response), None, "{tool} {response}");
    }
}

/// Command lines that leave processes behind.
const LEFTOVERS: [&str; 4] = [
    "sleep 1000 & echo done",
    "(trap '' TERM; sleep 1000; sleep 1000) & echo done",
    "nohup sleep 1000 >/dev/null 2>&1 & echo done",
    "sh -c 'sleep 1000 & sleep 1000 & wait' >/dev/null 2>&1 & disown; echo done",
];

// rules: H4, H8
#[tokio::test]
async fn what_a_line_leaves_in_the_background_is_ended_with_the_call() {
    let tree = Tree::new();
    let (host, marker) = marked(&tree);
    for command in LEFTOVERS {
        let began = Instant::now();
        let answer = host.call("Bash", line(command)).await;
        assert_eq!((answer.text.as_str(), answer.is_error), ("done", false), "{command}");
        assert!(began.elapsed() < Duration::from_secs(60), "{command} was waited for");
        marker.wait_for(0);
    }
    assert!(wait_until(|| zombies().is_empty()));
}

// rules: H4, H8
#[tokio::test]
async fn a_deadline_ends_the_whole_group() {
    let tree = Tree::new();
    let (host, marker) = marked(&tree);
    let command =
        json!({"command": "echo early; (trap '' TERM; sleep 1000; sleep 1000) & sleep 1000", "timeout": 300});
    let answer = host.call("Bash", command).await;
    assert_eq!(answer.text, "Command timed out after 300 ms\nearly");
    assert!(answer.is_error && answer.response["interrupted"] == true);
    marker.wait_for(0);
}

/// Runs `call` until the line has started, then passes it to `then`.
async fn once_started<T>(marker: &Marker, call: impl Future<Output = T>, then: impl FnOnce()) -> Option<T> {
    let started = async {
        until("the line has started", || marker.alive().len() >= 4).await;
        then();
    };
    tokio::pin!(call);
    tokio::select! {
        answer = &mut call => return Some(answer),
        () = started => {}
    }
    tokio::time::timeout(Duration::from_secs(60), call).await.ok()
}

const NEST: &str = "sleep 1000 & (sleep 1000; true)";

// rules: H4, H8
#[tokio::test]
async fn a_cancelled_call_is_released_at_once_and_leaves_nothing() {
    let tree = Tree::new();
    let (host, marker) = marked(&tree);
    let cancel = CancellationToken::new();
    let call = host.call_until("Bash", line(NEST), &cancel);
    let answer = once_started(&marker, call, || cancel.cancel()).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.is_error), ("Command was interrupted", true));
    marker.wait_for(0);
    let early = host.call_until("Bash", line("echo ran"), &cancel).await;
    assert!(early.is_error && early.text == "Command was interrupted", "{}", early.text);
}

// rules: H4, H8
#[tokio::test]
async fn a_dropped_call_leaves_nothing() {
    let tree = Tree::new();
    let (host, marker) = marked(&tree);
    {
        let cancel = CancellationToken::new();
        let call = host.call_until("Bash", line(NEST), &cancel);
        tokio::select! {
            _ = call => unreachable!("it takes 1000 s"),
            () = async {
                becket_testkit::wait::until("the whole nest runs", || marker.alive().len() >= 4).await;
            } => {}
        }
    }
    marker.wait_for(0);
    assert!(wait_until(|| zombies().is_empty()));
}

// rule: H8
#[tokio::test]
async fn many_calls_at_once_do_not_mix() {
    let tree = Tree::new();
    let host = tree.host();
    let one = |number: usize| {
        let host = host.clone();
        tokio::spawn(async move { host.call("Bash", line(&format!("echo {number}; exit {number}"))).await })
    };
    let running: Vec<_> = (0..20).map(one).collect();
    for (number, call) in running.into_iter().enumerate() {
        let answer = call.await.unwrap();
        let expected = if number == 0 { "0".to_owned() } else { format!("Exit code {number}\n{number}") };
        assert_eq!(answer.text, expected);
    }
}
