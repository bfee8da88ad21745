//! The settings `sandbox` and `pluginHooks` of one file.
//!
//! INVARIANT (C7b): a value that can't be read restricts more, never less.

use super::fields::{At, Fields};
use super::switches::{strict_flag, strict_instead, strict_list};
use crate::config::source::report::Report;
use crate::config::source::tree::{Data, Member, Node, Span};
use becket_rules::EndpointPattern;
use becket_rules::shell::CommandPattern;

/// A key of other programs' sandboxes that has no effect here.
struct IgnoredKey {
    key: &'static str,
    /// The behaviour here, or the key to use.
    instead: &'static str,
    /// Set if the value `false` describes the behaviour here.
    is_false_here: bool,
}

const fn ignored(key: &'static str, instead: &'static str) -> IgnoredKey {
    IgnoredKey { key, instead, is_false_here: false }
}

const fn false_here(key: &'static str, instead: &'static str) -> IgnoredKey {
    IgnoredKey { key, instead, is_false_here: true }
}

/// Keys without effect in the setting itself.
const IGNORED: [IgnoredKey; 5] = [
    false_here("allowUnsandboxedCommands", "no line leaves the sandbox"),
    false_here("autoAllowBashIfSandboxed", "lines are asked about as without a sandbox"),
    false_here("enableWeakerNestedSandbox", "what can't be enforced is not run"),
    ignored("ignoreViolations", "a program reads the error of the system"),
    ignored("credentials", "name their files in `denyRead`"),
];

/// Keys without effect in its `network`.
const IGNORED_OF_NETWORK: [IgnoredKey; 6] = [
    ignored("allowUnixSockets", "`allowAllUnixSockets` opens the sockets of this machine"),
    ignored("allowMachLookup", "it is about macOS, where nothing runs in a sandbox"),
    ignored("httpProxyPort", "the proxy of the sandbox connects to hosts itself"),
    ignored("socksProxyPort", "the proxy of the sandbox connects to hosts itself"),
    false_here("tlsTerminate", "the proxy of the sandbox does not look into TLS"),
    ignored("strictAllowlist", "nobody is asked about a host that is not allowed"),
];

/// The settings of one file; each field is `None` if the file does not set it.
#[derive(Debug, Clone, Default)]
pub(crate) struct SandboxSheet {
    /// Set if command lines run with fewer rights.
    pub(crate) enabled: Option<At<bool>>,
    /// Set if hooks of plugins are contained.
    pub(crate) contains_plugins: Option<At<bool>>,
    /// Patterns of commands that run outside the sandbox.
    pub(crate) excluded: Option<At<Vec<String>>>,
    pub(crate) lines: GrantSheet,
    /// The grants of plugins, by full id.
    pub(crate) plugins: Vec<(String, GrantSheet)>,
}

/// The grants and denials, as they are written.
#[derive(Debug, Clone, Default)]
pub(crate) struct GrantSheet {
    pub(crate) allow_read: Option<At<Vec<String>>>,
    pub(crate) allow_write: Option<At<Vec<String>>>,
    pub(crate) deny_read: Option<At<Vec<String>>>,
    pub(crate) deny_write: Option<At<Vec<String>>>,
    pub(crate) domains: Option<At<Vec<String>>>,
    pub(crate) denied_domains: Option<At<Vec<String>>>,
    pub(crate) unix_sockets: Option<At<bool>>,
    pub(crate) local_binding: Option<At<bool>>,
    /// Set if only managed files allow domains.
    pub(crate) managed_domains_only: Option<At<bool>>,
    /// The place of a list of denials that can't be read.
    pub(crate) unread: Option<Span>,
}

/// Reads both settings.
pub(crate) fn read(fields: &mut Fields<'_, '_, '_>) -> SandboxSheet {
    let mut sheet = SandboxSheet { contains_plugins: plugin_hooks(fields), ..SandboxSheet::default() };
    let Some(member) = fields.member("sandbox") else { return sheet };
    let Some(members) = member.value.as_map() else {
        strict_instead(member, "an object", "`{\"enabled\": true}`", fields);
        sheet.enabled = Some(At { value: true, span: member.value.span });
        return sheet;
    };
    name_ignored(&IGNORED, members, fields.report);
    let mut inner = Fields::new(&member.value, members, "setting", fields.report);
    sheet.enabled = strict_flag("enabled", true, &mut inner);
    sheet.excluded =
        strict_list("excludedCommands", &mut inner).map(|at| without_everything(at, inner.report));
    sheet.lines = grant(&member.value, members, inner.report);
    let plugins = inner.map("plugins").map(|at| at.value).unwrap_or_default();
    for plugin in plugins {
        match plugin.value.as_map() {
            Some(members) => {
                sheet.plugins.push((plugin.key.clone(), grant(&plugin.value, members, inner.report)));
            }
            None => strict_instead(plugin, "an object", "`{}`", &mut inner),
        }
    }
    sheet
}

fn plugin_hooks(fields: &mut Fields<'_, '_, '_>) -> Option<At<bool>> {
    let member = fields.member("pluginHooks")?;
    let value = match member.value.as_text() {
        Some("contained") => true,
        Some("observed") => false,
        Some(_) | None => {
            strict_instead(member, "`\"observed\"` or `\"contained\"`", "`\"contained\"`", fields);
            true
        }
    };
    Some(At { value, span: member.value.span })
}

fn grant(node: &Node, members: &[Member], report: &mut Report<'_>) -> GrantSheet {
    let mut sheet = GrantSheet::default();
    let fields = &mut Fields::new(node, members, "setting", report);
    if let Some((node, members)) = object("filesystem", fields, &mut sheet) {
        let files = &mut Fields::new(node, members, "setting", fields.report);
        sheet.allow_read = strict_list("allowRead", files);
        sheet.allow_write = strict_list("allowWrite", files);
        sheet.deny_read = denied("denyRead", files, &mut sheet.unread);
        sheet.deny_write = denied("denyWrite", files, &mut sheet.unread);
    }
    if let Some((node, members)) = object("network", fields, &mut sheet) {
        name_ignored(&IGNORED_OF_NETWORK, members, fields.report);
        let network = &mut Fields::new(node, members, "setting", fields.report);
        sheet.domains = strict_list("allowedDomains", network).map(|at| readable(at, network.report));
        sheet.denied_domains = denied("deniedDomains", network, &mut sheet.unread);
        sheet.unread = sheet.unread.or(unreadable(sheet.denied_domains.as_ref(), network.report));
        sheet.unix_sockets = strict_flag("allowAllUnixSockets", false, network);
        sheet.local_binding = strict_flag("allowLocalBinding", false, network);
        sheet.managed_domains_only = strict_flag("allowManagedDomainsOnly", true, network);
    }
    sheet
}

/// Drops patterns that match every command: they would disable the sandbox.
fn without_everything(mut at: At<Vec<String>>, report: &mut Report<'_>) -> At<Vec<String>> {
    at.value.retain(|text| {
        let is_everything = CommandPattern::new(text).is_everything();
        if is_everything {
            let message =
                format!("`{text}` in `excludedCommands` would exclude every command, so it excludes none");
            report.warning(at.span, "setting-without-effect", message).rule("E5");
        }
        !is_everything
    });
    at
}

/// Drops the entries of allowed domains that can't be read: they allow nothing.
fn readable(mut at: At<Vec<String>>, report: &mut Report<'_>) -> At<Vec<String>> {
    at.value.retain(|text| match text.parse::<EndpointPattern>() {
        Ok(_) => true,
        Err(why) => {
            let message = format!("`{text}` in `allowedDomains` allows nothing: {why}");
            report.warning(at.span, "invalid-domain", message).rule("E5");
            false
        }
    });
    at
}

/// Returns the place of denied domains if one of them can't be read: it may mean any host.
fn unreadable(at: Option<&At<Vec<String>>>, report: &mut Report<'_>) -> Option<Span> {
    let at = at?;
    let (text, why) =
        at.value.iter().find_map(|text| Some((text, text.parse::<EndpointPattern>().err()?)))?;
    let message = format!("`{text}` in `deniedDomains` can't be read, so everything is refused: {why}");
    report.error(at.span, "invalid-domain", message).rule("E5");
    Some(at.span)
}

/// Warns about keys without effect, unless the value asks for what happens here anyway.
fn name_ignored(keys: &[IgnoredKey], members: &[Member], report: &mut Report<'_>) {
    for member in members {
        let known = keys.iter().find(|ignored| ignored.key == member.key);
        let is_so_anyway =
            |ignored: &&IgnoredKey| ignored.is_false_here && member.value.data == Data::Bool(false);
        if let Some(IgnoredKey { key, instead, .. }) = known.filter(|ignored| !is_so_anyway(ignored)) {
            let message = format!("`{key}` has no effect here: {instead}");
            report.warning(member.key_span, "setting-without-effect", message).rule("E5");
        }
    }
}

/// Reads a part of the setting that has to be an object.
fn object<'n>(
    key: &str,
    fields: &mut Fields<'n, '_, '_>,
    sheet: &mut GrantSheet,
) -> Option<(&'n Node, &'n [Member])> {
    let member = fields.member(key)?;
    let members = member.value.as_map();
    if members.is_none() {
        strict_instead(member, "an object", "the refusal of everything", fields);
        sheet.unread = Some(member.value.span);
    }
    members.map(|members| (&member.value, members))
}

/// Reads a list of denials. One that can't be read may mean anything.
fn denied(key: &str, fields: &mut Fields<'_, '_, '_>, unread: &mut Option<Span>) -> Option<At<Vec<String>>> {
    let member = fields.member(key)?;
    let texts = member.value.as_list().and_then(|nodes| {
        nodes.iter().map(|node| node.as_text().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    if texts.is_none() {
        strict_instead(member, "a list of strings", "the refusal of everything", fields);
        *unread = Some(member.value.span);
    }
    texts.map(|value| At { value, span: member.value.span })
}
