use super::*;

/// Locks the mailbox of `ann`, so that nothing can be put into it.
fn held(directory: &Path) -> std::fs::File {
    let place = directory.join("teams/duo/mail/s1");
    std::fs::create_dir_all(&place).unwrap();
    let lock = std::fs::File::create(place.join("ann.lock")).unwrap();
    lock.lock().unwrap();
    lock
}

// rule: L3
#[tokio::test]
async fn a_message_that_lies_in_its_box_is_looked_for_though_its_sender_has_given_up() {
    let directory = tempfile::TempDir::new().unwrap();
    let team = Team::with_teammates(directory.path(), Some("duo")).unwrap();
    let (session, cancelled, never) =
        (Session::new("s1", "/s1.jsonl", "/"), CancellationToken::new(), CancellationToken::new());
    cancelled.cancel();
    assert!(team.roster().join("ann", AgentId::from("a1")));
    let mail = || Mail::new(LEAD, "go on", None);
    let lock = held(directory.path());
    let posted = team.post("ann", mail(), &session, &cancelled).await;
    assert!(matches!(posted, Err(MailError::File(SharedFileError::Halted(_)))));
    assert!(!team.roster().looks("ann"), "nothing lies there, and nobody is set to work");
    lock.unlock().unwrap();
    // As if the call was cancelled at the moment when the message was written.
    team.boxes(&session).post("ann", mail(), &never).await.unwrap();
    let _lock = held(directory.path());
    assert!(team.post("ann", mail(), &session, &cancelled).await.is_err());
    assert_eq!(team.mail(Some("ann"), &session).await.unwrap().len(), 1);
}
