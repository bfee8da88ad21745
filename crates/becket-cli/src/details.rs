//! The details that `-v` adds to the output of a command: the files that are read, the exit code and the time.

use crate::args::{Cli, Command};
use crate::env::Surroundings;
use crate::out::Out;
use crate::project;
use crate::report::style::{FAINT, plain, styled};
use crate::session;
use becket_engine::config;
use std::time::Instant;

/// The details of a running command.
pub(crate) struct Details(Option<Instant>);

impl Details {
    /// Shows the files that the command reads, if details are enabled.
    pub(crate) fn begin(cli: &Cli, around: &Surroundings, out: &Out) -> Self {
        // `run` has details of its own.
        if !out.is_verbose() || matches!(cli.command, Command::Run(_)) {
            return Details(None);
        }
        line(out, &format!("becket {}", env!("CARGO_PKG_VERSION")));
        for file in files(cli, around) {
            line(out, &file);
        }
        Details(Some(Instant::now()))
    }

    /// Shows the exit code and the time.
    pub(crate) fn end(self, code: u8, out: &Out) {
        if let Details(Some(begun)) = self {
            let took = begun.elapsed().as_secs_f64() * 1_000.0;
            line(out, &format!("exit code {code} after {took:.0} ms"));
        }
    }
}

fn line(out: &Out, text: &str) {
    out.eprint(&format!("{}\n", styled(FAINT, &plain(text))));
}

/// Returns a line for each settings file and plugin that the command reads; none if the command fails to find its
/// project, which it reports itself.
fn files(cli: &Cli, around: &Surroundings) -> Vec<String> {
    let Ok(session) = session::launched(&cli.global, around) else { return Vec::new() };
    let start = project::parent(&session.start, &session.request());
    let session = session::Session { project: start, ..session };
    let loaded = config::load(&session.request());
    let layers = loaded.layers().iter().map(|layer| {
        let unread = layer.text.as_ref().err().map(|why| format!(": not read: {why}")).unwrap_or_default();
        format!("reads {} ({}){unread}", around.short(&layer.file), layer.source)
    });
    layers.collect()
}
