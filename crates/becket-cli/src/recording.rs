//! Records the time that hooks take, for this process, in the files that `becket profile` reads.

use crate::args::{Cli, Command};
use crate::env::Surroundings;
use crate::out::Out;
use crate::report::style::{WARNING, one_line};
use becket_engine::Builder;
use becket_fire::times::{FirstFailure, RecordedHost, TimeRecorder, TimesSwitch, log_file};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static RECORDING: OnceLock<Recording> = OnceLock::new();

/// The recording of this process.
struct Recording {
    switch: TimesSwitch,
    host: RecordedHost,
    failure: FirstFailure,
}

/// Enables recording if the user wants it and the command fires events.
pub(crate) fn begin(cli: &Cli, around: &Surroundings) {
    let Some(host) = host(&cli.command) else { return };
    let switch = TimesSwitch::of(&around.process);
    if switch != TimesSwitch::Off {
        // The cell is set only once.
        drop(RECORDING.set(Recording { switch, host, failure: FirstFailure::default() }));
    }
}

/// Returns the recorded host of a command; `None` if it fires no events of its own.
fn host(command: &Command) -> Option<RecordedHost> {
    let hosts = [
        (matches!(command, Command::Run(_)), RecordedHost::Run),
        (matches!(command, Command::Serve(_)), RecordedHost::Serve),
        (matches!(command, Command::Fire(_)), RecordedHost::Fire),
        (matches!(command, Command::Test(_)), RecordedHost::Test),
        (matches!(command, Command::Mcp(_)), RecordedHost::Mcp),
    ];
    hosts.into_iter().find(|(is_it, _)| *is_it).map(|(_, host)| host)
}

/// Observes an engine if recording is enabled.
pub(crate) fn observed(builder: Builder) -> Builder {
    match RECORDING.get() {
        Some(recording) => recording.switch.observe(builder, recording.host, &recording.failure),
        None => builder,
    }
}

/// Observes an engine in a copy of `project`, if recording is enabled.
pub(crate) fn observed_for(builder: Builder, project: &Path) -> Builder {
    let Some(recording) = RECORDING.get() else { return builder };
    match &recording.switch {
        TimesSwitch::On(directory) => {
            builder.observe(TimeRecorder::new(directory, project, recording.host, recording.failure.clone()))
        }
        TimesSwitch::Off | TimesSwitch::Wrong(_) => observed(builder),
    }
}

/// Returns the reason why times are not recorded, if there is one; it is returned only once.
pub(crate) fn failure() -> Option<String> {
    RECORDING.get()?.failure.take()
}

/// Reports once that times were not recorded.
pub(crate) fn end(out: &Out) {
    if let Some(why) = failure() {
        out.eprint(&format!("{WARNING}warning:{WARNING:#} {}\n", one_line(&why, 300)));
    }
}

/// Returns the directory of records, and the log of a project in it.
pub(crate) fn log_of(project: &Path, around: &Surroundings) -> Option<(PathBuf, PathBuf)> {
    let directory = match TimesSwitch::of(&around.process) {
        TimesSwitch::On(directory) => directory,
        TimesSwitch::Off | TimesSwitch::Wrong(_) => TimesSwitch::default_directory(&around.process)?,
    };
    let log = log_file(&directory, project);
    Some((directory, log))
}
