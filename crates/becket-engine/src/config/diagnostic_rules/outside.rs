//! Findings about plugins, trust and files that are not read.

use super::{DiagnosticRule, rule};

#[rustfmt::skip]
pub(super) const RULES: &[DiagnosticRule] = &[
    rule("missing-plugin", "an enabled plugin is not installed", "Its hooks are missing.", "Install the plugin, or remove it from `enabledPlugins`."),
    rule("missing-plugin-file", "a path of skills, commands or agents that a plugin names does not exist", "What it would hold is missing.", "Correct the path in `plugin.json` or in the marketplace's listing."),
    rule("missing-hooks-file", "the hooks file that a plugin names does not exist", "The hooks of the plugin are missing.", "Correct the path in `plugin.json`."),
    rule("bad-plugin-name", "the name of a plugin can't be used", "The plugin is not loaded.", "Use lower-case letters, digits and dashes."),
    rule("plugin-name-twice", "two plugins have the same name", "Only the first one is loaded.", "Rename or remove one of them."),
    rule("plugin-locked", "a policy fixes the state of a plugin", "The setting of this file has no effect.", "Ask the administrator."),
    rule("path-outside-plugin", "a plugin names a file outside of its directory", "The file is not loaded.", "Move the file into the plugin."),
    rule("hooks-in-plugin-agent", "an agent of a plugin has hooks", "They are not loaded from there.", "Move them into the hooks file of the plugin."),
    rule("module-not-run", "a plugin has in-process hooks", "Becket does not run modules, so what they would decide is missing.", "Use a command hook."),
    rule("withheld-untrusted", "a file grants nothing until its folder is trusted", "Allow rules and the like of an untrusted project have no effect.", "Trust the folder in an interactive session, or move the entry into the user's settings."),
    rule("withheld-broken-guard", "a file with a broken guard grants nothing", "A guard of the file could not be loaded, so its allow rules are not applied either.", "Correct the guard."),
    rule("hooks-disabled", "hooks are switched off", "Only managed hooks run.", "Remove `disableAllHooks`."),
    rule("guard-incomplete", "rules or hooks of a guard are not in the settings", "The record `.claude/guards.json` has the guard, and a merge or an edit has lost a part of it: what that part denies is allowed.", "Run `becket add` for the guard again, or `becket remove`."),
    rule("file-not-read", "a file of hooks at a place where nothing reads it", "Its hooks never run.", "Move its `hooks` into `settings.json`."),
];
