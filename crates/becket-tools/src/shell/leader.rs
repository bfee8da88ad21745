//! The process that leads a command line: it outlives the line, reports its exit code, and is then ended with all that the
//! line has left running, as at a deadline (`protocol.md` E7, H4).
//!
//! On Linux the leader adopts the orphans among its descendants, so that neither `setsid` nor a double fork gets away from
//! it. One limit is left: a line that kills its leader sets free what has left its session.

use super::line_output::{Keep, LineOutput};
use crate::surroundings::Surroundings;
use becket_model::SessionId;
use becket_process::{
    ByteCap, CancellationToken, Command, Control, Descendants, FinishedRun, Limits, Program, SinkLimit,
    SpawnError,
};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// The script of the leader; `$0` is the mark. It reports on both streams, and waits to be ended. Its own messages
/// about a
/// line that a signal ended are dropped.
const APART: &str = r#"exec 3>&2 2>/dev/null
"$@" </dev/null 2>&3 3>&-
set -- "$?"
printf '\n%s %s\n' "$0" "$1"
printf '\n%s %s\n' "$0" "$1" >&3
read -r REPLY"#;

/// The same for a line whose errors are a part of its output, in their place.
const JOINED: &str = r#"exec 3>&2 2>/dev/null
"$@" </dev/null 2>&1 3>&-
set -- "$?"
printf '\n%s %s\n' "$0" "$1"
printf '\n%s %s\n' "$0" "$1" >&3
read -r REPLY"#;

/// Evaluates the environment files, then becomes the line's own shell (H12), whose arguments come first, counted. A file
/// that exits must not pass for a line that did well.
const WITH_FILES: &str = r#"becket_own=("${@:2:$1}")
shift "$(($1 + 1))"
exec 3>&2
trap 'echo "an environment file of a hook ended the shell: the command was not run" >&3; exit 125' EXIT
for becket_file do
  set +eu
  . "$becket_file" </dev/null >/dev/null 2>&1
done
trap - EXIT
exec 3>&-
exec "$0" "${becket_own[@]}""#;

/// Treatment of a line's stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streams {
    Apart,
    Joined,
}

/// A line that is led.
#[derive(Debug)]
pub(crate) struct LineCommand<'a> {
    pub(crate) host: &'a Surroundings,
    /// The session whose environment files count.
    pub(crate) session: &'a SessionId,
    pub(crate) cwd: &'a Path,
    /// The arguments of the line's own shell.
    pub(crate) own: Vec<OsString>,
    pub(crate) streams: Streams,
    /// `None`: until its end.
    pub(crate) limit: Option<Duration>,
}

impl LineCommand<'_> {
    /// Runs it to its end, its deadline or its cancellation; dropped, it ends at once. What it prints is heard.
    ///
    /// # Errors
    /// It could not be started.
    pub(crate) async fn run<K: Keep>(
        self,
        cancel: &CancellationToken,
        heard: &mut LineOutput<K>,
    ) -> Result<FinishedRun, SpawnError> {
        let limits = Limits {
            deadline: self.limit,
            stdout_cap: ByteCap::bytes(0),
            stderr_cap: ByteCap::bytes(0),
            sink: SinkLimit::Unlimited,
            ..Limits::default()
        };
        let over = cancel.child_token();
        // The leader waits on its stdin, which is open as long as this is held.
        let control = Control::with_open_stdin();
        let held = control.clone();
        let command = self.command(heard.mark());
        let mut sink = |chunk: becket_process::Chunk<'_>| {
            heard.push(chunk);
            if heard.code().is_some() {
                over.cancel();
            }
        };
        let ended = self.host.runner.run_with(&command, &limits, &over, control, &mut sink).await;
        drop(held);
        heard.finish();
        ended
    }

    fn command(&self, mark: &str) -> Command {
        let shell = self.host.shell.as_os_str();
        let files = (self.host.env_files)(self.session);
        let leader = match self.streams {
            Streams::Apart => APART,
            Streams::Joined => JOINED,
        };
        // Privileged only so that BASH_ENV is read once, by the line's own shell.
        let mut args: Vec<OsString> =
            vec!["-p".into(), "-c".into(), leader.into(), mark.into(), shell.into()];
        if files.is_empty() {
            args.extend(self.own.iter().cloned());
        } else {
            args.extend(["-c".into(), WITH_FILES.into(), shell.into(), self.own.len().to_string().into()]);
            args.extend(self.own.iter().cloned());
            args.extend(files.into_iter().map(OsString::from));
        }
        let vars = self.host.environment.vars();
        let env = vars.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let descendants = Descendants::Adopted { kept: self.host.kept() };
        Command { env, descendants, ..Command::new(Program::exec(shell, args), self.cwd) }
    }
}
