//! `becket test --watch`: tests again whenever a file of the project changes.

use super::Tested;
use crate::error::{CliError, CommandResult};
use crate::report::style::{FAINT, styled};
use notify::{EventKind, RecursiveMode, Watcher};
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc;

/// The time without another change after which the cases run: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(100);

/// Tests until it is interrupted. An error of one run is reported, and the next change starts another.
pub(super) async fn run(tested: &Tested<'_>) -> CommandResult {
    let (sender, mut changes) = mpsc::unbounded_channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let is_change = event.is_ok_and(|event| {
            !matches!(event.kind, EventKind::Access(_)) && event.paths.iter().any(|path| counts(path))
        });
        if is_change {
            // Without a receiver, the watch is over.
            let _sent = sender.send(());
        }
    })
    .map_err(|error| CliError::lab(&error))?;
    watcher.watch(tested.root(), RecursiveMode::Recursive).map_err(|error| CliError::lab(&error))?;
    loop {
        if let Err(error) = tested.once().await {
            if tested.cancel.is_cancelled() {
                return Ok(0);
            }
            tested.out.eprint(&format!("becket: {error}\n"));
        }
        tested.out.print(&format!("{}\n", styled(FAINT, "waiting for a change; Ctrl-C ends it")))?;
        tokio::select! {
            change = changes.recv() => if change.is_none() { return Ok(0) },
            () = tested.cancel.cancelled() => return Ok(0),
        }
        while let Ok(Some(())) = tokio::time::timeout(QUIET, changes.recv()).await {}
    }
}

/// Returns true if a change of a file may affect a case.
fn counts(path: &Path) -> bool {
    !path.components().any(|part| {
        [".git", "__pycache__", "node_modules", "target"].iter().any(|name| part.as_os_str() == *name)
    })
}
