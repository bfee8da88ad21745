//! Places that do not exist, no longer exist, or can't be written to.

use crate::hard::place::{GO_ON, GONE_ON, Place, bash, call, hook, hooks, id, results};
use becket_testkit::messages_api::Turn;
use serde_json::json;
use std::fs;

// rules: L2, H2
#[test]
fn a_project_that_is_deleted_in_the_middle_is_told_of_and_the_session_goes_on() {
    let settings = hooks(&[("PreToolUse", vec![hook("true")]), ("Stop", vec![hook("true")])]);
    let mut turn = 0;
    let place = Place::with(&settings, move |_| {
        turn += 1;
        match turn {
            // The user would be asked about `rm` (P14).
            1 => Turn::calls([bash("t1", "python3 -c 'import os, shutil; shutil.rmtree(os.getcwd())'")]),
            2 => Turn::calls([bash("t2", "pwd")]),
            3 => Turn::calls([call("t3", "Write", json!({"file_path": "new.txt", "content": "x"}))]),
            _ => Turn::text("Done."),
        }
    });
    let id = id(1);
    let (result, ended) = place.result(&["--session-id", &id, "Work."]);
    let project = place.env.project();
    assert_eq!((result["result"].as_str(), ended.code), (Some("Done."), Some(0)), "{ended:?}");
    assert_eq!(place.server.wrongs(), Vec::<String>::new());
    let requests = place.server.requests();
    let (_, failed, told) = &results(&requests[2])[0];
    assert!(*failed && told.contains(&*project.to_string_lossy()), "{told}");
    // The directory must be created again to resume the session; until then the error says so.
    drop(fs::remove_dir_all(&project));
    let root = place.env.root().to_owned();
    let here = project.to_string_lossy().into_owned();
    let ended = place.run(&["-C", &here, "--resume", &id, GO_ON]).dir(&root).run();
    assert!(ended.code == Some(1) && ended.stderr.contains(&here), "{ended:?}");
    fs::create_dir(&project).expect("it can be made again");
    place.goes_on(&id, "the project is there again");
}

// rules: L2, L3
#[test]
fn a_home_that_cant_be_written_is_told_of() {
    let place = Place::with(&hooks(&[]), |_| Turn::text("Done."));
    // Root may write anywhere, but not below a file.
    let home = place.env.write("no-home", "a file");
    let ended = place.run(&["Work."]).env_os("HOME", &home).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{ended:?}");
    for said in ["can't open the transcript", &*home.to_string_lossy()] {
        assert!(ended.stderr.contains(said), "{said}: {ended:?}");
    }
    place.nobody_is_left();
}

// rules: L2, D10
#[test]
fn a_transcript_that_is_deleted_in_the_middle_is_written_again() {
    let mut turn = 0;
    let place = Place::with(&hooks(&[]), move |_| {
        turn += 1;
        match turn {
            1 => Turn::calls([bash("t1", "rm -rf ~/.becket ~/.claude ~/.local")]),
            _ => Turn::text("Done."),
        }
    });
    let id = id(2);
    let (result, ended) = place.result(&["--session-id", &id, "Work."]);
    assert_eq!((result["result"].as_str(), ended.code), (Some("Done."), Some(0)), "{ended:?}");
    place.goes_on(&id, "it was deleted");
    assert!(
        place.server.requests().last().is_some_and(|body| body.to_string().contains("rm -rf")),
        "{GONE_ON}"
    );
}
