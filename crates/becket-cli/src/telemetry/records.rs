//! Converts records of the audit log to log records, and counts those that did not arrive.
//!
//! INVARIANT: the file is the record of truth. A record is handed over once it is in the file, by a queue that never waits; a
//! queue that is full drops it. Nothing is in a copy that is not in the file, but the hash of the line.

use super::client::{FirstFailure, Transport};
use super::exporter::timeout_message;
use becket_audit::{RecordBody, RecordObserver, VerdictRecord, WrittenRecord};
use opentelemetry::Key;
use opentelemetry::logs::{AnyValue, LogRecord as _, Logger as _, LoggerProvider as _, Severity};
use opentelemetry_otlp::{LogExporter, Protocol, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::logs::{LogBatch, SdkLogRecord, SdkLogger, SdkLoggerProvider};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

/// The prefix of attributes that only records have; an attribute that spans have as well has its name there.
const PREFIX: &str = "becket.audit";

/// The export of the audit logs of this process. It starts with the first record.
#[derive(Debug)]
pub(super) struct RecordExport {
    /// The connection to the collector, or the reason why there is none.
    connection: Result<(Transport, Protocol), String>,
    resource: Resource,
    started: OnceLock<Result<LogExport, String>>,
    written: AtomicUsize,
}

/// An export that has started.
#[derive(Debug)]
struct LogExport {
    provider: SdkLoggerProvider,
    logger: SdkLogger,
    arrived: Arc<AtomicUsize>,
    failed: FirstFailure,
}

impl RecordExport {
    pub(super) fn new(connection: Result<(Transport, Protocol), String>, resource: Resource) -> Self {
        RecordExport { connection, resource, started: OnceLock::new(), written: AtomicUsize::new(0) }
    }

    /// Sends the remaining records, within a limit, and returns a sentence about those that did not arrive.
    pub(super) fn end(&self, limit: Duration) -> Option<String> {
        let (arrived, why) = match self.started.get()? {
            Err(why) => (0, why.clone()),
            Ok(export) => {
                let ended = export.provider.shutdown_with_timeout(limit);
                let too_many = || "there were more than it could take".to_owned();
                let why = export
                    .failed
                    .take()
                    .unwrap_or_else(|| ended.map_or_else(|_| timeout_message(limit), |()| too_many()));
                (export.arrived.load(Ordering::Acquire), why)
            }
        };
        let written = self.written.load(Ordering::Acquire);
        let lost = written.checked_sub(arrived).filter(|lost| *lost > 0)?;
        Some(format!(
            "{lost} of {written} audit records did not reach the collector, the file has them: {why}"
        ))
    }
}

impl RecordObserver for RecordExport {
    fn written(&self, record: WrittenRecord) {
        self.written.fetch_add(1, Ordering::AcqRel);
        let started = self.started.get_or_init(|| {
            let (transport, protocol) = self.connection.clone()?;
            LogExport::start(&transport, protocol, self.resource.clone())
        });
        if let Ok(export) = started {
            export.logger.emit(log_record(&export.logger, &record));
        }
    }
}

impl LogExport {
    fn start(transport: &Transport, protocol: Protocol, resource: Resource) -> Result<Self, String> {
        let failed = FirstFailure::default();
        let exporter = LogExporter::builder()
            .with_http()
            .with_http_client(transport.sender(failed.clone()))
            .with_protocol(protocol)
            .build()
            .map_err(|error| error.to_string())?;
        let arrived = Arc::new(AtomicUsize::new(0));
        let exporter = CountingExporter { exporter, arrived: Arc::clone(&arrived) };
        let provider =
            SdkLoggerProvider::builder().with_resource(resource).with_batch_exporter(exporter).build();
        let logger = provider.logger("becket");
        Ok(LogExport { provider, logger, arrived, failed })
    }
}

/// An exporter that counts the records that the collector has taken.
#[derive(Debug)]
struct CountingExporter {
    exporter: LogExporter,
    arrived: Arc<AtomicUsize>,
}

impl opentelemetry_sdk::logs::LogExporter for CountingExporter {
    async fn export(&self, batch: LogBatch<'_>) -> OTelSdkResult {
        let count = batch.iter().count();
        self.exporter.export(batch).await?;
        self.arrived.fetch_add(count, Ordering::AcqRel);
        Ok(())
    }

    fn shutdown_with_timeout(&self, limit: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(limit)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

fn log_record(logger: &SdkLogger, written: &WrittenRecord) -> SdkLogRecord {
    let body = &written.record.body;
    let mut record = logger.create_log_record();
    record.set_event_name(event_name(body));
    if let Ok(at) = written.record.at.parse::<jiff::Timestamp>() {
        record.set_timestamp(SystemTime::from(at));
    }
    let severity = severity(body);
    record.set_severity_number(severity);
    record.set_severity_text(severity.name());
    record.set_body(sentence(body).into());
    record.add_attributes(attributes(written));
    record
}

fn event_name(body: &RecordBody) -> &'static str {
    match body {
        RecordBody::Begin { .. } => "becket.audit.begin",
        RecordBody::Verdict(_) => "becket.audit.verdict",
        RecordBody::Torn(_) => "becket.audit.torn",
        RecordBody::Checkpoint(_) => "becket.audit.checkpoint",
    }
}

/// Returns `WARN` for what was blocked and for a log with torn lines, `INFO` for all else.
fn severity(body: &RecordBody) -> Severity {
    match body {
        RecordBody::Verdict(verdict) if verdict.decision == "block" => Severity::Warn,
        RecordBody::Torn(_) => Severity::Warn,
        RecordBody::Begin { .. } | RecordBody::Verdict(_) | RecordBody::Checkpoint(_) => Severity::Info,
    }
}

fn sentence(body: &RecordBody) -> String {
    match body {
        RecordBody::Begin { .. } => "an audit log begins".to_owned(),
        RecordBody::Verdict(verdict) => verdict_sentence(verdict),
        RecordBody::Torn(torn) => format!("{} bytes before this record are not records", torn.bytes),
        RecordBody::Checkpoint(checkpoint) => format!("record {} is signed", checkpoint.seq),
    }
}

fn verdict_sentence(verdict: &VerdictRecord) -> String {
    let VerdictRecord { event, subject, decision, settlement, .. } = verdict;
    let subject = subject.as_ref().map(|subject| format!(" of {subject}")).unwrap_or_default();
    let settlement = settlement.as_ref().map(|settlement| format!(" ({settlement})")).unwrap_or_default();
    format!("{event}{subject}: {decision}{settlement}")
}

/// Returns the members of the line, and its hash. Members of the fact follow those of the line; those of another fact than a
/// verdict have its kind in their names.
fn attributes(written: &WrittenRecord) -> Vec<(Key, AnyValue)> {
    let mut all = vec![(Key::new(format!("{PREFIX}.hash")), written.hash.clone().into())];
    // INVARIANT: a record is made of texts and numbers, which are JSON; the file has it in this form.
    let Ok(Value::Object(mut line)) = serde_json::to_value(&written.record) else { return all };
    let prefix = match (&written.record.body, &line["kind"]) {
        (RecordBody::Verdict(_), _) => PREFIX.to_owned(),
        (_, kind) => format!("{PREFIX}.{}", kind.as_str().unwrap_or_default()),
    };
    let fact = line.remove("what");
    let line = line.into_iter().map(|(name, value)| (format!("{PREFIX}.{name}"), value));
    let fact = fact.as_ref().and_then(Value::as_object).into_iter().flatten();
    let fact = fact.map(|(name, value)| (fact_name(&prefix, name), value.clone()));
    let values = line.chain(fact).filter_map(|(name, value)| Some((Key::new(name), any_value(value)?)));
    all.extend(values);
    all
}

/// Returns the name of a member of a fact: that of spans, if they have it.
fn fact_name(prefix: &str, name: &str) -> String {
    match name {
        "session" => "session.id".to_owned(),
        "event" => "becket.event".to_owned(),
        name => format!("{prefix}.{name}"),
    }
}

/// Converts a value; `None` for `null`, which OpenTelemetry does not have.
fn any_value(value: Value) -> Option<AnyValue> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => value.into(),
        Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.to_string().into(),
        },
        Value::String(text) => text.into(),
        Value::Array(all) => all.into_iter().filter_map(any_value).collect(),
        Value::Object(all) => {
            all.into_iter().filter_map(|(name, value)| Some((name, any_value(value)?))).collect()
        }
    })
}
