//! The process that leads a command line: it outlives the line, reports its exit code, and is then ended with
//! everything that the line left running, as at a deadline (`protocol.md` E7, H4).
//!
//! On Linux the leader adopts the orphans among its descendants, so that neither `setsid` nor a double fork escapes
//! it. One limit remains: if a line kills its leader, processes that left its session escape.

#[cfg(target_os = "linux")]
use super::excluded_commands::{ProgramPlaces, exclude};
use super::line_output::{Keep, LineOutput};
#[cfg(target_os = "linux")]
use super::shown_commands;
#[cfg(target_os = "linux")]
use super::supervised::SupervisedLine;
use crate::programs::LineCall;
#[cfg(target_os = "linux")]
use crate::programs::ProgramSupervision;
use crate::surroundings::Surroundings;
use becket_exec::line::{DeniedProgram, Refusal};
#[cfg(target_os = "linux")]
use becket_exec::line::{LineRules, LineStreams};
use becket_process::{
    ByteCap, CancellationToken, Command, Control, Descendants, End, Limits, Program, SinkLimit, SpawnError,
};
use std::ffi::OsString;
use std::io;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use std::time::Duration;

/// The script of the leader; `$0` is the mark. It reports on both streams, and waits to be ended. Its own messages
/// about a line that was ended by a signal are dropped.
const APART: &str = r#"exec 3>&2 2>/dev/null
"$@" </dev/null 2>&3 3>&-
set -- "$?"
printf '\n%s %s\n' "$0" "$1"
printf '\n%s %s\n' "$0" "$1" >&3
read -r REPLY"#;

/// The script of a leader whose line has its stderr merged into its stdout, in order.
const JOINED: &str = r#"exec 3>&2 2>/dev/null
"$@" </dev/null 2>&1 3>&-
set -- "$?"
printf '\n%s %s\n' "$0" "$1"
printf '\n%s %s\n' "$0" "$1" >&3
read -r REPLY"#;

/// Evaluates the environment files, then becomes the line's own shell (H12), whose arguments come first, preceded by
/// their number. A file that exits must not look like a line that succeeded.
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

/// The treatment of a line's stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streams {
    Apart,
    Joined,
}

/// A line with its leader.
#[derive(Debug)]
pub(crate) struct LineCommand<'a> {
    pub(crate) host: &'a Surroundings,
    pub(crate) call: &'a LineCall,
    /// The text of the line.
    pub(crate) line: &'a str,
    /// The arguments of the line's own shell.
    pub(crate) own: Vec<OsString>,
    pub(crate) streams: Streams,
    /// The time limit; `None` means no limit.
    pub(crate) limit: Option<Duration>,
}

/// The end of a line.
#[derive(Debug)]
pub(crate) struct LineResult {
    /// The exit code of the line, if it came to its end.
    pub(crate) code: Option<i32>,
    /// The end of its leader.
    pub(crate) end: End,
    /// The programs that were not run (E3).
    pub(crate) denied: Vec<DeniedProgram>,
    /// The accesses of its programs that were refused for lack of rights (E5).
    pub(crate) refusals: Vec<Refusal>,
}

/// The reason why a line was not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LineError {
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error("the socket for the supervisor of its programs can't be created: {0}")]
    Channel(io::Error),
    #[error("{0}")]
    Unsupported(String),
    #[error(
        "the line was not run, since the permission rules can't be enforced for its programs: {why}. With `\"exec\": \
         \"text-only\"` in managed or user settings, or those of the command line, they hold for its text alone"
    )]
    NothingRun { why: String },
}

impl LineCommand<'_> {
    /// Runs the line to its end, its deadline or its cancellation; if dropped, it ends at once. Its output goes to
    /// `output`.
    ///
    /// # Errors
    /// Errors if the line was not run.
    pub(crate) async fn run<K: Keep>(
        self,
        cancel: &CancellationToken,
        output: &mut LineOutput<K>,
    ) -> Result<LineResult, LineError> {
        #[cfg(target_os = "linux")]
        if let Some(programs) = &self.host.programs {
            let mut rules = programs.guard.rules(self.call);
            self.exclude(&mut rules);
            return match rules.is_empty() {
                true => self.lead(cancel, output).await,
                false => self.supervise(programs, rules, cancel, output).await,
            };
        }
        match self.host.unsupervised() {
            Ok(()) if !self.call.rights.is_empty() => {
                let why = "a hook restricts the rights of the call, and there is no supervisor here to enforce this: \
                           the line was not run";
                Err(LineError::Unsupported(why.to_owned()))
            }
            Ok(()) => self.lead(cancel, output).await,
            Err(why) => Err(LineError::Unsupported(why)),
        }
    }

    /// Grants the line all rights if the settings exclude its commands from the sandbox. A file that is evaluated
    /// before it may redefine the names of commands.
    #[cfg(target_os = "linux")]
    fn exclude(&self, rules: &mut LineRules) {
        if !(self.host.env_files)(&self.call.session.id).is_empty() {
            rules.excluded.clear();
        }
        let search_path = self.host.environment.var("PATH").unwrap_or_default();
        let search_path: Vec<PathBuf> = std::env::split_paths(search_path).collect();
        let places = ProgramPlaces { search_path: &search_path, directory: &self.call.session.cwd };
        exclude(rules, self.line, places);
    }

    /// Runs the line under a supervisor of its programs.
    #[cfg(target_os = "linux")]
    async fn supervise<K: Keep>(
        &self,
        programs: &ProgramSupervision,
        rules: LineRules,
        cancel: &CancellationToken,
        output: &mut LineOutput<K>,
    ) -> Result<LineResult, LineError> {
        if let Some(why) = shown_commands::unsupported(self.line, rustix::process::geteuid().is_root()) {
            return Err(LineError::Unsupported(why));
        }
        let shells = self.shells();
        let rules = LineRules {
            decided: shown_commands::shown_commands(self.line),
            kept: self.host.kept().to_vec(),
            own: shells.iter().map(|shell| texts(shell)).collect(),
            streams: match self.streams {
                Streams::Apart => LineStreams::Apart,
                Streams::Joined => LineStreams::Joined,
            },
            ..rules
        };
        let mut arguments = programs.arguments.clone();
        arguments.push("--".into());
        arguments.extend(shells.into_iter().next().unwrap_or_default());
        let supervised = SupervisedLine {
            command: self.started_by(Program::exec(&programs.program, arguments)),
            limits: self.limits(),
            runner: &self.host.runner,
            guard: &*programs.guard,
            call: self.call,
            rules,
        };
        supervised.run(cancel, output).await
    }

    /// Runs the line under a shell that leads it.
    async fn lead<K: Keep>(
        &self,
        cancel: &CancellationToken,
        output: &mut LineOutput<K>,
    ) -> Result<LineResult, LineError> {
        let over = cancel.child_token();
        // The leader waits on its stdin, which is open as long as this lives.
        let control = Control::with_open_stdin();
        let held = control.clone();
        let command = self.command(output.mark());
        let mut sink = |chunk: becket_process::Chunk<'_>| {
            output.push(chunk);
            if output.code().is_some() {
                over.cancel();
            }
        };
        let ended = self.host.runner.run_with(&command, &self.limits(), &over, control, &mut sink).await;
        drop(held);
        output.finish();
        Ok(LineResult { code: output.code(), end: ended?.end, denied: Vec::new(), refusals: Vec::new() })
    }

    fn limits(&self) -> Limits {
        Limits {
            deadline: self.limit,
            stdout_cap: ByteCap::bytes(0),
            stderr_cap: ByteCap::bytes(0),
            sink: SinkLimit::Unlimited,
            ..Limits::default()
        }
    }

    fn command(&self, mark: &str) -> Command {
        let leader = match self.streams {
            Streams::Apart => APART,
            Streams::Joined => JOINED,
        };
        // Privileged mode, only so that BASH_ENV is read once, by the line's own shell.
        let mut args: Vec<OsString> = vec!["-p".into(), "-c".into(), leader.into(), mark.into()];
        args.extend(self.shells().into_iter().next().unwrap_or_default());
        self.started_by(Program::exec(self.host.shell.as_os_str(), args))
    }

    /// Returns the argument lists of the line's own shells: each executes the next one.
    fn shells(&self) -> Vec<Vec<OsString>> {
        let shell = self.host.shell.as_os_str().to_owned();
        let files = (self.host.env_files)(&self.call.session.id);
        let own: Vec<OsString> = [shell.clone()].into_iter().chain(self.own.iter().cloned()).collect();
        if files.is_empty() {
            return vec![own];
        }
        let count = self.own.len().to_string().into();
        let mut first: Vec<OsString> = vec![shell.clone(), "-c".into(), WITH_FILES.into(), shell, count];
        first.extend(self.own.iter().cloned());
        first.extend(files.into_iter().map(OsString::from));
        vec![first, own]
    }

    fn started_by(&self, program: Program) -> Command {
        let vars = self.host.environment.vars();
        let env = vars.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let descendants = Descendants::Adopted { kept: self.host.kept() };
        Command { env, descendants, ..Command::new(program, &self.call.session.cwd) }
    }
}

#[cfg(target_os = "linux")]
fn texts(arguments: &[OsString]) -> Vec<String> {
    arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect()
}
