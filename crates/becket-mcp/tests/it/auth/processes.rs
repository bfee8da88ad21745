//! Several processes at once: this program again, each running one test as a job.

use becket_testkit::proc::wait_until_every;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use becket_mcp::auth::{AUTH_NEEDED_TTL, AuthNeeded, FileStore, HeaderAttempt, Key, LoginOptions, Logins};
use becket_testkit::mcp_auth::AuthPlan;
use serde_json::{Value, json};
use std::sync::Arc;

use crate::auth::place::{Place, challenge, enter, refused, target, token};

/// The file with the task of the test when it is run as a job.
const JOB: &str = "job.json";

/// Runs a test of this program in another process, in a directory with a job.
fn start(test: &str, directory: &Path, job: &Value) -> Child {
    std::fs::create_dir_all(directory).unwrap();
    std::fs::write(directory.join(JOB), job.to_string()).unwrap();
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored", "--test-threads=1"])
        .current_dir(directory)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Returns the job; `None` if the test is not run as one. The parent checks its work.
fn job() -> Option<Value> {
    Some(serde_json::from_str(&std::fs::read_to_string(JOB).ok()?).unwrap())
}

/// Waits until all processes are ready, so that they act at the same time.
fn together(job: &Value) {
    let gate = Path::new(job["gate"].as_str().unwrap());
    let mine = gate.join(job["number"].to_string());
    std::fs::write(mine, "").unwrap();
    let all = job["all"].as_u64().unwrap() as usize;
    assert!(becket_testkit::proc::wait_until(|| std::fs::read_dir(gate).unwrap().count() >= all));
}

fn all_good(children: Vec<Child>) {
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
}

// rule: X3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_renew_at_once_renew_once() {
    let (server, place) = (AuthPlan::new().start(), Place::new());
    let target = target(&server);
    enter(&place.logins(), &target, &challenge(&server)).await.unwrap();
    let old = token(&place.logins().headers(&target), HeaderAttempt::First).await.unwrap();
    server.expire();
    let gate = place.directory.path().join("gate");
    std::fs::create_dir(&gate).unwrap();
    let children = (0..3).map(|number| {
        let job = json!({
            "store": place.file(), "url": server.url(), "old": old, "gate": gate, "number": number, "all": 3,
        });
        start("auth::processes::renews", &place.directory.path().join(number.to_string()), &job)
    });
    all_good(children.collect());
    assert_eq!(server.count("refresh_token"), 1);
    let kept = place.kept(&target).await.unwrap();
    assert!(server.takes(kept.access.expose()) && kept.access.expose() != old);
}

#[tokio::test]
#[ignore = "a job of the test above"]
async fn renews() {
    let Some(job) = job() else { return };
    let url = job["url"].as_str().unwrap().parse().unwrap();
    let options = LoginOptions::new(Arc::new(FileStore::new(job["store"].as_str().unwrap())));
    // The clock of the host stands still at another time.
    let options = LoginOptions {
        clock: Arc::new(|| SystemTime::UNIX_EPOCH + Duration::from_secs(1_900_000_001)),
        ..options
    };
    let target =
        becket_mcp::auth::Target { server: "docs".into(), url, oauth: Default::default(), tls: None };
    let source = Logins::new(options).headers(&target);
    let old = job["old"].as_str().unwrap();
    assert_eq!(token(&source, HeaderAttempt::First).await.unwrap(), old);
    together(&job);
    assert_ne!(token(&source, refused()).await.unwrap(), old);
}

// rule: X3
#[test]
fn processes_that_remember_at_once_lose_nothing_and_the_file_is_good_at_each_look() {
    let place = tempfile::tempdir().unwrap();
    let (file, gate) = (place.path().join("needed.json"), place.path().join("gate"));
    std::fs::create_dir(&gate).unwrap();
    let children: Vec<Child> = (0..8)
        .map(|number| {
            let job = json!({"file": file, "gate": gate, "number": number, "all": 8});
            start("auth::processes::remembers", &place.path().join(number.to_string()), &job)
        })
        .collect();
    let looks = std::thread::spawn({
        let file = file.clone();
        move || {
            let mut looks = 0;
            wait_until_every(Duration::from_millis(1), || {
                let (memory, warning) = AuthNeeded::open(&file, AUTH_NEEDED_TTL);
                assert!(warning.is_none(), "{warning:?}");
                looks += 1;
                (0..8).all(|number| memory.is_needed(&key(number, 49), now()).is_some())
            });
            looks
        }
    });
    all_good(children);
    assert!(looks.join().unwrap() > 1);
    let memory = AuthNeeded::open(&file, AUTH_NEEDED_TTL).0;
    for (number, entry) in (0..8).flat_map(|number| (0..50).map(move |entry| (number, entry))) {
        assert!(memory.is_needed(&key(number, entry), now()).is_some(), "{number} {entry}");
    }
}

#[tokio::test]
#[ignore = "a job of the test above"]
async fn remembers() {
    let Some(job) = job() else { return };
    let memory = AuthNeeded::open(job["file"].as_str().unwrap(), AUTH_NEEDED_TTL).0;
    together(&job);
    for entry in 0..50 {
        memory.note(&key(job["number"].as_u64().unwrap(), entry), now()).await.unwrap();
    }
}

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_900_000_000)
}

fn key(number: u64, entry: u64) -> Key {
    Key::new(&format!("server-{number}-{entry}"), &"https://mcp.example/".parse().unwrap())
}
