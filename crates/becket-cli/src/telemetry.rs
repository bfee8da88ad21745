//! Spans, metrics and audit records for an OpenTelemetry collector (feature `otlp`): a span for each event that is fired, a
//! child for each handler, histograms of their times, and a log record for each record of the audit log.
//!
//! INVARIANT: no input and no output of a hook is in a span or a metric, a log record has what the file has, and nothing here
//! waits for a collector but [`end`], which has a limit. A build without the feature sends nothing, and this does nothing in it.

#[cfg(feature = "otlp")]
mod client;
#[cfg(feature = "otlp")]
mod exporter;
#[cfg(feature = "otlp")]
mod metrics;
#[cfg(feature = "otlp")]
mod records;
#[cfg(feature = "otlp")]
mod spans;

#[cfg(feature = "otlp")]
use exporter::observed as spanned;
#[cfg(feature = "otlp")]
pub(crate) use exporter::{begin, end};
#[cfg(not(feature = "otlp"))]
use none::observed as spanned;
#[cfg(not(feature = "otlp"))]
pub(crate) use none::{begin, end};

use becket_engine::Builder;

/// Observes an engine: for spans, for copies of its audit log, and for records of times.
pub(crate) fn observed(builder: Builder) -> Builder {
    crate::recording::observed(spanned(builder))
}

#[cfg(not(feature = "otlp"))]
mod none {
    use crate::args::Cli;
    use crate::env::Surroundings;
    use crate::out::Out;
    use becket_engine::Builder;

    /// No effect without the feature.
    pub(crate) fn begin(_: &Cli, _: &Surroundings) {}

    /// Returns the engine unchanged.
    pub(crate) fn observed(builder: Builder) -> Builder {
        builder
    }

    /// No effect without the feature.
    pub(crate) fn end(_: &Out) {}
}
