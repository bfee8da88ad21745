//! The settings file as types: the source of `schemas/settings.json`.
//!
//! The types only describe: the engine reads files entry by entry, so that one bad entry does not affect the others
//! (C7). Keys that are not named here belong to the host and are left to it.

use crate::EventKind;
use crate::table::HandlerKind;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The pattern of a text that is not blank.
const NOT_BLANK: &str = r"\S";
/// The pattern of a day.
const DAY: &str = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$";
/// The pattern of a URL of HTTP.
const HTTP_URL: &str = "^[Hh][Tt][Tt][Pp][Ss]?://";
/// The pattern of a rule whose parentheses, if any, are closed.
const CLOSED_RULE: &str = r"^([^(]*|[^(]*\([\s\S]*\)\s*)$";

/// A settings file: hooks, permissions, and the switches that concern them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// Hooks by event.
    pub hooks: Option<Hooks>,
    /// Permission rules.
    pub permissions: Option<Permissions>,
    /// Variables for all hooks.
    pub env: Option<BTreeMap<String, String>>,
    /// Disables all hooks; in a managed file the managed ones, too (G1, G2).
    pub disable_all_hooks: Option<bool>,
    /// Managed files only: only managed hooks, those of the host and those of force-enabled plugins run (G2).
    pub allow_managed_hooks_only: Option<bool>,
    /// Managed files only: if it contains `hooks`, the hooks of the user, the project and the local file don't run
    /// (G2).
    pub strict_plugin_only_customization: Option<Vec<String>>,
    /// Managed files only: any configuration error stops the start (C7).
    pub strict_config: Option<bool>,
    /// Managed files only: every failure of a hook blocks, if a hook can block the event (O10).
    pub fail_closed: Option<bool>,
    /// Plugins by full id; one that a managed file sets to true is force-enabled (G2).
    pub enabled_plugins: Option<BTreeMap<String, bool>>,
    /// Marketplaces of plugins by name; one whose source is a directory is used in place (C9).
    pub extra_known_marketplaces: Option<BTreeMap<String, Value>>,
    /// Managed, command line and user files only: the settings of plugins, by full id (H2).
    pub plugin_configs: Option<BTreeMap<String, PluginConfig>>,
    /// The only URLs that HTTP hooks may post to; `*` matches any text (H5).
    pub allowed_http_hook_urls: Option<Vec<String>>,
    /// The only variables that headers of HTTP hooks may name (H5).
    pub http_hook_allowed_env_vars: Option<Vec<String>>,
    /// Managed, command line and user files only: private networks that HTTP hooks may reach, as CIDR (S1).
    pub http_hook_allowed_networks: Option<Vec<String>>,
    /// Managed files only: `false` keeps HTTP hooks from connecting to this machine (S1).
    pub http_hook_loopback: Option<bool>,
    /// Managed, command line and user files only: HTTP hooks use the proxies of the environment (S2).
    pub http_hook_proxy: Option<bool>,
    /// Managed and user files only: names of programs, such as build servers, that continue after the command line that
    /// started them (E7).
    pub keep_processes: Option<Vec<String>>,
    /// The rules for programs that a command line executes (E1–E3).
    pub exec: Option<ExecSetting>,
    /// The rights of command lines, and of hooks of plugins that are contained (E5).
    pub sandbox: Option<SandboxSetting>,
    /// The rights of hooks of plugins: `contained` leaves only the usual ones (E5).
    pub plugin_hooks: Option<PluginHooks>,
    /// The time that hooks may take, in milliseconds: `becket profile` fails if one takes longer.
    pub hook_budget: Option<HookBudgetSetting>,
    /// The name of the output style of `becket run`: a built-in one, or a file below `output-styles`.
    pub output_style: Option<String>,
    /// Managed, command line and user files only: the audit log of verdicts; only a managed file can require it.
    pub audit: Option<AuditSetting>,
    /// Managed files only: a program that prints the managed settings, which count instead of the files (C4).
    pub policy_helper: Option<PolicyHelperSetting>,
}

/// The setting `policyHelper`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PolicyHelperSetting {
    /// The program: an absolute path without `.` and `..`. It is run without arguments.
    pub path: String,
    /// The time that it may take, in milliseconds, at least 1000; 10000 if it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1000))]
    pub timeout_ms: Option<u64>,
    /// For agents that run it again while a session lasts: the time between two runs in milliseconds, at least 60000, or 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh_interval_ms: Option<u64>,
}

/// The setting `audit`: only its mode, or an object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AuditSetting {
    /// The mode.
    Mode(AuditMode),
    /// The options.
    Options(AuditOptions),
}

/// The effect of a record that can't be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AuditMode {
    /// Nothing is recorded.
    Off,
    /// The user is warned.
    On,
    /// Every action that can be blocked is blocked.
    Required,
}

/// The options of the setting `audit`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct AuditOptions {
    /// The mode; `on` if it is absent.
    pub mode: Option<AuditMode>,
    /// The directory of the logs, absolute.
    pub directory: Option<String>,
    /// The file of the key that signs checkpoints, absolute.
    pub key: Option<String>,
    /// The directory of copies of checkpoints, absolute.
    pub checkpoints: Option<String>,
    /// The number of records after which a checkpoint is signed.
    #[schemars(range(min = 1))]
    pub checkpoint_every: Option<u64>,
    /// The maximum size of a file, in bytes.
    #[schemars(range(min = 65536))]
    pub max_bytes: Option<u64>,
    /// The number of files that are kept.
    #[schemars(range(min = 1))]
    pub max_files: Option<u32>,
}

/// The setting `hookBudget`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum HookBudgetSetting {
    /// The budget of all events.
    All(f64),
    /// The budgets of single events, by name.
    Events(BTreeMap<String, f64>),
}

/// The setting `exec`: only its mode, or an object.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ExecSetting {
    /// The mode.
    Mode(ExecMode),
    /// The options.
    Options(ExecOptions),
}

/// The way in which rules for Bash apply to the programs of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExecMode {
    /// The rules are evaluated when a program is executed; if that is not possible, the line does not run.
    Supervised,
    /// Managed, command line and user files only: the rules are evaluated only on the text of the line.
    TextOnly,
}

/// The consequence of a denial for the rest of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ExecOnDeny {
    /// The program ends with 126, and the line continues.
    GoOn,
    /// The line ends.
    EndLine,
}

/// The options of the setting `exec`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct ExecOptions {
    /// The mode.
    pub mode: Option<ExecMode>,
    /// The consequence of a denial.
    pub on_deny: Option<ExecOnDeny>,
}

/// The setting `sandbox`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct SandboxSetting {
    /// Command lines can write only below the working directories and the directory for temporary files, and have no
    /// network.
    pub enabled: Option<bool>,
    /// Managed, command line and user files only: patterns as in rules for Bash, `docker *`. Lines that consist only of
    /// these commands run outside of the sandbox, under the rules.
    pub excluded_commands: Option<Vec<String>>,
    /// The rights to files.
    pub filesystem: Option<SandboxFiles>,
    /// The rights to the network.
    pub network: Option<SandboxNetwork>,
    /// Managed, command line and user files only: additional rights of contained hooks of plugins, by full id.
    pub plugins: Option<BTreeMap<String, PluginSandbox>>,
}

/// The rights to files in the setting `sandbox`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct SandboxFiles {
    /// Managed, command line and user files only: paths that contained hooks of a plugin can read, in addition to the
    /// usual ones.
    pub allow_read: Option<Vec<String>>,
    /// Managed, command line and user files only: paths that can be written, in addition to the usual ones.
    pub allow_write: Option<Vec<String>>,
    /// Paths that can be neither read nor written.
    pub deny_read: Option<Vec<String>>,
    /// Paths that can't be written.
    pub deny_write: Option<Vec<String>>,
}

/// The rights to the network in the setting `sandbox`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct SandboxNetwork {
    /// Managed, command line and user files only: hosts that can be reached, through a proxy: `example.com`,
    /// `*.example.com`, `example.com:443`, `10.1.0.0/16`. `["*"]` opens the network.
    pub allowed_domains: Option<Vec<String>>,
    /// Hosts that can't be reached, even if they are allowed.
    pub denied_domains: Option<Vec<String>>,
    /// Managed files only: `allowedDomains` counts only in managed files.
    pub allow_managed_domains_only: Option<bool>,
    /// Managed, command line and user files only: programs can listen on loopback addresses that only they can reach.
    pub allow_local_binding: Option<bool>,
    /// Managed, command line and user files only: sockets of this machine can be opened.
    pub allow_all_unix_sockets: Option<bool>,
}

/// The additional rights of a plugin's contained hooks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct PluginSandbox {
    /// The rights to files.
    pub filesystem: Option<SandboxFiles>,
    /// The rights to the network.
    pub network: Option<SandboxNetwork>,
}

/// The rights of hooks of plugins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PluginHooks {
    /// All rights.
    Observed,
    /// The hooks can read the system, the project and their own directory, and write to their data directory and a
    /// private temporary one. They have no network.
    Contained,
}

/// The settings of a plugin.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct PluginConfig {
    /// Values of the options that its manifest declares, by key.
    pub options: Option<Map<String, Value>>,
}

/// Permission rules, in the grammar `Tool` or `Tool(specifier)` (P1).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Permissions {
    /// Calls that run without asking.
    pub allow: Option<Vec<String>>,
    /// Calls that are asked about.
    pub ask: Option<Vec<String>>,
    /// Calls that never run.
    pub deny: Option<Vec<String>>,
    /// Directories in addition to the working directory.
    pub additional_directories: Option<Vec<String>>,
    /// The mode in which a session starts.
    pub default_mode: Option<Mode>,
    /// `"disable"` forbids the mode `bypassPermissions`.
    pub disable_bypass_permissions_mode: Option<Disable>,
}

/// A permission mode (P14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Everything except reads is asked about; `manual` is the older name.
    #[serde(alias = "manual")]
    Default,
    /// Files are not edited.
    Plan,
    /// Edits inside the working directories run.
    AcceptEdits,
    /// A classifier decides.
    Auto,
    /// Calls that would need a question are denied.
    DontAsk,
    /// Everything that is not forbidden runs.
    BypassPermissions,
}

/// The one value of a switch that can only be turned off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Disable {
    /// Off.
    Disable,
}

/// Matcher groups by event (C1).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Hooks(pub BTreeMap<String, Vec<MatcherGroup>>);

impl JsonSchema for Hooks {
    fn schema_name() -> Cow<'static, str> {
        "Hooks".into()
    }

    /// Returns the schema: an object with one property for each event of the table, or a list in the flat layout (C2).
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let group = generator.subschema_for::<MatcherGroup>();
        let handler = generator.subschema_for::<Handler>();
        let properties: Map<String, Value> = EventKind::ALL
            .map(|event| {
                let kinds: Vec<&str> = event.spec().handlers.iter().map(|(kind, _)| kind.name()).collect();
                let of_kind = json_schema!({"properties": {"type": {"enum": kinds}}});
                let items = if kinds.len() == HandlerKind::ALL.len() {
                    group.clone()
                } else {
                    json_schema!({"allOf": [group, {"properties": {"hooks": {"items": of_kind}}}]})
                };
                let list = json_schema!({
                    "description": event.spec().summary, "type": "array", "items": items
                });
                (event.name().to_owned(), list.into())
            })
            .into_iter()
            .collect();
        let events: Vec<&str> = EventKind::ALL.iter().map(|event| event.name()).collect();
        let query = json_schema!({
            "properties": {"type": {"const": "query"}, "prompt": {"type": "string"}},
            "required": ["type", "prompt"]
        });
        json_schema!({
            "description": "Matcher groups by event, or entries of the flat layout.",
            "anyOf": [
                {"type": "object", "properties": Value::Object(properties), "additionalProperties": false},
                {"type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "event": {"enum": events},
                        "matcher": {"type": ["string", "null"]},
                        "config": {"anyOf": [handler, query]}
                    },
                    "required": ["event", "config"]
                }}
            ]
        })
    }
}

/// Handlers, with the values of the event's subject that they run for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["hooks"]))]
#[non_exhaustive]
pub struct MatcherGroup {
    /// Exact names joined by `|`, or an ECMAScript expression; absent, empty or `*` matches everything (M1–M3).
    pub matcher: Option<String>,
    /// The handlers to run.
    pub hooks: Vec<Handler>,
}

/// A handler; its `type` selects the kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Handler {
    /// Runs a process (H2).
    Command(CommandHandler),
    /// Posts the input to a URL (H5).
    Http(HttpHandler),
    /// Calls a tool of a connected MCP server (H6).
    McpTool(McpToolHandler),
    /// Asks a model once (H7).
    Prompt(PromptHandler),
    /// Asks a model that has tools (H8).
    Agent(AgentHandler),
}

/// The effect of a handler's failure (O10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// The failure decides nothing; the default.
    Continue,
    /// The failure blocks.
    Block,
}

/// The effect of a handler's answers (G5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HandlerMode {
    /// The answers count; the default.
    Enforce,
    /// The answers don't count, and the user sees the effect that they would have had.
    Warn,
    /// The answers don't count, and reports contain the effect that they would have had.
    Observe,
}

/// The shell of a command in shell form (H2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Shell {
    /// `/bin/sh` on Unix, Git Bash on Windows; the default.
    Bash,
    /// `pwsh`, or `powershell` if it is missing.
    PowerShell,
}

/// The setting of a command about starting it ahead of its event (H3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Warm {
    /// It is started ahead where that saves time and changes nothing.
    Auto,
    /// It is started for each event; the default.
    Off,
}

/// The keys that all handlers share are in each struct, so that the schema describes them where people look.
macro_rules! handlers {
    ($($(#[$doc:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$of_field])* pub $field: $type,)*
            /// One permission rule; the handler runs only for calls that it matches (P12). Tool events only.
            #[schemars(extend("pattern" = CLOSED_RULE))]
            #[serde(rename = "if", default)]
            pub condition: Option<String>,
            /// The time limit in seconds, which may be a fraction; default: that of the event (H11).
            #[schemars(extend("exclusiveMinimum" = 0))]
            #[serde(default)]
            pub timeout: Option<f64>,
            /// The message that is shown while it runs.
            #[serde(default)]
            pub status_message: Option<String>,
            /// Removes it after its first successful run; in a skill's frontmatter only (C11).
            #[serde(default)]
            pub once: Option<bool>,
            /// The effect of a failure: `continue`, the default, or `block` (O10).
            #[serde(default)]
            pub on_failure: Option<OnFailure>,
            /// Becket extension: `observe` or `warn` runs it without counting its answers (G5).
            #[serde(default)]
            pub mode: Option<HandlerMode>,
            /// Becket extension: the last day of the observation, in UTC; a managed file has to name it (G5).
            #[schemars(extend("pattern" = DAY))]
            #[serde(default)]
            pub observe_until: Option<String>,
            /// Becket extension: its position among the handlers of its source; lower comes first (C6).
            #[serde(default)]
            pub order: Option<i64>,
        }
    )*};
}

handlers! {
    /// Runs a process (H2).
    CommandHandler {
        /// The text for the shell; with `args`, the program.
        #[schemars(extend("pattern" = NOT_BLANK))]
        command: String,
        /// The arguments of the program, possibly none: nothing is tokenised, and no shell is used.
        #[serde(default)]
        args: Option<Vec<String>>,
        /// The shell; only without `args`.
        #[serde(default)]
        shell: Option<Shell>,
        /// Runs it in the background: the event continues at once (A1).
        #[serde(rename = "async", default)]
        background: Option<bool>,
        /// Runs it in the background, and exit code 2 wakes an idle host (A4).
        #[serde(default)]
        async_rewake: Option<bool>,
        /// Becket extension: it may ask the user (Q1).
        #[serde(default)]
        questions: Option<bool>,
        /// Becket extension: one process answers many events, a line of JSON each.
        #[serde(default)]
        worker: Option<bool>,
        /// Becket extension: `auto` if it may be started ahead of its event.
        #[serde(default)]
        warm: Option<Warm>,
    }

    /// Posts the input to a URL (H5).
    HttpHandler {
        /// The URL to post to; nothing is expanded in it.
        #[schemars(extend("pattern" = HTTP_URL))]
        url: String,
        /// Header values; `$NAME` is expanded if `allowedEnvVars` lists it.
        #[serde(default)]
        headers: Option<BTreeMap<String, String>>,
        /// The variables that header values may name.
        #[serde(default)]
        allowed_env_vars: Option<Vec<String>>,
    }

    /// Calls a tool of a connected MCP server (H6).
    McpToolHandler {
        /// The server's name.
        #[schemars(extend("pattern" = NOT_BLANK))]
        server: String,
        /// The tool's name on the server.
        #[schemars(extend("pattern" = NOT_BLANK))]
        tool: String,
        /// Its input; `${path.to.field}` in strings is filled from the event's input.
        #[serde(default)]
        input: Option<Map<String, Value>>,
    }

    /// Asks a model once (H7).
    PromptHandler {
        /// The question to judge; `$ARGUMENTS` is the event's input.
        #[schemars(extend("pattern" = NOT_BLANK))]
        prompt: String,
        /// The model; default: the host's small fast model.
        #[serde(default)]
        model: Option<String>,
        /// A refusal becomes feedback instead of ending the turn.
        #[serde(default)]
        continue_on_block: Option<bool>,
    }

    /// Asks a model that has tools (H8).
    AgentHandler {
        /// The question to judge; `$ARGUMENTS` is the event's input.
        #[schemars(extend("pattern" = NOT_BLANK))]
        prompt: String,
        /// The model; default: the host's small fast model.
        #[serde(default)]
        model: Option<String>,
    }
}
