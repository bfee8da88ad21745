/** Made by `cargo xtask gen` from the event table. */

/** How each event is decided, and the fields of its own output. */
export const EVENTS = {
  Setup: { decision: "context", output: ["additionalContext"] },
  SessionStart: { decision: "context", output: ["additionalContext", "initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"] },
  SessionEnd: { decision: "none", output: [] },
  UserPromptSubmit: { decision: "block", output: ["additionalContext", "sessionTitle", "suppressOriginalPrompt"] },
  UserPromptExpansion: { decision: "block", output: ["additionalContext"] },
  Stop: { decision: "block", output: ["additionalContext"] },
  StopFailure: { decision: "none", output: [] },
  PreToolUse: { decision: "permission", output: ["permissionDecision", "permissionDecisionReason", "updatedInput", "sandbox", "additionalContext"] },
  PostToolUse: { decision: "block", output: ["additionalContext", "updatedToolOutput", "updatedMCPToolOutput", "classifierContext"] },
  PostToolUseFailure: { decision: "block", output: ["additionalContext"] },
  PostToolBatch: { decision: "block", output: ["additionalContext"] },
  PermissionRequest: { decision: "permission_request", output: ["decision"] },
  PermissionDenied: { decision: "retry", output: ["retry"] },
  Notification: { decision: "none", output: [] },
  SubagentStart: { decision: "context", output: ["additionalContext"] },
  SubagentStop: { decision: "block", output: ["additionalContext"] },
  TaskCreated: { decision: "task", output: [] },
  TaskCompleted: { decision: "continue_only", output: [] },
  TeammateIdle: { decision: "continue_only", output: [] },
  InstructionsLoaded: { decision: "none", output: [] },
  PreCompact: { decision: "block", output: [] },
  PostCompact: { decision: "none", output: [] },
  MessageDisplay: { decision: "display", output: ["displayContent"] },
  PreModelSwitch: { decision: "block", output: [] },
  PostModelSwitch: { decision: "none", output: [] },
  ConfigChange: { decision: "block", output: [] },
  CwdChanged: { decision: "none", output: ["watchPaths"] },
  DirectoryAdded: { decision: "none", output: [] },
  FileChanged: { decision: "none", output: ["watchPaths"] },
  WorktreeCreate: { decision: "path", output: ["worktreePath"] },
  WorktreeRemove: { decision: "none", output: [] },
  Elicitation: { decision: "elicitation", output: ["action", "content"] },
  ElicitationResult: { decision: "elicitation", output: ["action", "content"] },
};

/** The fields that an answer to every event may have. */
export const UNIVERSAL = new Set(["continue", "stopReason", "suppressOutput", "systemMessage", "terminalSequence", "decision", "reason", "hookSpecificOutput", "async", "asyncTimeout"]);

/** The fields that some event has in its own output. */
export const OWN_FIELDS = new Set(["action", "additionalContext", "classifierContext", "content", "decision", "displayContent", "initialUserMessage", "permissionDecision", "permissionDecisionReason", "reloadSkills", "retry", "sandbox", "sessionTitle", "suppressOriginalPrompt", "updatedInput", "updatedMCPToolOutput", "updatedToolOutput", "watchPaths", "worktreePath"]);
