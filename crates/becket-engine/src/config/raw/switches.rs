//! Single settings: switches, limits for HTTP handlers, the environment of hooks.
//!
//! INVARIANT (C7b): a restriction of a wrong type is never read as absent. It counts as its strict value.

use super::audit;
use super::exec_switch::{self, ExecSwitch};
use super::fields::{At, Fields};
use super::hook_budget;
use super::sandbox::{self, SandboxSheet};
use super::sheet::Sheet;
use crate::config::audit::AuditSetting;
use crate::config::hook_budget::HookBudget;
use crate::config::source::report::Report;
use crate::config::source::tree::{Data, Member, Node, Span};
use becket_base::address::Network;
use becket_model::Source;

/// The switches of one file; each is `None` if the file does not set it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Switches {
    pub(crate) disable_all_hooks: Option<At<bool>>,
    pub(crate) managed_only: Option<At<bool>>,
    pub(crate) plugin_only_hooks: Option<At<bool>>,
    pub(crate) strict_config: Option<At<bool>>,
    pub(crate) fail_closed: Option<At<bool>>,
    pub(crate) http_loopback: Option<At<bool>>,
    pub(crate) http_proxy: Option<At<bool>>,
    pub(crate) http_urls: Option<At<Vec<String>>>,
    pub(crate) http_env_vars: Option<At<Vec<String>>>,
    pub(crate) http_networks: Option<At<Vec<Network>>>,
    pub(crate) keep_processes: Option<At<Vec<String>>>,
    pub(crate) exec: ExecSwitch,
    pub(crate) sandbox: SandboxSheet,
    pub(crate) hook_budget: HookBudget,
    pub(crate) output_style: Option<At<String>>,
    pub(crate) audit: Option<At<AuditSetting>>,
    /// Plugins by full id, on or off.
    pub(crate) plugins: Vec<(String, bool)>,
}

/// Reads the settings at the top level of a file.
pub(crate) fn read(members: &[Member], sheet: &mut Sheet, report: &mut Report<'_>) {
    let root = Node { data: Data::Null, span: Default::default() };
    let mut fields = Fields::new(&root, members, "setting", report);
    let fields = &mut fields;
    sheet.switches = Switches {
        disable_all_hooks: fields.flag("disableAllHooks"),
        managed_only: strict_flag("allowManagedHooksOnly", true, fields),
        plugin_only_hooks: plugin_only(fields),
        strict_config: strict_flag("strictConfig", true, fields),
        fail_closed: strict_flag("failClosed", true, fields),
        http_loopback: strict_flag("httpHookLoopback", false, fields),
        http_proxy: strict_flag("httpHookProxy", false, fields),
        http_urls: strict_list("allowedHttpHookUrls", fields),
        http_env_vars: strict_list("httpHookAllowedEnvVars", fields),
        http_networks: networks(fields),
        keep_processes: strict_list("keepProcesses", fields),
        exec: exec_switch::read(fields),
        sandbox: sandbox::read(fields),
        hook_budget: hook_budget::read(fields),
        output_style: fields.text("outputStyle"),
        audit: audit::read(fields),
        plugins: plugins(fields, &mut sheet.broken_guard),
    };
    sheet.env = env(fields);
}

/// Reads a flag; one of a wrong type counts as `strict`.
pub(super) fn strict_flag(key: &str, strict: bool, fields: &mut Fields<'_, '_, '_>) -> Option<At<bool>> {
    let member =
        fields.written(key).filter(|member| member.is_repeated || member.value.data != Data::Null)?;
    match member.value.data {
        Data::Bool(value) if !member.is_repeated => Some(At { value, span: member.value.span }),
        Data::Bool(_) | Data::Null | Data::Number(_) | Data::Text(_) | Data::List(_) | Data::Map(_) => {
            strict_instead(member, "true or false", if strict { "true" } else { "false" }, fields);
            Some(At { value: strict, span: member.value.span })
        }
    }
}

/// Reads a list of what is allowed; one of a wrong type allows nothing.
pub(super) fn strict_list(key: &str, fields: &mut Fields<'_, '_, '_>) -> Option<At<Vec<String>>> {
    let member = fields.member(key)?;
    let texts = member.value.as_list().and_then(|nodes| {
        nodes.iter().map(|node| node.as_text().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    let value = texts.unwrap_or_else(|| {
        strict_instead(member, "a list of strings", "an empty list", fields);
        Vec::new()
    });
    Some(At { value, span: member.value.span })
}

pub(super) fn strict_instead(
    member: &Member,
    expected: &str,
    instead: &str,
    fields: &mut Fields<'_, '_, '_>,
) {
    let (key, kind) = (&member.key, member.value.kind());
    let message = match member.is_repeated {
        true => format!("`{key}` occurs twice; it counts as {instead}"),
        false => format!("`{key}` must be {expected}, not {kind}; it counts as {instead}"),
    };
    fields.report.error(member.value.span, "wrong-type", message).rule("C7b");
}

/// Reads `strictPluginOnlyCustomization`: a list that may name `hooks`, or true for everything.
fn plugin_only(fields: &mut Fields<'_, '_, '_>) -> Option<At<bool>> {
    let member = fields.member("strictPluginOnlyCustomization")?;
    let named = |nodes: &[Node]| {
        nodes.iter().map(Node::as_text).collect::<Option<Vec<_>>>().map(|names| names.contains(&"hooks"))
    };
    let value = match &member.value.data {
        Data::Bool(value) => Some(*value),
        Data::List(nodes) => named(nodes),
        Data::Null | Data::Number(_) | Data::Text(_) | Data::Map(_) => None,
    };
    let value = value.unwrap_or_else(|| {
        strict_instead(member, "a list such as [\"hooks\"], or true", "[\"hooks\"]", fields);
        true
    });
    Some(At { value, span: member.value.span })
}

fn networks(fields: &mut Fields<'_, '_, '_>) -> Option<At<Vec<Network>>> {
    let texts = strict_list("httpHookAllowedNetworks", fields)?;
    let mut value = Vec::new();
    for text in &texts.value {
        match text.parse() {
            Ok(network) => value.push(network),
            Err(error) => {
                let message = format!("`{text}` is not a network: {error}");
                fields
                    .report
                    .error(texts.span, "invalid-network", message)
                    .help("write it like `10.1.0.0/16`")
                    .rule("S1");
            }
        }
    }
    Some(At { value, span: texts.span })
}

/// Reads the switches of plugins; null is none (C5). In a managed file, a value that can't be read breaks the file: the
/// plugin may be a guard (C7b).
fn plugins(fields: &mut Fields<'_, '_, '_>, broken_guard: &mut Option<String>) -> Vec<(String, bool)> {
    let is_managed = *fields.report.source() == Source::Policy;
    let mut breaks = |at: Span, report: &Report<'_>, why: String| {
        if is_managed {
            broken_guard.get_or_insert_with(|| format!("{}: {why}", report.location(at)));
        }
    };
    let Some(member) = fields.member("enabledPlugins") else {
        return Vec::new();
    };
    let Some(map) = member.value.as_map() else {
        fields.wrong::<()>(member, "an object");
        breaks(member.value.span, fields.report, fields.report.latest_error());
        return Vec::new();
    };
    let mut switches = Vec::new();
    for member in map {
        match &member.value.data {
            Data::Bool(on) => switches.push((member.key.clone(), *on)),
            // A list of versions enables the plugin in those versions.
            Data::List(_) => switches.push((member.key.clone(), true)),
            Data::Null => {}
            // The error is reported where plugins are loaded.
            Data::Number(_) | Data::Text(_) | Data::Map(_) => {
                let why = format!("`{}` must be true or false, not {}", member.key, member.value.kind());
                breaks(member.value.span, fields.report, why);
            }
        }
    }
    switches
}

/// A variable of a file's `env`.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) span: Span,
}

/// Reads variables for hooks. Numbers and flags are taken as they are written.
fn env(fields: &mut Fields<'_, '_, '_>) -> Vec<Variable> {
    let Some(map) = fields.map("env") else {
        return Vec::new();
    };
    let mut pairs = Vec::new();
    for member in map.value {
        let value = match &member.value.data {
            Data::Text(text) => Some(text.clone()),
            Data::Number(number) => Some(number.to_string()),
            Data::Bool(flag) => Some(flag.to_string()),
            Data::Null | Data::List(_) | Data::Map(_) => None,
        };
        let is_name = !member.key.is_empty() && !member.key.contains(['=', '\0']);
        match value.filter(|value| is_name && !value.contains('\0')) {
            Some(value) => pairs.push(Variable { name: member.key.clone(), value, span: member.key_span }),
            None => {
                let message = format!("`{}` can't be set as a variable", member.key);
                let help = "a variable's name has no `=`, and its value is a string";
                fields.report.error(member.key_span, "invalid-variable", message).help(help).rule("C7");
            }
        }
    }
    pairs
}
