//! `becket audit`: shows and verifies the log of verdicts.

use crate::args::{
    AuditArgs, AuditCheckpointArgs, AuditCommand, AuditKeyCommand, AuditShowArgs, AuditVerifyArgs,
    AuditedLog, Global,
};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::human;
use crate::session;
use becket_audit::{
    AuditRecord, LogPlace, RecordBody, Report, SigningKey, VerifyError, VerifyingKey, records, verify,
    withheld,
};
use becket_engine::config::{AuditSetting, load, resolve};
use jiff::Timestamp;
use serde_json::json;
use std::io;
use std::path::Path;

/// Returns the error of a log that can't be read; a log that does not exist yet has its own.
fn unread(error: &VerifyError, place: &LogPlace) -> CliError {
    if error.why.kind() != io::ErrorKind::NotFound || error.path != place.current() {
        return CliError::audit(error);
    }
    CliError::audit(&format!(
        "there is no audit log at `{}`: nothing was recorded yet. `\"audit\": \"on\"` in the user's settings turns it on; \
         `--file` names another log",
        error.path.display()
    ))
}

/// Runs a command on the log.
pub(crate) fn run(args: &AuditArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let command = AuditRun { global, around, out };
    match &args.command {
        AuditCommand::Show(args) => command.show(args),
        AuditCommand::Verify(args) => command.verify(args),
        AuditCommand::Checkpoint(args) => command.checkpoint(args),
        AuditCommand::Key { command: key } => command.key(key),
    }
}

struct AuditRun<'a> {
    global: &'a Global,
    around: &'a Surroundings,
    out: &'a Out,
}

impl AuditRun<'_> {
    fn show(&self, args: &AuditShowArgs) -> CommandResult {
        let (place, _) = self.log(&args.log)?;
        let mut found = records(&place).map_err(|why| unread(&why, &place))?;
        found.retain(|record| is_wanted(record, args));
        if args.would_have {
            let summaries = withheld(&found);
            if self.global.json {
                self.print_json(&json!(
                    summaries.iter().map(human::audited::summary_json).collect::<Vec<_>>()
                ))?;
            } else {
                self.out.print(&human::audited::withheld(&summaries, self.around))?;
            }
            return Ok(0);
        }
        let from = found.len().saturating_sub(args.last);
        if self.global.json {
            self.print_json(&json!(found[from..]))?;
        } else {
            self.out.print(&human::audited::records(&found[from..], self.around))?;
        }
        Ok(0)
    }

    fn verify(&self, args: &AuditVerifyArgs) -> CommandResult {
        let (place, setting) = self.log(&args.log)?;
        let named = args.checkpoints.as_deref().map(|file| self.around.absolute(file));
        let of_settings = || setting.checkpoints.as_deref().map(|directory| place.checkpoints(directory));
        let exported = named.or_else(|| of_settings().filter(|file| file.exists()));
        let key = match &args.key {
            Some(key) => Some(self.public_key(key)?),
            // The owner of the log may also be the owner of the key.
            None => {
                setting.key.as_deref().and_then(|file| SigningKey::read(file).ok()).map(|key| key.verifying())
            }
        };
        let report = verify(&place, exported.as_deref(), key.as_ref(), Timestamp::now());
        let report = report.map_err(|why| unread(&why, &place))?;
        self.print_report(&report)?;
        Ok(u8::from(!report.is_whole()))
    }

    fn checkpoint(&self, args: &AuditCheckpointArgs) -> CommandResult {
        let (place, _) = self.log(&args.log)?;
        let key = SigningKey::read(&self.around.absolute(&args.key)).map_err(|why| CliError::audit(&why))?;
        let file = place.checkpoints(&self.around.absolute(&args.to));
        let earlier = file.exists().then_some(&*file);
        let report = verify(&place, earlier, Some(&key.verifying()), Timestamp::now());
        let report = report.map_err(|why| unread(&why, &place))?;
        if !report.is_whole() {
            // A damaged log is not signed.
            self.print_report(&report)?;
            return Ok(1);
        }
        let Some(statement) = report.sign(&key, Timestamp::now()) else {
            self.out.print("the log has no record\n")?;
            return Ok(0);
        };
        statement.export(&file).map_err(|why| CliError::audit(&why))?;
        self.out.print(&format!("record {} is signed\n", statement.seq))?;
        Ok(0)
    }

    fn key(&self, command: &AuditKeyCommand) -> CommandResult {
        let key = match command {
            AuditKeyCommand::New { file } => {
                let key = SigningKey::generate().map_err(|why| CliError::audit(&why))?;
                key.write_new(&self.around.absolute(file)).map_err(|why| CliError::audit(&why))?;
                key
            }
            AuditKeyCommand::Show { file } => {
                SigningKey::read(&self.around.absolute(file)).map_err(|why| CliError::audit(&why))?
            }
        };
        self.out.print(&format!("{}\n", key.verifying().digits()))?;
        Ok(0)
    }

    /// Returns the log that the arguments or the settings name, and the setting.
    fn log(&self, log: &AuditedLog) -> Result<(LogPlace, AuditSetting), CliError> {
        let session = session::launched(self.global, self.around)?;
        let setting = resolve(&load(&session.request())).policy.audit;
        let place = match &log.file {
            Some(file) => Some(LogPlace::at(&self.around.absolute(file))),
            None => LogPlace::of(&setting, self.around.process.home.as_deref()),
        };
        let place = place
            .ok_or_else(|| CliError::audit(&"there is no home directory: name the log with `--file`"))?;
        Ok((place, setting))
    }

    fn public_key(&self, key: &str) -> Result<VerifyingKey, CliError> {
        match VerifyingKey::from_digits(key) {
            Some(key) => Ok(key),
            None if key.len() == 64 && key.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
                Err(CliError::audit(&format!("`{key}` is not an Ed25519 public key")))
            }
            None => {
                VerifyingKey::read(&self.around.absolute(Path::new(key))).map_err(|why| CliError::audit(&why))
            }
        }
    }

    fn print_report(&self, report: &Report) -> Result<(), CliError> {
        if self.global.json {
            self.print_json(&human::audited::report_json(report))
        } else {
            Ok(self.out.print(&human::audited::report(report, self.around))?)
        }
    }

    fn print_json(&self, value: &serde_json::Value) -> Result<(), CliError> {
        Ok(self.out.print_json(value)?)
    }
}

fn is_wanted(record: &AuditRecord, args: &AuditShowArgs) -> bool {
    let RecordBody::Verdict(verdict) = &record.body else { return false };
    let of_session = args.session.as_ref().is_none_or(|session| *session == verdict.session);
    of_session && (!args.blocked || verdict.decision == "block")
}
