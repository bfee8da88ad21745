use super::*;
use crate::writer::{AuditWriter, CheckpointPlan, RotationLimits};
use std::fs;

const LIMITS: RotationLimits = RotationLimits { bytes: 1 << 20, files: 4 };

struct Log {
    directory: tempfile::TempDir,
    key: SigningKey,
}

impl Log {
    fn new() -> Self {
        let log = Log {
            directory: tempfile::tempdir().expect("a directory"),
            key: SigningKey::from_seed(&[7; 32]),
        };
        log.key.write_new(&log.path("key")).expect("the key is written");
        log
    }

    /// Creates a log of 12 records, with a statement about every third.
    fn written() -> Self {
        let log = Log::new();
        (0..8).for_each(|_| log.append(LIMITS));
        log
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn place(&self) -> LogPlace {
        LogPlace::at(&self.path("log/audit-1.jsonl"))
    }

    fn exported(&self) -> PathBuf {
        self.place().checkpoints(&self.path("second"))
    }

    fn append(&self, limits: RotationLimits) {
        let (key, second) = (self.path("key"), self.path("second"));
        let plan = CheckpointPlan { key: &key, every: 3, second_place: Some(&second) };
        let body = RecordBody::Begin { machine: "m".into() };
        AuditWriter::new(self.place(), limits).append_with(body, Some(plan)).expect("it is written");
    }

    fn text(&self) -> String {
        fs::read_to_string(self.place().current()).expect("a log")
    }

    fn lines(&self) -> Vec<String> {
        self.text().lines().map(str::to_owned).collect()
    }

    fn put(&self, lines: &[String]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(self.place().current(), text).expect("it is written");
    }

    fn report(&self) -> Report {
        let exported = self.exported();
        let exported = exported.exists().then_some(exported);
        let key = self.key.verifying();
        verify(&self.place(), exported.as_deref(), Some(&key), Timestamp::now()).expect("it can be read")
    }

    fn errors(&self) -> Vec<FindingKind> {
        let findings = self.report().findings.into_iter();
        findings.map(|finding| finding.kind).filter(|kind| kind.is_error()).collect()
    }

    fn kinds(&self) -> Vec<FindingKind> {
        self.report().findings.into_iter().map(|finding| finding.kind).collect()
    }
}

#[test]
fn a_log_that_nobody_has_touched_is_whole() {
    let log = Log::written();
    let report = log.report();
    assert!(report.is_whole(), "{report:?}");
    // Records 0 and 1, then 2, which statement 3 covers, and so on.
    let lines = log.lines();
    assert_eq!((report.records, report.range), (lines.len() as u64, Some((0, lines.len() as u64 - 1))));
    assert!(report.signed_to.is_some_and(|signed| signed + 4 > report.records), "{report:?}");
    assert_eq!(fs::read_to_string(log.exported()).expect("statements").lines().count(), 4);
}

#[test]
fn an_edited_line_is_found_wherever_it_is() {
    let log = Log::written();
    let lines = log.lines();
    for at in 0..lines.len() {
        let mut edited = lines.clone();
        edited[at] = edited[at].replace("\"pid\":", "\"pid\":1");
        log.put(&edited);
        let is_signed_or_followed = at + 1 < lines.len();
        assert_eq!(log.errors().contains(&FindingKind::Edited), is_signed_or_followed, "line {at}");
    }
}

#[test]
fn a_line_that_is_gone_or_moved_is_found() {
    let log = Log::written();
    let lines = log.lines();
    for at in 1..lines.len() - 1 {
        let mut without = lines.clone();
        without.remove(at);
        log.put(&without);
        assert!(log.errors().contains(&FindingKind::Gap), "line {at}");
        let mut swapped = lines.clone();
        swapped.swap(at, at + 1);
        log.put(&swapped);
        assert!(
            log.errors().contains(&FindingKind::Gap) || log.errors().contains(&FindingKind::Foreign),
            "{at}"
        );
    }
    log.put(&[lines.clone(), lines[4..5].to_vec()].concat());
    assert!(log.errors().contains(&FindingKind::Foreign));
}

#[test]
fn a_tail_that_is_cut_is_found_up_to_the_last_statement() {
    let log = Log::written();
    let lines = log.lines();
    let signed = log.report().signed_to.expect("a statement");
    for kept in 1..lines.len() {
        log.put(&lines[..kept]);
        let is_signed = kept as u64 <= signed;
        assert_eq!(log.errors().contains(&FindingKind::Cut), is_signed, "{kept} lines");
        // A cut after the last statement can't be seen, and this is reported.
        assert!(
            is_signed || log.kinds().contains(&FindingKind::Unsigned) || kept as u64 == signed + 1,
            "{kept}"
        );
    }
    log.put(&[]);
    assert!(log.errors().contains(&FindingKind::Cut), "{:?}", log.report());
}

#[test]
fn a_log_that_was_written_anew_is_not_the_one_that_was_signed() {
    let log = Log::written();
    fs::remove_file(log.place().current()).expect("it is removed");
    let kept = fs::read(log.exported()).expect("statements");
    (0..8).for_each(|_| log.append(LIMITS));
    fs::write(log.exported(), kept).expect("they are written");
    assert!(log.errors().contains(&FindingKind::Foreign), "{:?}", log.report());
}

#[test]
fn a_signature_of_another_key_is_wrong() {
    let log = Log::written();
    let other = SigningKey::from_seed(&[8; 32]).verifying();
    let report =
        verify(&log.place(), Some(&log.exported()), Some(&other), Timestamp::now()).expect("a report");
    assert!(report.findings.iter().any(|finding| finding.kind == FindingKind::WrongSignature), "{report:?}");
    assert_eq!(report.signed_to, None);
    let unverified = verify(&log.place(), Some(&log.exported()), None, Timestamp::now()).expect("a report");
    assert!(unverified.is_whole() && unverified.signed_to.is_none(), "{unverified:?}");
    assert!(unverified.findings.iter().any(|finding| finding.kind == FindingKind::Unverified));
    let text = fs::read_to_string(log.exported()).expect("statements").replace("\"seq\":2", "\"seq\":1");
    fs::write(log.exported(), text).expect("it is written");
    assert!(log.errors().contains(&FindingKind::WrongSignature), "{:?}", log.report());
}

#[test]
fn a_record_from_the_future_is_found() {
    let log = Log::written();
    let key = log.key.verifying();
    let hour_ago = Timestamp::now() - SignedDuration::from_hours(1);
    let report = verify(&log.place(), None, Some(&key), hour_ago).expect("a report");
    assert!(!report.is_whole() && report.findings.iter().any(|finding| finding.kind == FindingKind::Future));
}

#[test]
fn a_torn_line_is_recorded_and_stays() {
    let log = Log::written();
    for torn in ["{\"version\":1,\"log\":\"x", "\n", "a\nb\n{\"seq\":", "\u{0}\u{0}"] {
        let whole = log.text();
        fs::write(log.place().current(), format!("{whole}{torn}")).expect("it is written");
        assert_eq!(log.errors(), [], "{torn:?}: {:?}", log.report());
        assert!(log.kinds().contains(&FindingKind::Torn), "{torn:?}");
        log.append(LIMITS);
        assert_eq!(log.errors(), [], "{torn:?}: {:?}", log.report());
        assert!(
            log.text().starts_with(&format!("{whole}{torn}")) && log.kinds().contains(&FindingKind::Torn)
        );
        let forged = log.text().replacen(torn, &torn.replace(['x', 'a', '\u{0}'], "y"), 1);
        if forged != log.text() {
            let kept = log.text();
            fs::write(log.place().current(), forged).expect("it is written");
            assert!(log.errors().contains(&FindingKind::Edited), "{torn:?}");
            fs::write(log.place().current(), kept).expect("it is written");
        }
    }
    // A record that lacks only its line feed is intact.
    let whole = log.text();
    fs::write(log.place().current(), whole.trim_end()).expect("it is written");
    log.append(LIMITS);
    assert_eq!(log.errors(), [], "{:?}", log.report());
    assert!(log.text().starts_with(&whole));
}

#[test]
fn garbage_between_records_is_not_believed() {
    let log = Log::written();
    let mut lines = log.lines();
    lines.insert(4, "garbage".into());
    log.put(&lines);
    assert_eq!(log.errors(), [FindingKind::Unreadable]);
}

#[test]
fn full_files_are_one_chain_and_the_oldest_go() {
    let log = Log::new();
    let limits = RotationLimits { bytes: 2_000, files: 3 };
    (0..60).for_each(|_| log.append(limits));
    let report = log.report();
    assert!(report.is_whole(), "{report:?}");
    assert_eq!(report.files, 3);
    assert!(report.range.is_some_and(|(first, last)| first > 0 && last >= 60), "{report:?}");
    assert!(report.findings.iter().any(|finding| finding.kind == FindingKind::Removed));
    let full = log.place().full_files().expect("files");
    assert!(full.iter().all(|file| fs::metadata(file).expect("it is there").len() <= 2_000));
    // Simulates a writer that ended between renaming the file and creating the new one.
    fs::rename(log.place().current(), log.place().full(report.range.expect("records").1))
        .expect("it is renamed");
    log.append(limits);
    assert!(log.report().is_whole(), "{:?}", log.report());
    fs::remove_file(&full[1]).expect("it is removed");
    assert!(log.errors().contains(&FindingKind::Gap), "{:?}", log.report());
}

#[test]
fn threads_with_writers_of_their_own_write_one_chain() {
    let log = Log::new();
    let limits = RotationLimits { bytes: 50_000, files: 40 };
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut writer = AuditWriter::new(log.place(), limits);
                for _ in 0..100 {
                    writer.append(RecordBody::Begin { machine: "m".into() }).expect("it is written");
                }
            });
        }
    });
    let report = log.report();
    assert!(report.is_whole(), "{report:?}");
    assert_eq!(report.records, 801);
}

#[test]
fn a_rotation_while_a_log_is_read_changes_nothing() {
    let log = Log::new();
    let limits = RotationLimits { bytes: 2_000, files: 3 };
    (0..60).for_each(|_| log.append(limits));
    let files = LogFiles::of(&log.place()).expect("files");
    (0..60).for_each(|_| log.append(limits));
    assert!(!files.full.iter().any(|file| file.path.exists()), "all of them are gone");
    let mut records = Vec::new();
    let read = files.for_each_line(&log.place(), |_, _, line| {
        records.push(Link::read(line.trim_ascii_end()).map(|link| link.seq));
    });
    read.expect("they are read");
    let seqs: Vec<u64> = records.into_iter().flatten().collect();
    assert!(seqs.len() > 2 && seqs.windows(2).all(|pair| pair[1] == pair[0] + 1), "{seqs:?}");
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| (0..400).for_each(|_| log.append(limits)));
        while !writer.is_finished() {
            let report = verify(&log.place(), None, None, Timestamp::now()).expect("a report");
            assert!(report.is_whole(), "{report:?}");
        }
    });
}

#[test]
fn a_forged_number_is_a_finding() {
    let log = Log::written();
    let mut lines = log.lines();
    let last = format!("\"seq\":{}", u64::MAX);
    *lines.last_mut().expect("a line") = lines.last().expect("a line").replacen("\"seq\":12", &last, 1);
    assert!(lines.last().expect("a line").contains(&last));
    log.put(&lines);
    assert!(log.errors().contains(&FindingKind::Gap), "{:?}", log.report());
    log.append(LIMITS);
    assert!(!log.report().is_whole());
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_file_is_an_error_instead_of_a_wait() {
    let pipe = |path: &Path| {
        let _ = fs::remove_file(path);
        assert!(std::process::Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    };
    let log = Log::written();
    let key = log.key.verifying();
    let verified = |exported: Option<&Path>| verify(&log.place(), exported, Some(&key), Timestamp::now());
    pipe(&log.path("checkpoints"));
    let error = verified(Some(&log.path("checkpoints"))).expect_err("a pipe").to_string();
    assert!(error.ends_with("it is a pipe, a socket or a device, not a file"), "{error}");
    // Full files beside it do not hide that the current file is not one.
    fs::copy(log.place().current(), log.place().full(7)).expect("a copy");
    pipe(&log.place().current());
    for error in [verified(None).map(drop), records(&log.place()).map(drop)] {
        let error = error.expect_err("a pipe").to_string();
        assert!(error.ends_with("it is a pipe, a socket or a device, not a file"), "{error}");
    }
    pipe(&log.path("key.pub"));
    assert!(VerifyingKey::read(&log.path("key.pub")).is_err());
    pipe(&log.path("key"));
    assert!(SigningKey::read(&log.path("key")).is_err());
}
