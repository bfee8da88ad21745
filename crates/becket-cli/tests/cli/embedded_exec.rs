//! `Session::exec` of `becket-embed`: programs of a host under the rules of its session (E1–E3, E5). It is tested here
//! because this package contains a program that supervises.

use crate::env_with;
use becket_embed::models::{Choice, models};
use becket_embed::{ExecReport, ExecRequest, Host, NotExecuted, Open};
use becket_engine::{CancellationToken, Environment, Profile};
use becket_testkit::env::TestEnv;
use becket_testkit::wait::until;
use becket_tools::shell::ExecError;
use serde_json::{Value, json};

const BECKET: &str = env!("CARGO_BIN_EXE_becket");

fn request(program: &str, args: &[&str]) -> ExecRequest {
    let args = args.iter().map(|text| (*text).to_owned()).collect();
    ExecRequest { program: program.to_owned(), args, becket: Some(BECKET.into()), ..ExecRequest::default() }
}

fn sh(line: &str) -> ExecRequest {
    request("sh", &["-c", line])
}

fn exec_until(
    env: &TestEnv,
    request: &ExecRequest,
    cancelled_at: Option<&str>,
) -> Result<ExecReport, NotExecuted> {
    let root = env.root();
    let environment = Environment::empty()
        .with_var("PATH", "/usr/local/bin:/usr/bin:/bin")
        .with_home(root.join("home"))
        .with_temp(root.join("tmp"));
    let host = Host {
        models: models(&Choice::default(), &environment).expect("models"),
        environment,
        profile: Profile::claude(),
        settings: None,
        plugins: Vec::new(),
        managed: Some(root.join("managed")),
        strict: false,
        private: root.join("private"),
    };
    let open: Open = serde_json::from_value(json!({"start": env.project()})).expect("options");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let session = host.open(open, CancellationToken::new(), |builder| builder).expect("a session");
        let cancel = session.cancel().child_token();
        if let Some(name) = cancelled_at {
            let (cancel, file) = (cancel.clone(), env.project().join(name));
            tokio::spawn(async move {
                until("the program has begun", || file.exists()).await;
                cancel.cancel();
            });
        }
        let report = session.exec(request, &cancel).await;
        session.close().await;
        report
    })
}

fn exec(env: &TestEnv, request: &ExecRequest) -> Result<ExecReport, NotExecuted> {
    exec_until(env, request, None)
}

fn ran(env: &TestEnv, request: &ExecRequest) -> ExecReport {
    exec(env, request).unwrap_or_else(|why| panic!("{why}"))
}

fn rules(deny: &[&str], ask: &[&str]) -> TestEnv {
    env_with(&json!({"permissions": {"deny": deny, "ask": ask}}).to_string())
}

// rules: E1, E3
#[test]
fn a_program_is_run_and_a_denied_one_is_not() {
    let env = rules(&["Bash(touch *release*)"], &["Bash(mkdir *)"]);
    env.write("project/Makefile", "all:\n\t@touch notes\n\t@sh ./release.sh\n");
    env.write("project/release.sh", "name=release-1\ntouch $name\nmkdir d\necho last >&2; exit 7\n");
    let report = ran(&env, &request("make", &["-s"]));
    assert!(env.project().join("notes").exists() && !env.project().join("release-1").exists(), "{report:?}");
    assert!(!env.project().join("d").exists(), "nobody was there to ask: {report:?}");
    let [touch, mkdir] = &*report.denied else { panic!("{report:?}") };
    assert_eq!(
        (touch.command.as_str(), touch.chain.join(" ")),
        ("touch release-1", "make sh touch".to_owned())
    );
    assert!(
        touch.reason.contains("Bash(touch *release*)") && mkdir.reason.contains("nobody to ask"),
        "{report:?}"
    );
    assert!(report.stderr.contains("last\n") && report.stderr.contains("was not run"), "{report:?}");
    assert_eq!(report.code, 2, "make's own");
}

#[test]
fn the_code_the_streams_the_directory_and_the_variables_are_those_of_the_program() {
    let env = rules(&[], &[]);
    env.write("project/inside/file", "");
    let mut request = sh("pwd; echo \"$GREETING\" >&2; read line; echo \"read $?\"; kill -9 $$");
    request.cwd = Some("inside".into());
    request.env.insert("GREETING".to_owned(), Some("hello".to_owned()));
    request.env.insert("HOME".to_owned(), None);
    let report = ran(&env, &request);
    let inside = env.project().join("inside").canonicalize().expect("a directory");
    assert_eq!(report.stdout, format!("{}\nread 1\n", inside.display()));
    assert_eq!((report.stderr.as_str(), report.code), ("hello\n", 137), "{report:?}");
    let mut request = sh("head -c 100000 /dev/zero; echo x >&2");
    request.max_output_bytes = Some(10);
    let report = ran(&env, &request);
    assert!(report.stdout.len() == 10 && report.stderr == "x\n" && report.is_cut, "{report:?}");
}

// rule: E5
#[test]
fn rights_of_the_settings_hold_and_what_they_refuse_is_in_the_report() {
    let env = rules(&[], &[]);
    let sandbox = json!({"enabled": true, "filesystem": {"denyRead": ["~/secret"]}});
    env.write("home/.claude/settings.json", json!({"sandbox": sandbox}).to_string());
    env.write("home/secret/key", "hidden");
    let report = ran(
        &env,
        &sh("echo a > in; touch ../out; cat ../home/secret/key; curl -s http://127.0.0.1:9/; true"),
    );
    assert!(env.project().join("in").exists() && !env.root().join("out").exists(), "{report:?}");
    assert!(!report.stdout.contains("hidden"), "{report:?}");
    let has = |right: &str, target: &str| {
        let named = |refusal: &&becket_embed::exec::ExecRefusal| {
            refusal.right == right && refusal.target.as_deref().unwrap_or_default().ends_with(target)
        };
        report
            .refusals
            .iter()
            .any(|refusal| named(&refusal) && refusal.chain.first().is_some_and(|first| first == "sh"))
    };
    assert!(has("write", "/out") && has("read", "/secret/key") && has("socket", ""), "{report:?}");
    // With an unreadable right, nothing runs.
    env.write(
        "project/.claude/settings.json",
        json!({"sandbox": {"filesystem": {"denyRead": 7}}}).to_string(),
    );
    match exec(&env, &sh("echo ran")) {
        Err(NotExecuted::Exec(ExecError::NothingRun { why })) => {
            assert!(why.contains("can't be read"), "{why}")
        }
        other => panic!("{other:?}"),
    }
}

// rules: E2, E7
#[test]
fn what_has_no_exit_code_is_an_error_of_its_own() {
    let env = rules(&["Bash(git push *)"], &[]);
    match exec(&env, &request("no-such-program", &[])) {
        Err(NotExecuted::Exec(ExecError::NothingRun { why })) => {
            assert!(why.contains("no-such-program"), "{why}")
        }
        other => panic!("{other:?}"),
    }
    let mut request = sh("(setsid sleep 300; touch late) & touch begun; sleep 300");
    request.timeout_ms = Some(300);
    assert!(matches!(exec(&env, &request), Err(NotExecuted::Exec(ExecError::TimedOut { .. }))));
    request.timeout_ms = None;
    // Under load, the first one may not have got that far.
    drop(std::fs::remove_file(env.project().join("begun")));
    let cancelled = exec_until(&env, &request, Some("begun"));
    assert!(matches!(cancelled, Err(NotExecuted::Exec(ExecError::Cancelled))), "{cancelled:?}");
    request.becket = None;
    assert!(matches!(exec(&env, &request), Err(NotExecuted::NoSupervisor)));
    request.becket = Some("/bin/true".into());
    let lost = exec(&env, &request);
    assert!(matches!(lost, Err(NotExecuted::Exec(ExecError::Lost { .. }))), "{lost:?}");
    request.becket = Some("/missing/becket".into());
    let missing = exec(&env, &request);
    assert!(matches!(missing, Err(NotExecuted::Exec(ExecError::Supervisor { .. }))), "{missing:?}");
    request.program.clear();
    assert!(matches!(exec(&env, &request), Err(NotExecuted::Wrong(_))));
    let unknown: Result<ExecRequest, _> = serde_json::from_value(json!({"program": "ls", "shell": true}));
    assert!(unknown.is_err());
    let _: Value = serde_json::to_value(ran(&env, &sh("true"))).expect("JSON");
}
