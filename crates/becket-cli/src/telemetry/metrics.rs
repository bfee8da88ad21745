//! Converts events of an engine to metrics: how long events and handlers took, by decision and outcome.
//!
//! INVARIANT: attributes have few values. No session, call or input is among them; a label comes from the settings.

use super::client::{FirstFailure, Transport};
use super::exporter::timeout_message;
use super::spans::{handler_attributes, word};
use becket_engine::{Observer, Run, RunEvent, RunEventKind};
use becket_model::{Event, EventKind};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Histogram, MeterProvider};
use opentelemetry_otlp::{MetricExporter, Protocol, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{SdkMeterProvider, Temporality};
use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The upper bounds of the buckets, in seconds: from a callback to the longest hook that anybody waits for.
const BOUNDS: [f64; 15] =
    [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 60.0, 600.0];

/// The limit on concurrent firings whose event is remembered; past it the oldest is dropped.
const MOST: usize = 1_024;

/// The export of metrics of this process.
pub(super) struct MetricExport {
    provider: SdkMeterProvider,
    failed: FirstFailure,
}

impl MetricExport {
    /// Starts the export; `temporality` of `None` leaves the choice to the variable of OpenTelemetry.
    pub(super) fn start(
        transport: &Transport,
        protocol: Protocol,
        resource: Resource,
        temporality: Option<Temporality>,
    ) -> Result<Self, String> {
        let failed = FirstFailure::default();
        let exporter = MetricExporter::builder()
            .with_http()
            .with_http_client(transport.sender(failed.clone()))
            .with_protocol(protocol);
        let exporter = match temporality {
            Some(temporality) => exporter.with_temporality(temporality),
            None => exporter,
        };
        let exporter = exporter.build().map_err(|error| error.to_string())?;
        let provider =
            SdkMeterProvider::builder().with_resource(resource).with_periodic_exporter(exporter).build();
        Ok(MetricExport { provider, failed })
    }

    /// Returns an observer of one engine.
    pub(super) fn observer(&self) -> Durations {
        let meter = self.provider.meter("becket");
        let histogram = |name: &'static str, description: &'static str| {
            meter
                .f64_histogram(name)
                .with_unit("s")
                .with_description(description)
                .with_boundaries(BOUNDS.to_vec())
                .build()
        };
        Durations {
            events: histogram("becket.event.duration", "Time from an event to the verdict of its handlers."),
            handlers: histogram("becket.handler.duration", "Time that one run of a handler took."),
            fired: Mutex::default(),
        }
    }

    /// Sends the remaining metrics, within a limit, and returns the reason why they did not arrive, if they did not.
    pub(super) fn end(&self, limit: Duration) -> Option<String> {
        let (sender, ended) = channel();
        let provider = self.provider.clone();
        // The provider has a limit of its own, which is longer. The process does not wait for this thread.
        thread::spawn(move || drop(sender.send(provider.shutdown())));
        let ended = ended.recv_timeout(limit);
        self.failed.take().or_else(|| match ended {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(_) => Some(timeout_message(limit)),
        })
    }
}

/// The histograms of one engine.
pub(super) struct Durations {
    events: Histogram<f64>,
    handlers: Histogram<f64>,
    /// The events that have no verdict yet, by the number of their firing.
    fired: Mutex<BTreeMap<u64, EventKind>>,
}

impl Durations {
    fn fired(&self) -> MutexGuard<'_, BTreeMap<u64, EventKind>> {
        self.fired.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, number: u64, event: &Event) {
        let mut fired = self.fired();
        fired.insert(number, event.kind());
        if fired.len() > MOST {
            fired.pop_first();
        }
    }

    fn ran(&self, run: &Run, in_background: bool) {
        let mut attributes = handler_attributes(&run.handler, run.status);
        attributes.push(KeyValue::new("becket.background", in_background));
        self.handlers.record(run.elapsed.as_secs_f64(), &attributes);
    }
}

impl Observer for Durations {
    fn on(&self, event: &RunEvent) {
        match &event.what {
            RunEventKind::Fired { event: fired } => self.begin(event.firing, fired),
            // The time of a background run is known when it ends.
            RunEventKind::Finished { run } if run.background.is_none() => self.ran(run, false),
            RunEventKind::BackgroundFinished { run, .. } => self.ran(run, true),
            RunEventKind::Decided { verdict, elapsed } => {
                let Some(kind) = self.fired().remove(&event.firing) else { return };
                let attributes = [
                    KeyValue::new("becket.event", kind.name()),
                    KeyValue::new("becket.verdict", word(verdict)),
                ];
                self.events.record(elapsed.as_secs_f64(), &attributes);
            }
            RunEventKind::Finished { .. }
            | RunEventKind::Skipped(_)
            | RunEventKind::Started { .. }
            | RunEventKind::Backgrounded { .. }
            | RunEventKind::Output { .. } => {}
        }
    }
}
