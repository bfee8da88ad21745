//! Resolves files into one configuration: precedence if they disagree, withheld grants, errors that stop the start.
//!
//! Nothing here reads a file or the clock: the same [`LoadedFiles`] always gives the same [`Config`].

mod compile;
mod grants;
mod merge;
mod parts;
mod sandbox;
mod stop;

pub(crate) use compile::{CompileContext, handler};
pub(crate) use grants::is_loose;
pub(crate) use parts::{Part, parts};
pub use stop::StopsStart;

use super::config::Config;
use super::load::LoadedFiles;
use super::policy::Policy;
use crate::config::handler::Action;
use crate::config::hookset::{HandlersByEvent, HookModule, HookSet, RejectedHandler};
use std::sync::Arc;

/// Merges what was loaded into one configuration (C5–C7b, G3).
pub fn resolve(loaded: &LoadedFiles) -> Config {
    let request = &loaded.request;
    let mut parts = parts(loaded);
    let policy = merge::policy(&mut parts, request.strict);
    for part in &mut parts {
        check_addresses(part, &policy);
    }
    let grants = grants::collect(&mut parts, loaded);
    let sandbox = sandbox::of(&mut parts, loaded);
    let settings_env = merge::environment(&parts);
    let mut making = CompileContext::new(request, &policy);
    let hooks = Arc::new(hook_set(&mut parts, &mut making));
    let stops = stop::of_managed(&parts).or_else(|| stop::of_named(&parts));
    let unread = parts.iter().filter(|part| part.unread.is_some());
    let unreadable = unread.map(|part| part.layer.file.clone()).collect();
    let diagnostics = parts::finish(parts, loaded);
    let stops_start = stops.or_else(|| stop::of_strictness(&policy, &diagnostics));
    Config {
        hooks,
        permissions: grants.rules,
        additional_directories: grants.directories,
        default_mode: grants.mode,
        policy,
        sandbox,
        settings_env,
        plugins: loaded.plugins.clone(),
        trust: request.trust,
        next_sequence: making.sequence,
        unreadable,
        missing_plugins: loaded.missing_plugins.clone(),
        withheld: grants.withheld,
        files: loaded.layers().len(),
        diagnostics,
        stops_start,
    }
}

/// Compiles the handlers of all parts.
fn hook_set(parts: &mut [Part<'_>], making: &mut CompileContext<'_>) -> HookSet {
    let mut handlers = HandlersByEvent::default();
    let mut rejected: Vec<RejectedHandler> = Vec::new();
    let mut modules: Vec<HookModule> = Vec::new();
    for part in parts {
        // The rest of the sheet stays: a broken guard affects the privileges of its handlers.
        let entries = std::mem::take(&mut part.sheet.entries);
        for entry in entries {
            handlers.push(handler(&entry, part, making));
        }
        rejected.append(&mut part.sheet.rejected);
        modules.append(&mut part.sheet.modules);
    }
    handlers.into_set(rejected).with_modules(modules)
}

/// Reports a URL whose literal address no handler, or none of this file, may post to, before anything runs (S1).
fn check_addresses(part: &mut Part<'_>, policy: &Policy) {
    let entries = std::mem::take(&mut part.sheet.entries);
    for entry in entries {
        let refused = match &entry.handler.action {
            Action::Http(http) => policy.refuses(&http.url, &part.layer.source),
            Action::Command(_)
            | Action::McpTool(_)
            | Action::Prompt(_)
            | Action::Agent(_)
            | Action::Callback(_) => None,
        };
        let Some(why) = refused else {
            part.sheet.entries.push(entry);
            continue;
        };
        let message = format!("this URL can't be posted to: {}; the handler is not loaded", why.message);
        part.report
            .error(entry.handler.action_span, "refused-address", message)
            .maybe_help(why.help.map(str::to_owned))
            .rule("S1");
        part.sheet.reject(Some(entry.event), &entry.handler.label, entry.span, &part.report);
    }
}
