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
    let root = tested.root().to_owned();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        if event.is_ok_and(|event| is_change(&event, &root)) {
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

/// Returns whether an event is a change that may affect a case. If the system has lost changes, it names no files, and
/// any may have changed.
fn is_change(event: &notify::Event, root: &Path) -> bool {
    let is_write = !matches!(event.kind, EventKind::Access(_));
    event.need_rescan() || is_write && event.paths.iter().any(|path| counts(path, root))
}

/// Returns true if a change of a file may affect a case. The names of directories above the project do not matter.
fn counts(path: &Path, root: &Path) -> bool {
    let inside = path.strip_prefix(root).unwrap_or(path);
    !inside.components().any(|part| {
        [".git", "__pycache__", "node_modules", "target"].iter().any(|name| part.as_os_str() == *name)
    })
}

#[cfg(test)]
mod tests {
    use super::{counts, is_change};
    use notify::event::{AccessKind, Flag, ModifyKind};
    use notify::{Event, EventKind};
    use std::path::Path;

    #[test]
    fn a_write_and_a_loss_of_events_are_changes() {
        let root = Path::new("/p");
        let written = || Event::new(EventKind::Modify(ModifyKind::Any));
        for (event, expected) in [
            (written().add_path("/p/guard.sh".into()), true),
            (written().add_path("/p/.git/index".into()), false),
            (written().add_path("/p/.git/index".into()).add_path("/p/guard.sh".into()), true),
            (Event::new(EventKind::Access(AccessKind::Any)).add_path("/p/guard.sh".into()), false),
            (written(), false),
            // A queue that overflowed.
            (Event::new(EventKind::Other).set_flag(Flag::Rescan), true),
        ] {
            assert_eq!(is_change(&event, root), expected, "{event:?}");
        }
    }

    #[test]
    fn only_directories_inside_of_the_project_are_left_out() {
        for (path, expected) in [
            ("/target/node_modules/p/.claude/settings.json", true),
            ("/target/node_modules/p/target/x", false),
            ("/target/node_modules/p/a/.git/index", false),
            ("/target/node_modules/p/targets", true),
        ] {
            assert_eq!(counts(Path::new(path), Path::new("/target/node_modules/p")), expected, "{path}");
        }
    }
}
