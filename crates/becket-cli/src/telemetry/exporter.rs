//! The exporter of this process: its activation, its destination, and its end.
//!
//! The standard variables (`OTEL_EXPORTER_OTLP_*`, `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_BSP_*`, `OTEL_BLRP_*`,
//! `OTEL_METRIC_*`)
//! are read by the crates of OpenTelemetry themselves.

use super::client::{FirstFailure, Transport};
use super::metrics::MetricExport;
use super::records::RecordExport;
use super::spans::Spans;
use crate::args::{Cli, Command};
use crate::env::Surroundings;
use crate::out::Out;
use crate::report::style::{WARNING, one_line};
use crate::session::environment;
use becket_audit::VerdictLog;
use becket_embed::models;
use becket_engine::Builder;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::Temporality;
use opentelemetry_sdk::trace::SdkTracerProvider;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

/// The time limit for the last spans and records at the end of the process.
const FAREWELL: Duration = Duration::from_secs(1);
/// The same for the hook of another agent, which waits for that end.
const FAREWELL_OF_A_HOOK: Duration = Duration::from_millis(200);

static WANTED: OnceLock<ExporterOptions> = OnceLock::new();
static EXPORTER: OnceLock<Exporter> = OnceLock::new();

/// The options of the arguments and the environment.
struct ExporterOptions {
    spans: Option<SignalOptions>,
    metrics: Option<SignalOptions>,
    /// The temporality of metrics, unless a variable names one.
    temporality: Option<Temporality>,
    records: Option<SignalOptions>,
    client: becket_llm::HttpOptions,
    /// The home directory, in which the audit log is.
    home: Option<PathBuf>,
    is_named: bool,
    is_hook: bool,
}

/// The options of one signal: spans, metrics or logs.
struct SignalOptions {
    /// The protocol, or the reason why nothing can be exported.
    protocol: Result<Protocol, String>,
}

impl SignalOptions {
    /// Reads the options of the signal that variables call by this name; `None` if it is not exported.
    fn of(signal: &str, cli: &Cli, around: &Surroundings) -> Option<Self> {
        let is =
            |name: &str, value: &str| around.var(name).is_some_and(|set| set.eq_ignore_ascii_case(value));
        let set = |names: [&str; 2]| names.into_iter().find_map(|name| around.var(name)?.to_str());
        let endpoint = format!("OTEL_EXPORTER_OTLP_{signal}_ENDPOINT");
        let names_collector = set([&endpoint, "OTEL_EXPORTER_OTLP_ENDPOINT"]).is_some();
        let is_enabled = cli.global.otlp || (is("CLAUDE_CODE_ENABLE_TELEMETRY", "1") && names_collector);
        let exporter = format!("OTEL_{signal}_EXPORTER");
        let is_other = around.var(&exporter).is_some() && !is(&exporter, "otlp");
        if !is_enabled || is_other || is("OTEL_SDK_DISABLED", "true") {
            return None;
        }
        let protocol = format!("OTEL_EXPORTER_OTLP_{signal}_PROTOCOL");
        let protocol = match set([&protocol, "OTEL_EXPORTER_OTLP_PROTOCOL"]) {
            None | Some("http/protobuf") => Ok(Protocol::HttpBinary),
            Some("http/json") => Ok(Protocol::HttpJson),
            Some(other) => {
                Err(format!("the protocol `{other}` is not supported: use `http/protobuf` or `http/json`"))
            }
        };
        Some(SignalOptions { protocol })
    }
}

/// The export of this process.
struct Exporter {
    /// That of spans, or the reason why there is none.
    spans: Option<Result<SpanExport, String>>,
    /// That of metrics, or the reason why there is none.
    metrics: Option<Result<MetricExport, String>>,
    records: Option<Arc<RecordExport>>,
}

struct SpanExport {
    provider: SdkTracerProvider,
    failed: FirstFailure,
}

/// Keeps what is exported and how; nothing is started before the first engine.
pub(crate) fn begin(cli: &Cli, around: &Surroundings) {
    let signal = |name: &str| SignalOptions::of(name, cli, around);
    let (spans, metrics, records) = (signal("TRACES"), signal("METRICS"), signal("LOGS"));
    if spans.is_none() && metrics.is_none() && records.is_none() {
        return;
    }
    // A process that answers one event has no total to report, so its metrics are what was added.
    let names_temporality = around.var("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE").is_some();
    let wanted = ExporterOptions {
        spans,
        metrics,
        temporality: (!names_temporality).then_some(Temporality::Delta),
        records,
        client: models::http(&environment(around)),
        home: environment(around).home().map(Into::into),
        is_named: around.var("OTEL_SERVICE_NAME").is_some(),
        is_hook: matches!(&cli.command, Command::Fire(args) if args.stdin_event),
    };
    // It is set once.
    drop(WANTED.set(wanted));
}

/// Returns the engine, with spans, metrics and copies of its audit log, as far as they are enabled.
pub(crate) fn observed(builder: Builder) -> Builder {
    let Some(wanted) = WANTED.get() else { return builder };
    let exporter = EXPORTER.get_or_init(|| Exporter::start(wanted));
    let builder = match &exporter.spans {
        Some(Ok(spans)) => builder.observe(Spans::new(spans.provider.tracer("becket"))),
        Some(Err(_)) | None => builder,
    };
    let builder = match &exporter.metrics {
        Some(Ok(metrics)) => builder.observe(metrics.observer()),
        Some(Err(_)) | None => builder,
    };
    match &exporter.records {
        Some(records) => {
            let log = VerdictLog::new(wanted.home.clone()).observed_by(Arc::clone(records) as Arc<_>);
            builder.audit(Arc::new(log))
        }
        None => builder,
    }
}

/// Sends what remains, within a limit, and reports what did not arrive.
pub(crate) fn end(out: &Out) {
    let (Some(wanted), Some(exporter)) = (WANTED.get(), EXPORTER.get()) else { return };
    let failures = exporter.end(if wanted.is_hook { FAREWELL_OF_A_HOOK } else { FAREWELL });
    // An agent reads the stderr of its hook as the reason of a denial.
    if wanted.is_hook {
        return;
    }
    for failure in failures {
        out.eprint(&format!("{WARNING}warning:{WARNING:#} {}\n", one_line(&failure, 300)));
    }
}

impl Exporter {
    fn start(wanted: &ExporterOptions) -> Self {
        let transport = Transport::start(&wanted.client);
        let resource = resource(wanted.is_named);
        let connected = |signal: &SignalOptions| Ok((transport.clone()?, signal.protocol.clone()?));
        let spans = wanted.spans.as_ref().map(|signal| {
            let (transport, protocol) = connected(signal)?;
            SpanExport::start(&transport, protocol, resource.clone())
        });
        let metrics = wanted.metrics.as_ref().map(|signal| {
            let (transport, protocol) = connected(signal)?;
            MetricExport::start(&transport, protocol, resource.clone(), wanted.temporality)
        });
        let records = wanted.records.as_ref();
        let records = records.map(|signal| Arc::new(RecordExport::new(connected(signal), resource.clone())));
        Exporter { spans, metrics, records }
    }

    /// Returns a sentence for each kind of data that did not arrive.
    fn end(&self, limit: Duration) -> Vec<String> {
        // All at the same time: one must not use up the time of another.
        thread::scope(|scope| {
            let records = scope.spawn(|| self.records.as_ref().and_then(|records| records.end(limit)));
            let metrics = scope.spawn(|| match self.metrics.as_ref()? {
                Ok(metrics) => metrics.end(limit),
                Err(why) => Some(why.clone()),
            });
            let spans = match &self.spans {
                None => None,
                Some(Err(why)) => Some(why.clone()),
                Some(Ok(spans)) => spans.end(limit),
            };
            let lost = match (spans, metrics.join().ok().flatten()) {
                (Some(spans), Some(metrics)) if spans == metrics => vec![("spans and metrics", spans)],
                (spans, metrics) => {
                    let spans = spans.map(|why| ("spans", why));
                    spans.into_iter().chain(metrics.map(|why| ("metrics", why))).collect()
                }
            };
            let lost =
                lost.into_iter().map(|(name, why)| format!("{name} did not reach the collector: {why}"));
            lost.chain(records.join().ok().flatten()).collect()
        })
    }
}

impl SpanExport {
    fn start(transport: &Transport, protocol: Protocol, resource: Resource) -> Result<Self, String> {
        let failed = FirstFailure::default();
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(transport.sender(failed.clone()))
            .with_protocol(protocol)
            .build()
            .map_err(|error| error.to_string())?;
        let provider =
            SdkTracerProvider::builder().with_resource(resource).with_batch_exporter(exporter).build();
        Ok(SpanExport { provider, failed })
    }

    /// Returns the reason why spans did not arrive, if they did not.
    fn end(&self, limit: Duration) -> Option<String> {
        let ended = self.provider.shutdown_with_timeout(limit);
        self.failed.take().or_else(|| ended.err().map(|_| timeout_message(limit)))
    }
}

/// The reason of a collector that was too slow.
pub(super) fn timeout_message(limit: Duration) -> String {
    format!("it did not take them within {} ms", limit.as_millis())
}

fn resource(is_named: bool) -> Resource {
    let resource = Resource::builder();
    if is_named { resource.build() } else { resource.with_service_name("becket").build() }
}
