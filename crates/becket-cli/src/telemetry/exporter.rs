//! The exporter of this process: its activation, its destination, and its end.
//!
//! The standard variables (`OTEL_EXPORTER_OTLP_*`, `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_BSP_*`) are read by the
//! crates of OpenTelemetry themselves.

use super::client::{FirstFailure, Sender};
use super::spans::Spans;
use crate::args::{Cli, Command};
use crate::env::Surroundings;
use crate::out::Out;
use crate::report::style::{WARNING, one_line};
use crate::session::environment;
use becket_embed::models;
use becket_engine::Builder;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use std::sync::OnceLock;
use std::time::Duration;

/// The time limit for the last spans at the end of the process.
const FAREWELL: Duration = Duration::from_secs(1);
/// The same for the hook of another agent, which waits for that end.
const FAREWELL_OF_A_HOOK: Duration = Duration::from_millis(200);

static WANTED: OnceLock<ExporterOptions> = OnceLock::new();
static EXPORTER: OnceLock<Result<Exporter, String>> = OnceLock::new();

/// The options of the arguments and the environment.
struct ExporterOptions {
    /// The exporter, or the reason why it could not be created.
    protocol: Result<Protocol, String>,
    client: becket_llm::HttpOptions,
    is_named: bool,
    is_hook: bool,
}

struct Exporter {
    provider: SdkTracerProvider,
    failed: FirstFailure,
}

/// Records whether spans are enabled; nothing is started before the first engine.
pub(crate) fn begin(cli: &Cli, around: &Surroundings) {
    let is = |name: &str, value: &str| around.var(name).is_some_and(|set| set.eq_ignore_ascii_case(value));
    let set = |names: [&str; 2]| names.into_iter().find_map(|name| around.var(name)?.to_str());
    let names_collector =
        set(["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"]).is_some();
    let is_enabled = cli.global.otlp || (is("CLAUDE_CODE_ENABLE_TELEMETRY", "1") && names_collector);
    let is_other = around.var("OTEL_TRACES_EXPORTER").is_some() && !is("OTEL_TRACES_EXPORTER", "otlp");
    if !is_enabled || is_other || is("OTEL_SDK_DISABLED", "true") {
        return;
    }
    let protocol = match set(["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"]) {
        None | Some("http/protobuf") => Ok(Protocol::HttpBinary),
        Some("http/json") => Ok(Protocol::HttpJson),
        Some(other) => {
            Err(format!("the protocol `{other}` is not supported: use `http/protobuf` or `http/json`"))
        }
    };
    let is_hook = matches!(&cli.command, Command::Fire(args) if args.stdin_event);
    let is_named = around.var("OTEL_SERVICE_NAME").is_some();
    let wanted = ExporterOptions { protocol, client: models::http(&environment(around)), is_named, is_hook };
    // It is set once.
    drop(WANTED.set(wanted));
}

/// Returns the engine, with spans if they are enabled.
pub(crate) fn observed(builder: Builder) -> Builder {
    let Some(wanted) = WANTED.get() else { return builder };
    match EXPORTER.get_or_init(|| Exporter::start(wanted)) {
        Ok(exporter) => builder.observe(Spans::new(exporter.provider.tracer("becket"))),
        Err(_) => builder,
    }
}

/// Sends the remaining spans, within a limit, and reports spans that did not arrive.
pub(crate) fn end(out: &Out) {
    let Some(wanted) = WANTED.get() else { return };
    let why = match EXPORTER.get() {
        None => return,
        Some(Err(why)) => Some(why.clone()),
        Some(Ok(exporter)) => exporter.end(if wanted.is_hook { FAREWELL_OF_A_HOOK } else { FAREWELL }),
    };
    // An agent reads the stderr of its hook as the reason of a denial.
    if let Some(why) = why.filter(|_| !wanted.is_hook) {
        out.tell(&format!(
            "{WARNING}warning:{WARNING:#} spans did not reach the collector: {}\n",
            one_line(&why, 300)
        ));
    }
}

impl Exporter {
    fn start(wanted: &ExporterOptions) -> Result<Self, String> {
        let protocol = wanted.protocol.clone()?;
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let client = becket_llm::http_client(&wanted.client).map_err(|error| text(&error))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("becket-otlp")
            .enable_all()
            .build()
            .map_err(|error| text(&error))?;
        let failed = FirstFailure::default();
        let sender = Sender::new(client, Box::leak(Box::new(runtime)), failed.clone());
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(sender)
            .with_protocol(protocol)
            .build()
            .map_err(|error| text(&error))?;
        let mut resource = Resource::builder();
        if !wanted.is_named {
            resource = resource.with_service_name("becket");
        }
        let provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_batch_exporter(exporter)
            .build();
        Ok(Exporter { provider, failed })
    }

    /// Returns the reason why spans did not arrive, if they did not.
    fn end(&self, limit: Duration) -> Option<String> {
        let ended = self.provider.shutdown_with_timeout(limit);
        let late = || format!("it did not take them within {} ms", limit.as_millis());
        self.failed.take().or_else(|| ended.err().map(|_| late()))
    }
}
