//! Settings that no agent has, and settings that count in managed files only (C7).

use super::Around;
use crate::config::load::{Layer, LayerKind};
use crate::config::raw::is_setting;
use crate::config::source::report::Report;
use crate::config::source::tree::{Data, Member};
use becket_model::{EventKind, Source};
use std::collections::HashSet;

/// Reports keys at the top of a settings file, except for those at places where reading the file found something.
pub(super) fn lint(
    members: &[Member],
    layer: &Layer,
    around: &Around<'_>,
    found: &HashSet<usize>,
    report: &mut Report<'_>,
) {
    let is_own = layer.kind == LayerKind::Settings && around.agent.is_none();
    // A file of another name may have keys for whatever installs it.
    let is_named = layer.file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("settings"));
    if !is_own || !is_named || around.profile.name != "claude" || layer.source == Source::Policy {
        return;
    }
    for member in members.iter().filter(|member| !found.contains(&member.key_span.start)) {
        let key = member.key.as_str();
        if MANAGED.contains(&key) {
            report
                .warning(
                    member.key_span,
                    "setting-without-effect",
                    format!("`{key}` counts in managed settings only"),
                )
                .help("remove it, or have an administrator set it")
                .rule("C5");
        } else if !is_known(key) && !is_empty(member) {
            report
                .note(member.key_span, "unknown-setting", format!("no setting is known as `{key}`"))
                .help("remove it if nothing else reads it")
                .rule("C7");
        }
    }
}

fn is_known(key: &str) -> bool {
    let is_comment =
        !key.starts_with(|c: char| c.is_ascii_alphabetic()) || key.to_ascii_lowercase().contains("comment");
    is_comment || is_setting(key) || OF_HOSTS.contains(&key) || key.parse::<EventKind>().is_ok()
}

fn is_empty(member: &Member) -> bool {
    match &member.value.data {
        Data::Null => true,
        Data::List(entries) => entries.is_empty(),
        Data::Map(members) => members.is_empty(),
        Data::Bool(_) | Data::Number(_) | Data::Text(_) => false,
    }
}

/// Settings of hosts that count in managed files only.
#[rustfmt::skip]
const MANAGED: &[&str] = &[
    "allowAllClaudeAiMcps", "allowManagedMcpServersOnly", "allowManagedPermissionRulesOnly",
    "allowedChannelPlugins", "blockedMarketplaces", "browserExternalPageTools", "channelsEnabled",
    "claudeMd", "disableBrowserExternalNavigation", "disableMobileSimulatorTools", "disableSideloadFlags",
    "footerLinksRegexes", "forceRemoteSettingsRefresh", "managedMcpServers", "parentSettingsBehavior",
    "pluginSuggestionMarketplaces", "pluginTrustMessage", "requireCoworkFullVmSandbox",
    "requiredMaximumVersion", "requiredMinimumVersion", "sshHostAllowlist", "strictKnownMarketplaces",
    "vimInsertModeRemaps", "wslInheritsWindowsSettings",
];

/// Settings of hosts, and what hosts themselves write into the settings of a user.
#[rustfmt::skip]
const OF_HOSTS: &[&str] = &[
    "advisorModel", "agent", "agentPushNotifEnabled", "allowedMcpServers", "alwaysThinkingEnabled",
    "apiKeyHelper", "askUserQuestionTimeout", "attribution", "autoCompactEnabled", "autoConnectIde",
    "autoDreamEnabled", "autoInstallIdeExtension", "autoMemoryDirectory", "autoMemoryEnabled", "autoMode",
    "autoScrollEnabled", "autoUpdates", "autoUpdatesChannel", "availableModels", "awaySummaryEnabled",
    "awsAuthRefresh", "awsCredentialExport", "axScreenReader", "claudeMdExcludes", "cleanupPeriodDays",
    "companyAnnouncements", "defaultShell", "deniedMcpServers", "description", "diffTool",
    "disableAgentView", "disableArtifact", "disableAutoMode", "disableBundledSkills",
    "disableClaudeAiConnectors", "disableDeepLinkRegistration", "disableRemoteControl",
    "disableSkillShellExecution", "disableWorkflows", "disabledMcpjsonServers", "editorMode", "effortLevel",
    "emojiCompletionEnabled", "enableAllProjectMcpServers", "enableArtifact", "enabledMcpjsonServers",
    "enforceAvailableModels", "externalEditorContext", "fallbackModel", "fastMode",
    "fastModePerSessionOptIn", "feedbackSurveyRate", "feedbackSurveyState", "fileCheckpointingEnabled",
    "fileSuggestion", "forceLoginGatewayUrl", "forceLoginMethod", "forceLoginOrgUUID", "gcpAuthRefresh",
    "includeCoAuthoredBy", "includeGitInstructions", "inputNeededNotifEnabled", "language",
    "minimumVersion", "model", "modelOverrides", "name", "otelHeadersHelper", "permissionExplainerEnabled",
    "plansDirectory", "prUrlTemplate", "preferredNotifChannel", "prefersReducedMotion", "processWrapper",
    "promptSuggestionEnabled", "remoteControlAtStartup", "respectGitignore", "respondToBashCommands",
    "showClearContextOnPlanAccept", "showThinkingSummaries", "showTurnDuration",
    "skillListingBudgetFraction", "skillListingMaxDescChars", "skillOverrides", "skipAutoPermissionPrompt",
    "skipDangerousModePermissionPrompt", "skipWebFetchPreflight", "skipWorkflowUsageWarning",
    "skippedMarketplaces", "skippedPlugins", "spinnerTipsEnabled", "spinnerTipsOverride", "spinnerVerbs",
    "sshConfigs", "statusLine", "subagentStatusLine", "switchModelsOnFlag", "syntaxHighlightingDisabled",
    "teammateDefaultModel", "teammateMode", "terminalProgressBarEnabled", "theme", "tui",
    "useAutoModeDuringPlan", "verbose", "version", "viewMode", "voice", "voiceEnabled",
    "wheelScrollAccelerationEnabled", "workflowKeywordTriggerEnabled", "workflowSizeGuideline", "worktree",
];
