//! Writers in separate processes: this test program, started again for [`a_writer`] only.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::team::list::{Change, To};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

fn never() -> CancellationToken {
    CancellationToken::new()
}

/// Adds `count` tasks, each after a mark in task 1 that names it, and prints the number of each once it exists.
async fn write(list: &TaskFile, writer: &str, count: u32) {
    for n in 0..count {
        let mut change = Change::default();
        change.metadata.insert(format!("{writer}-{n}"), true.into());
        list.change("1", change, None, &never()).await.unwrap();
        let id = list.reserve(&never()).await.unwrap();
        let task = ListedTask::new(id.clone(), &format!("{writer}-{n}"), &"long ".repeat(200));
        list.add(task, &never()).await.unwrap();
        let mut stdout = std::io::stdout();
        writeln!(stdout, "added {id}").and_then(|()| stdout.flush()).unwrap();
    }
}

#[test]
#[ignore = "a process of another test, which says on stdin what is to be done"]
fn a_writer() {
    let mut said = String::new();
    std::io::stdin().read_to_string(&mut said).unwrap();
    let [directory, writer, count] = *said.lines().collect::<Vec<_>>() else { return };
    let list = TaskFile::new(Path::new(directory));
    runtime().block_on(write(&list, writer, count.parse().unwrap()));
}

fn start(directory: &Path, writer: &str, count: u32) -> (Child, BufReader<ChildStdout>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "team::list::file::tests::a_writer", "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let wanted = format!("{}\n{writer}\n{count}\n", directory.display());
    child.stdin.take().unwrap().write_all(wanted.as_bytes()).unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    (child, stdout)
}

async fn with_one_task(directory: &Path) -> TaskFile {
    let list = TaskFile::new(directory);
    let id = list.reserve(&never()).await.unwrap();
    list.add(ListedTask::new(id, "the first", ""), &never()).await.unwrap();
    list
}

#[test]
fn eight_processes_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let list = runtime().block_on(with_one_task(directory.path()));
    let writers: Vec<_> = (0..8).map(|n| start(directory.path(), &format!("w{n}"), 50)).collect();
    for (mut child, mut stdout) in writers {
        let mut said = String::new();
        stdout.read_to_string(&mut said).unwrap();
        assert!(child.wait().unwrap().success(), "{said}");
    }
    let tasks = runtime().block_on(list.all(&never())).unwrap();
    let subjects: BTreeSet<&str> = tasks.tasks.iter().skip(1).map(|task| task.subject.as_str()).collect();
    let ids: BTreeSet<&str> = tasks.tasks.iter().map(|task| task.id.as_str()).collect();
    let marks: BTreeSet<&str> = tasks.tasks[0].metadata.keys().map(String::as_str).collect();
    assert_eq!((ids.len(), subjects.len(), marks.len()), (401, 400, 400));
    assert_eq!(subjects, marks);
}

#[test]
fn a_writer_that_is_killed_takes_nothing_with_it_and_holds_nobody_up() {
    let directory = tempfile::tempdir().unwrap();
    let list = runtime().block_on(with_one_task(directory.path()));
    let mut added = BTreeSet::new();
    for round in 0..24_u64 {
        let (mut child, mut stdout) = start(directory.path(), &format!("k{round}"), 10_000);
        let mut line = String::new();
        // Killed at a different moment each time, after its first task.
        while !line.starts_with("added") {
            line.clear();
            assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "the writer ended by itself");
        }
        std::thread::sleep(Duration::from_micros(round * 397 % 5_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        let whole = line.lines().chain(rest.lines().filter(|_| rest.ends_with('\n')));
        added.extend(whole.filter_map(|line| line.strip_prefix("added ")).map(str::to_owned));
        // Its lock was released, and the list is intact.
        let tasks = runtime().block_on(async {
            let to = Change { to: Some(To::Status(Status::Pending)), ..Change::default() };
            list.change("1", to, None, &never()).await.unwrap();
            list.all(&never()).await.unwrap()
        });
        let ids: BTreeSet<String> = tasks.tasks.iter().map(|task| task.id.clone()).collect();
        assert!(added.is_subset(&ids), "lost: {:?}", added.difference(&ids));
        assert_eq!(ids.len(), tasks.tasks.len(), "a number was given twice");
    }
}

#[test]
fn what_is_damaged_is_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(FILE), "{\"tasks\": [").unwrap();
    let refused = runtime().block_on(TaskFile::new(directory.path()).reserve(&never())).unwrap_err();
    assert!(refused.to_string().contains("damaged"), "{refused}");
    assert_eq!(std::fs::read_to_string(directory.path().join(FILE)).unwrap(), "{\"tasks\": [");
}

#[test]
fn it_is_the_user_s_alone() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let own = directory.path().join("teams/t");
    runtime().block_on(with_one_task(&own));
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&own), mode(&own.join(FILE))), (0o700, 0o600));
}
