//! Files of a project that decide what runs outside of a call, or what a session may do.

/// Settings and hooks of agents, editors and tools: the names of each path below a project or a home directory, in
/// lower case. What is below a path belongs to it.
///
/// A mode that edits without a question does not edit them (P14), and command lines in a sandbox do not write them
/// (E5).
pub const PROTECTED_FILES: &[&[&str]] = &[
    // Becket and agents that read the same settings.
    &[".agent"],
    &[".becket"],
    &[".claude"],
    &[".mcp.json"],
    // The agents of the other dialects.
    &[".cline"],
    &[".clinerules", "hooks"],
    &[".codeium"],
    &[".codex"],
    &[".config", "kilo"],
    &[".config", "opencode"],
    &[".copilot"],
    &[".cursor"],
    &[".factory"],
    &[".gemini"],
    &[".github", "copilot"],
    &[".github", "hooks"],
    &[".github", "mcp.json"],
    &[".hermes"],
    &[".kilo"],
    &[".kimi-code"],
    &[".opencode"],
    &[".pi"],
    &[".qwen"],
    &[".windsurf"],
    &["kilo.json"],
    &["kilo.jsonc"],
    &["opencode.json"],
    &["opencode.jsonc"],
    // Editors.
    &[".devcontainer"],
    &[".exrc"],
    &[".idea"],
    &[".vscode"],
    &[".zed"],
    // Hooks of git, directories and tools.
    &[".cargo", "config"],
    &[".cargo", "config.toml"],
    &[".direnvrc"],
    &[".envrc"],
    &[".gdbinit"],
    &[".husky"],
    &[".pre-commit-config.yaml"],
    &[".ripgreprc"],
];
