//! Places of transcripts, their permissions and locks, and the errors for a broken place.

use crate::transcript::fixture::{CWD, Home, ID, a_session, counted, cwd, text, whole};
use becket_agent::conversation::Conversation;
use becket_agent::transcript::{AppendError, Note, Store, StoreError};
use serde_json::Value;
use std::fs;
use std::path::Path;

const OTHER: &str = "1b9a4a5e-5b1c-4e1f-8a53-1f0f4a1f0a11";

#[cfg(unix)]
#[test]
fn files_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let root = home.dir.path().join("deep/root");
    let mut log = Store::new(&root).create(cwd(), Some(ID)).unwrap();
    drop(a_session(&mut log));
    drop(log.subagent("a").unwrap());
    let session = log.path().to_owned();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&session), 0o600);
    for directory in session.ancestors().skip(1).take_while(|path| *path != home.dir.path()) {
        assert_eq!(mode(directory), 0o700, "{}", directory.display());
    }
    assert_eq!(mode(&session.with_extension("").join("subagents")), 0o700);
}

#[test]
fn lines_are_shaped_as_other_agents_know_them() {
    let home = Home::new();
    let mut log = home.create();
    drop(a_session(&mut log));
    let written = fs::read_to_string(home.path()).unwrap();
    let lines: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut last = Value::Null;
    for line in &lines {
        assert_eq!(line["parentUuid"], last);
        assert_eq!(
            (&line["sessionId"], &line["cwd"], &line["isSidechain"]),
            (&ID.into(), &CWD.into(), &false.into())
        );
        assert!(line["timestamp"].as_str().unwrap().starts_with("2027-01-15T08:00:"), "{line}");
        // Facts are beside the chain of messages.
        if !matches!(line["type"].as_str(), Some("custom-title" | "mode")) {
            last = line["uuid"].clone();
        }
    }
    let kinds: Vec<String> = lines
        .iter()
        .map(|line| {
            [&line["type"], &line["kind"]]
                .iter()
                .filter_map(|kind| kind.as_str())
                .collect::<Vec<_>>()
                .join(" ")
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "custom-title",
            "mode",
            "system",
            "user reminder",
            "user",
            "user reminder",
            "assistant",
            "user",
            "user reminder",
            "user",
            "user reminder",
            "assistant",
            "user feedback"
        ]
    );
    assert_eq!(lines[4]["message"], serde_json::json!({"role": "user", "content": "tidy up"}));
    assert_eq!(lines[3]["isMeta"], true);
    assert_eq!(lines[12]["isMeta"], true);
    assert_eq!(lines[6]["message"]["usage"]["input_tokens"], 1_000);
}

#[test]
fn a_second_writer_is_told_so() {
    let home = Home::new();
    let mut log = home.create();
    drop(a_session(&mut log));
    assert!(log.is_guarded());
    let error = home.store.resume(cwd(), ID).unwrap_err();
    assert!(matches!(error, StoreError::InUse { .. }), "{error}");
    assert!(error.to_string().contains("is in use by another process"));
    // A fork of what is there so far is fine, and so is the session once its writer has gone.
    let (fork, _) = home.store.fork(cwd(), ID, Some(OTHER)).unwrap();
    assert!(matches!(home.store.resume(cwd(), OTHER), Err(StoreError::InUse { .. })));
    drop((log, fork));
    assert!(home.store.resume(cwd(), ID).is_ok() && home.store.resume(cwd(), OTHER).is_ok());
}

#[test]
fn an_id_from_outside_leads_nowhere_else() {
    let home = Home::new();
    fs::write(home.dir.path().join("secret.jsonl"), "{}\n").unwrap();
    for wrong in ["", "..", "../../secret", "/etc/passwd", "x", "0b9a4a5e-5b1c-4e1f-8a53-1f0f4a1f0a1\0"] {
        let bad = |error| matches!(error, StoreError::BadId { .. });
        assert!(home.store.create(cwd(), Some(wrong)).is_err_and(bad), "{wrong}");
        assert!(home.store.resume(cwd(), wrong).is_err_and(bad), "{wrong}");
        assert!(home.store.fork(cwd(), wrong, None).is_err_and(bad), "{wrong}");
        assert_eq!(home.store.find(cwd(), wrong), None);
    }
    assert!(matches!(home.store.resume(cwd(), OTHER), Err(StoreError::Unknown { .. })));
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_waited_for() {
    let home = Home::new();
    fs::create_dir_all(home.path()).unwrap();
    assert!(matches!(home.store.resume(cwd(), ID), Err(StoreError::Unknown { .. })));
    assert!(home.store.create(cwd(), Some(ID)).is_err());
    fs::remove_dir(home.path()).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, home.path(), rustix::fs::Mode::RWXU).unwrap();
    assert!(matches!(home.store.resume(cwd(), ID), Err(StoreError::Unknown { .. })));
    assert_eq!(home.store.list(cwd()).unwrap(), []);
}

#[test]
fn a_session_in_which_nothing_happened_leaves_no_file() {
    let home = Home::new();
    let log = home.create();
    assert!(home.path().exists() && home.store.list(cwd()).unwrap().is_empty());
    assert!(matches!(home.store.create(cwd(), Some(ID)), Err(StoreError::Exists { .. })));
    drop(log);
    assert!(!home.path().exists());
    assert!(home.store.create(Path::new("/elsewhere"), Some(ID)).is_ok());
}

#[test]
fn the_newest_session_of_a_directory_is_gone_on_with() {
    let home = Home::new();
    assert_eq!(home.store.latest(cwd()).unwrap(), None);
    let mut first = home.create();
    drop(a_session(&mut first));
    // Of the same name, but another directory.
    let twin = Path::new("/work/my-app");
    let mut other = home.store.create(twin, Some(OTHER)).unwrap();
    let mut said = Conversation::default();
    said.say(text("in the twin")).unwrap();
    other.append(said.take_entries(), twin).unwrap();
    assert_eq!(home.store.latest(cwd()).unwrap().as_deref(), Some(ID));
    assert_eq!(home.store.latest(twin).unwrap().as_deref(), Some(OTHER));
    let listed = home.store.list(cwd()).unwrap();
    assert_eq!(
        (listed[0].title.as_deref(), listed[0].prompt.as_deref()),
        (Some("Tidy \"up\""), Some("tidy up"))
    );
    let (mut fork, _) = home.store.fork(cwd(), ID, None).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    fs::File::options().append(true).open(fork.path()).unwrap().set_modified(later).unwrap();
    assert_eq!(home.store.latest(cwd()).unwrap().as_deref(), Some(fork.session()));
    assert_eq!(home.store.list(cwd()).unwrap().len(), 2);
    fork.note(&Note::Title("A fork".into()), cwd()).unwrap();
    assert!(home.store.list(cwd()).unwrap().iter().any(|one| one.title.as_deref() == Some("A fork")));
    // A session is found from any directory.
    drop(first);
    assert_eq!(home.store.resume(Path::new("/elsewhere"), ID).unwrap().0.path(), home.path());
}

// rule: L2
#[test]
fn a_fork_goes_its_own_way() {
    let home = Home::new();
    let mut log = home.create();
    let conversation = a_session(&mut log);
    let before = fs::read(home.path()).unwrap();
    let (mut fork, restored) = home.store.fork(Path::new("/elsewhere"), ID, Some(OTHER)).unwrap();
    assert_eq!(restored.title.as_deref(), Some("Tidy \"up\""));
    let mut forked = whole(restored);
    assert_eq!(forked.messages(), conversation.messages());
    forked.say(text("another way")).unwrap();
    fork.append(forked.take_entries(), cwd()).unwrap();
    assert_eq!(fs::read(home.path()).unwrap(), before);
    let written = fs::read_to_string(fork.path()).unwrap();
    assert!(written.contains(OTHER) && !written.contains(ID));
    assert_eq!(home.store.latest(Path::new("/elsewhere")).unwrap().as_deref(), Some(OTHER));
    assert!(matches!(home.store.fork(cwd(), ID, Some(OTHER)), Err(StoreError::Exists { .. })));
}

#[cfg(unix)]
#[test]
fn a_directory_that_is_deleted_comes_back() {
    let home = Home::new();
    let mut log = home.create();
    let mut conversation = a_session(&mut log);
    let projects = home.dir.path().join("projects");
    fs::remove_dir_all(&projects).unwrap();
    // A file where the directory was: it can't be made again.
    fs::write(&projects, "").unwrap();
    conversation.say(text("first")).unwrap();
    let error = log.append(conversation.take_entries(), cwd()).unwrap_err();
    assert!(matches!(error, AppendError::Gone { .. }), "{error}");
    conversation.beside("second");
    assert!(log.append(conversation.take_entries(), cwd()).is_err());
    assert_eq!(log.waiting(), 2);
    fs::remove_file(&projects).unwrap();
    log.append(conversation.take_entries(), cwd()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((log.waiting(), log.is_guarded()), (0, true));
    assert!(
        matches!(home.store.resume(cwd(), ID), Err(StoreError::InUse { .. })),
        "the new file is held, too"
    );
    drop(log);
    let (_, restored) = home.resume();
    assert_eq!(restored.damage, []);
    assert_eq!(whole(restored).messages(), conversation.messages());
}

#[test]
fn what_is_big_is_kept_whole() {
    let home = Home::new();
    let mut log = home.create();
    let mut conversation = Conversation::default();
    conversation.say(text(&"0123456789".repeat(500_000))).unwrap();
    log.append(conversation.take_entries(), cwd()).unwrap();
    drop(log);
    assert_eq!(whole(home.resume().1).messages(), conversation.messages());
}

#[test]
fn names_and_times_are_lent_or_made() {
    let home = Home::new();
    let made = Store::new(home.dir.path()).create(cwd(), None).unwrap();
    let lent = home.store.create(cwd(), None).unwrap();
    assert!(lent.session().starts_with("00000000-0000-4000-8000-") && made.session() != lent.session());
    assert!(format!("{:?}", counted()).starts_with("Lent"));
}
