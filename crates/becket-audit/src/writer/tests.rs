use super::*;
use std::os::unix::fs::{PermissionsExt as _, symlink};

const LIMITS: RotationLimits = RotationLimits { bytes: 1 << 20, files: 4 };

fn append(path: &Path) -> Result<(), AuditError> {
    let body = RecordBody::Begin { machine: "m".into() };
    AuditWriter::new(LogPlace::at(path), LIMITS).append(body)
}

#[test]
fn a_log_is_private_and_what_is_not_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("below/audit-1.jsonl");
    append(&path).expect("it is written");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(&directory.path().join("below"))), (0o600, 0o700));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("its mode can be set");
    let refused = append(&path).expect_err("others may read it");
    assert!(matches!(refused, AuditError::NotPrivate { .. }), "{refused}");
    assert!(refused.to_string().contains("chmod 600"), "{refused}");
}

#[test]
fn a_link_a_directory_and_a_pipe_are_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let real = directory.path().join("real.jsonl");
    append(&real).expect("it is written");
    let link = directory.path().join("audit-1.jsonl");
    symlink(&real, &link).expect("a link can be made");
    let refused = append(&link).expect_err("a link is not followed");
    assert!(matches!(refused, AuditError::File { .. }), "{refused}");
    fs::remove_file(&link).expect("it is removed");
    fs::create_dir(&link).expect("a directory can be made");
    append(&link).expect_err("a directory is not a file");
    let below_file = real.join("audit-1.jsonl");
    let refused = append(&below_file).expect_err("a file is not a directory");
    assert!(matches!(refused, AuditError::File { .. }), "{refused}");
}

#[test]
fn a_log_of_another_user_is_refused() {
    if !rustix::process::geteuid().is_root() {
        println!("SKIPPED: only root can give a file to another user");
        return;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("audit-1.jsonl");
    append(&path).expect("it is written");
    std::os::unix::fs::chown(&path, Some(65_534), None).expect("it can be given away");
    let refused = append(&path).expect_err("it belongs to somebody else");
    assert!(matches!(refused, AuditError::NotPrivate { .. }), "{refused}");
    assert!(refused.to_string().contains("65534"), "{refused}");
}

#[test]
fn a_lock_that_is_never_released_is_given_up() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("audit-1.jsonl");
    append(&path).expect("it is written");
    let held = file_lock::lock_private(&LogPlace::at(&path).lock()).expect("it is locked");
    let refused = append(&path).expect_err("it is locked");
    assert!(matches!(refused, AuditError::Busy { .. }), "{refused}");
    drop(held);
    append(&path).expect("it is free");
}

#[test]
fn a_key_that_is_missing_or_not_private_is_told_and_the_record_is_kept() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("audit-1.jsonl");
    let key = directory.path().join("key");
    let plan = CheckpointPlan { key: &key, every: 1, second_place: None };
    let mut writer = AuditWriter::new(LogPlace::at(&path), LIMITS);
    let mut append = || writer.append_with(RecordBody::Begin { machine: "m".into() }, Some(plan));
    assert!(matches!(append(), Err(AuditError::Key(KeyError::File { .. }))));
    SigningKey::from_seed(&[1; 32]).write_new(&key).expect("it is written");
    append().expect("it is written");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).expect("its mode can be set");
    assert!(matches!(append(), Err(AuditError::Key(KeyError::NotPrivate { .. }))));
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("its mode can be set");
    fs::write(&key, "not a key").expect("it is written");
    assert!(matches!(append(), Err(AuditError::Key(KeyError::NotAKey { .. }))));
    assert_eq!(fs::read_to_string(&path).expect("a log").lines().count(), 6);
}
