//! The errors outside of the engine: arguments, files, streams. Each error names the problem, its position and a way to
//! fix it.

use crate::report::run::BadLine;
use becket_base::text_file::Unread;
use becket_embed::UnknownEvent;
use becket_embed::models::BadScript;
use becket_fire::{FiringError, NoProjectDirectory};
use becket_model::wire::input::InputError;
use becket_tools::discovery::DiscoveryError;
use std::io;
use std::path::PathBuf;

/// The exit code of a command, or the reason why it failed.
pub(crate) type CommandResult = Result<u8, CliError>;

/// The reason why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error("{0}{more}", more = all_events(.0))]
    UnknownEvent(#[from] UnknownEvent),
    #[error("there is no tool `{name}`{}", unknown_tool(.near))]
    UnknownTool { name: String, near: Option<&'static str> },
    #[error("`{event}` is about a tool call: name the tool, as in `--tool Bash`")]
    NoTool { event: &'static str },
    #[error("`--tool` does not apply to `{event}`, whose input has no `tool_name`")]
    ToolWithoutUse { event: &'static str },
    #[error("{what} is not valid JSON: {why}{}", instead(.example))]
    InputNotJson { what: &'static str, why: String, example: Option<String> },
    #[error("{what} must be a JSON object, but is {got}")]
    InputNotAnObject { what: &'static str, got: &'static str },
    #[error("`--set {given}` has no `=`: write `--set key=value`")]
    SetWithoutValue { given: String },
    #[error("`{event}` has no input field `{name}`{}", all_fields(.near, .event))]
    UnknownField { event: &'static str, name: String, near: Option<String> },
    #[error("`--set {key}` goes into `{part}`, which is not an object")]
    SetInsideScalar { key: String, part: String },
    #[error("the input does not fit the event: {why}; `becket events {event}` shows the fields")]
    WrongInput { event: &'static str, why: InputError },
    #[error("`--session` must not be empty")]
    EmptySession,
    #[error("stdin is a terminal: pipe {what} in, as in `… | becket …`")]
    StdinIsTerminal { what: &'static str },
    #[error("{what} is larger than {} MiB", .limit / (1024 * 1024))]
    TooLarge { what: String, limit: u64 },
    #[error("{0}")]
    Unread(#[from] Unread),
    #[error("stdin can't be read: {0}")]
    Stdin(io::Error),
    #[error("{what} is not UTF-8 from byte {at} on")]
    NotUtf8 { what: String, at: usize },
    #[error("`-C {}` is not an accessible directory: {why}", path.display())]
    NoDirectory { path: PathBuf, why: String },
    #[error("`{}` is not an accessible directory: {why}", path.display())]
    NoFolder { path: PathBuf, why: String },
    #[error("there is no home directory to search; name the directory with `--session-dir`")]
    NoSessionDirectory,
    #[error("{0}")]
    NoProjectDirectory(#[from] NoProjectDirectory),
    #[error("the working directory is gone; change to another or use `-C DIR`")]
    NoWorkingDirectory,
    #[error("`{}` contains nothing that `check` can read: give a settings file, a hooks.json, a plugin or project directory, a skill or an agent (.md)", path.display())]
    NothingToCheck { path: PathBuf },
    #[error("the baseline `{}` can't be used: {why}", path.display())]
    Baseline { path: PathBuf, why: String },
    #[error("`{}` changed while it was checked, so it was left alone: check it again", path.display())]
    ChangedSince { path: PathBuf },
    #[error("`{}` was not fixed: {why}", path.display())]
    NotFixed { path: PathBuf, why: String },
    #[error("`{}` can't be searched: {why}", path.display())]
    Unwalked { path: PathBuf, why: String },
    #[error("{why}")]
    Start { why: String },
    #[error("`--plugin-dir {}` is not a plugin: {why}", path.display())]
    NoPlugin { path: PathBuf, why: String },
    #[error(
        "there is nothing to check: no settings were found for `{}`. Go to the project, name its directory with `-C`, or name \
         the files",
        start.display()
    )]
    NoFiles { start: PathBuf },
    #[error("the answers in `{}` can't be used: {why}", path.display())]
    Answers { path: PathBuf, why: String },
    #[error("{0}")]
    ModelScript(#[from] BadScript),
    #[error("the MCP servers can't be read: {why}")]
    McpConfig { why: String },
    #[error("`--allow-network {given}` can't be used: {why}")]
    Network { given: String, why: String },
    #[error("{why}")]
    McpEdit { why: String },
    #[error("{why}")]
    Mcp { why: String },
    #[error("`{}`: {why}", path.display())]
    McpFile { path: PathBuf, why: String },
    #[error("there is no MCP server `{name}`{}; `becket mcp list` shows them", did_you_mean(.near))]
    NoMcpServer { name: String, near: Option<String> },
    #[error("`--{option} {given}` can't be used: write `{wanted}`")]
    McpOption { option: &'static str, given: String, wanted: &'static str },
    #[error(
        "there are no cases for `{}`: write `.claude/tests/NAME.toml`, or a comment such as \
         `# becket: deny Bash git push origin main` in a hook (docs/guide/test.md)",
        root.display()
    )]
    NoCases { root: PathBuf },
    #[error("none of the {all} cases has `{filter}` in its name or file{}", did_you_mean(.near))]
    NoSuchCase { filter: String, all: usize, near: Option<String> },
    #[error("there are no transcripts in `{places}`: name a transcript (.jsonl) or a directory with some")]
    NoTranscripts { places: String },
    #[error(
        "there is no tool call `{id}` (transcripts read: {files}): the id is that of a `tool_use` block, such as `toolu_01A09…`; \
         name the transcript with `--transcript PATH`"
    )]
    NoSuchCall { id: String, files: usize },
    #[error(
        "there are no records of hooks in `{}`: set `BECKET_PROFILE=1` for `becket run`, `serve`, `fire` or `test`, or \
         read transcripts with `--transcripts`",
        project.display()
    )]
    NoRecords { project: PathBuf },
    #[error("the records and transcripts have no time of a hook")]
    NoTimes,
    #[error("{why}")]
    Lab { why: String },
    #[error("nothing was allowed: {why}")]
    NotAllowed { why: String },
    #[error(transparent)]
    Trust(#[from] crate::trust::NotRecorded),
    #[error("there is no home directory for the record of what is installed: set HOME to the path of one")]
    NoRecord,
    #[error("{why}")]
    Guard { why: String },
    #[error("nothing was changed: {why}")]
    Record { why: becket_install::RecordError },
    #[error("no becket can be registered: {why}")]
    Program { why: String },
    #[error("{why}")]
    Usage { why: String },
    #[error("the session can't start as `initialize` requests: {why}")]
    Initialize { why: String },
    #[error("line {line} of stdin is not a message: {why}")]
    InputLine { line: u64, why: BadLine },
    #[error("nothing was run: `{}` is not trusted", folder.display())]
    NotTrusted { folder: PathBuf },
    #[error("the session can't be opened: {why}")]
    Session { why: String },
    #[error("nothing was run: {why}")]
    NothingRun { why: becket_exec::StartError },
    #[error("{why}")]
    Serve { why: String },
    #[error("{why}")]
    Acp { why: String },
    #[error("no model is available: {why}")]
    NoModel { why: String },
    #[error("there is no schema of `{what}` in this build")]
    NoSchema { what: String },
    #[error("`{}` can't be written: {why}", path.display())]
    Write { path: PathBuf, why: io::Error },
    #[error("nothing was changed: {why}")]
    NotUpdated { why: String },
    #[error("{why}")]
    Audit { why: String },
    #[error("{0}")]
    Firing(#[from] FiringError),
}

impl From<io::Error> for CliError {
    fn from(error: io::Error) -> Self {
        CliError::Firing(FiringError::Output(error))
    }
}

impl From<DiscoveryError> for CliError {
    fn from(error: DiscoveryError) -> Self {
        match error {
            DiscoveryError::Unread(why) => CliError::Unread(why),
            DiscoveryError::Malformed(why) => CliError::McpConfig { why: why.to_string() },
            DiscoveryError::InvalidTimeout(why) => CliError::McpConfig { why: why.to_string() },
        }
    }
}

impl CliError {
    /// Returns the exit code: unusable arguments of `run` differ from work that failed.
    pub(crate) const fn exit_code(&self) -> u8 {
        if matches!(self, CliError::Usage { .. }) { 2 } else { 1 }
    }

    /// Returns the exit code of a command that only examines: a configuration that forbids the start of a session has
    /// still been examined.
    pub(crate) const fn exit_code_of_an_examination(&self) -> u8 {
        if matches!(self, CliError::Start { .. }) { 1 } else { 2 }
    }

    /// Returns the error for a file or directory that can't be read.
    pub(crate) fn unread(path: impl Into<PathBuf>, why: &impl std::fmt::Display) -> Self {
        CliError::Unread(Unread::Refused { path: path.into(), why: why.to_string() })
    }

    /// Returns an error in the arguments of `run`.
    pub(crate) fn usage(why: impl std::fmt::Display) -> Self {
        CliError::Usage { why: why.to_string() }
    }

    /// Returns an error of guards that were not added or removed.
    pub(crate) fn guard(why: impl std::fmt::Display) -> Self {
        CliError::Guard { why: why.to_string() }
    }

    /// Returns an error of a test that could not be run.
    pub(crate) fn lab(why: &impl std::fmt::Display) -> Self {
        CliError::Lab { why: why.to_string() }
    }

    /// Returns an error of an update of becket itself.
    pub(crate) fn not_updated(why: impl std::fmt::Display) -> Self {
        CliError::NotUpdated { why: why.to_string() }
    }

    /// Returns an error of the audit log.
    pub(crate) fn audit(why: &impl std::fmt::Display) -> Self {
        CliError::Audit { why: why.to_string() }
    }

    /// Returns an error of a server, or of the connection to it.
    pub(crate) fn mcp(why: impl std::fmt::Display) -> Self {
        CliError::Mcp { why: why.to_string() }
    }
}

fn all_fields(near: &Option<String>, event: &str) -> String {
    let all = format!("`becket events {event}` lists them");
    match near {
        Some(near) => format!("; did you mean `{near}`? ({all})"),
        None => format!("; {all}"),
    }
}

fn all_events(unknown: &UnknownEvent) -> &'static str {
    if unknown.near.is_empty() { "; `becket events` lists all" } else { " (`becket events` lists all)" }
}

fn unknown_tool(near: &Option<&'static str>) -> String {
    match near {
        Some(near) => format!("; did you mean `{near}`? (`--set tool_name=NAME` takes any name)"),
        None => ": for a tool of your own agent write `--set tool_name=NAME`".to_owned(),
    }
}

fn instead(example: &Option<String>) -> String {
    example.as_ref().map(|example| format!("; write `--input '{example}'`")).unwrap_or_default()
}

fn did_you_mean(near: &Option<String>) -> String {
    near.as_ref().map_or(String::new(), |near| format!(" (did you mean `{near}`?)"))
}
