/** Made by `cargo xtask gen` from the event table. */

/** What the session knows, and an event may leave out. */
export interface Facts {
  /** The session. */
  session_id: string;
  /** The file in which the conversation is stored, as JSON lines. */
  transcript_path: string;
  /** The session's working directory. */
  cwd: string;
}

/** What the input of every event may hold. */
export interface Circumstances {
  /** The prompt being worked on; absent before the first. */
  prompt_id?: string;
  /** default, plan, acceptEdits, auto, dontAsk or bypassPermissions. */
  permission_mode?: "default" | "plan" | "acceptEdits" | "auto" | "dontAsk" | "bypassPermissions";
  /** The subagent, inside one. */
  agent_id?: string;
  /** The agent's name, inside a subagent or a named main agent. */
  agent_type?: string;
  /** `{level}`: low, medium, high, xhigh or max. */
  effort?: { level: "low" | "medium" | "high" | "xhigh" | "max" };
}

/** What an answer to every event may hold. */
export interface UniversalOutput {
  /** false stops the host after this event; default true */
  continue?: boolean;
  /** shown to the user beside `continue: false` */
  stopReason?: string;
  /** accepted, without effect */
  suppressOutput?: boolean;
  /** shown to the user */
  systemMessage?: string;
  /** OSC 0/1/2/9/99/777 or BEL, written to an interactive screen */
  terminalSequence?: string;
  /** `block` (or `approve`), where the event can block */
  decision?: "block" | "approve";
  /** why it blocks */
  reason?: string;
  /** the event's own fields, with `hookEventName` */
  hookSpecificOutput?: Record<string, unknown>;
  /** true on the first line sends the hook to the background */
  async?: boolean;
  /** limit of such a background run in seconds; default 15 */
  asyncTimeout?: number;
}

/** The host prepares the project once, on its init or maintenance flag. */
export interface SetupFields {
  /** The cause: `init` or `maintenance`. */
  trigger: string;
}

/** What a hook may say to Setup. */
export interface SetupOutput {
  /** text for the model */
  additionalContext?: string;
}

/** A session starts: new, resumed, cleared, compacted or forked. */
export interface SessionStartFields {
  /** The cause of the start. */
  source: string;
  /** The model in use. */
  model?: string;
  /** The title shown for the session. */
  session_title?: string;
  /** Seconds since the model last answered (resume and fork). */
  seconds_since_last_response?: number;
  /** Tokens in the context. */
  context_tokens?: number;
  /** Set if the provider has probably dropped its prompt cache. */
  prompt_cache_likely_expired?: boolean;
  /** The cost of writing the cache again, in US dollars. */
  estimated_cache_write_usd?: number;
}

/** What a hook may say to SessionStart. */
export interface SessionStartOutput {
  /** text for the model */
  additionalContext?: string;
  /** the first user turn of a session that is not interactive */
  initialUserMessage?: string;
  /** a title for the session */
  sessionTitle?: string;
  /** absolute paths to watch; replaces the dynamic list, `[]` clears it */
  watchPaths?: string[];
  /** read the skills again */
  reloadSkills?: boolean;
}

/** A session is over. */
export interface SessionEndFields {
  /** Why. */
  reason: string;
}

/** What a hook may say to SessionEnd. */
export interface SessionEndOutput {
}

/** The user sends a prompt; the model has not seen it yet. */
export interface UserPromptSubmitFields {
  /** The user's text. */
  prompt: string;
}

/** What a hook may say to UserPromptSubmit. */
export interface UserPromptSubmitOutput {
  /** text for the model */
  additionalContext?: string;
  /** a title for the session */
  sessionTitle?: string;
  /** hide the prompt as typed */
  suppressOriginalPrompt?: boolean;
}

/** A command that the user typed becomes a prompt. */
export interface UserPromptExpansionFields {
  /** `slash_command` or `mcp_prompt`. */
  expansion_type: "slash_command" | "mcp_prompt";
  /** The command, without its slash. */
  command_name: string;
  /** The text after the command, as typed. */
  command_args: string;
  /** The place where the command is defined. */
  command_source?: string;
  /** The user's text. */
  prompt: string;
}

/** What a hook may say to UserPromptExpansion. */
export interface UserPromptExpansionOutput {
  /** text for the model */
  additionalContext?: string;
}

/** The main agent has answered and calls no more tools. */
export interface StopFields {
  /** True while the turn goes on because an earlier stop hook blocked. */
  stop_hook_active: boolean;
  /** The text the model ended with. */
  last_assistant_message?: string;
  /** The running background tasks, one object each. */
  background_tasks?: Record<string, unknown>[];
  /** The scheduled jobs of the session, one object each. */
  session_crons?: Record<string, unknown>[];
}

/** What a hook may say to Stop. */
export interface StopOutput {
  /** text for the model */
  additionalContext?: string;
}

/** An API error ended the turn. */
export interface StopFailureFields {
  /** The error. */
  error: string;
  /** More about the error, where there is more. */
  error_details?: string;
  /** The text the model ended with. */
  last_assistant_message?: string;
}

/** What a hook may say to StopFailure. */
export interface StopFailureOutput {
}

/** A tool call is about to run. */
export interface PreToolUseFields {
  /** The tool, under its current name. */
  tool_name: string;
  /** The call's arguments. */
  tool_input: Record<string, unknown>;
  /** The id of the call. */
  tool_use_id: string;
  /** For a tool of an MCP server: its `name` and `source`. */
  mcp_server?: Record<string, unknown>;
  /** A program that the call is about to run: `file`, `argv`, `cwd`, `chain`. */
  executed?: Record<string, unknown>;
}

/** What a hook may say to PreToolUse. */
export interface PreToolUseOutput {
  /** `allow`, `deny`, `ask` or `defer` */
  permissionDecision?: "allow" | "deny" | "ask" | "defer";
  /** why; for the model on deny, else for the user */
  permissionDecisionReason?: string;
  /** replaces the whole input of the call */
  updatedInput?: Record<string, unknown>;
  /** less than all rights for the call, as the setting `sandbox` grants them; refuses a call whose host can't enforce them */
  sandbox?: { filesystem?: { allowWrite?: string[]; denyRead?: string[]; denyWrite?: string[] }; network?: { allowedDomains?: string[]; deniedDomains?: string[]; allowLocalBinding?: boolean; allowAllUnixSockets?: boolean } };
  /** text for the model */
  additionalContext?: string;
}

/** A tool call has succeeded. */
export interface PostToolUseFields {
  /** The tool, under its current name. */
  tool_name: string;
  /** The call's arguments. */
  tool_input: Record<string, unknown>;
  /** The id of the call. */
  tool_use_id: string;
  /** For a tool of an MCP server: its `name` and `source`. */
  mcp_server?: Record<string, unknown>;
  /** The answer of the tool. */
  tool_response: unknown;
  /** The duration of the call, in milliseconds. */
  duration_ms?: number;
}

/** What a hook may say to PostToolUse. */
export interface PostToolUseOutput {
  /** text for the model */
  additionalContext?: string;
  /** replaces the tool's output; must have its shape */
  updatedToolOutput?: unknown;
  /** replaces the output of an MCP tool */
  updatedMCPToolOutput?: unknown;
  /** a note for the permission classifier, 2,000 characters a call */
  classifierContext?: string;
}

/** A tool call has started and failed. */
export interface PostToolUseFailureFields {
  /** The tool, under its current name. */
  tool_name: string;
  /** The call's arguments. */
  tool_input: Record<string, unknown>;
  /** The id of the call. */
  tool_use_id: string;
  /** For a tool of an MCP server: its `name` and `source`. */
  mcp_server?: Record<string, unknown>;
  /** The error. */
  error: string;
  /** Set if the user interrupted it. */
  is_interrupt?: boolean;
  /** The duration of the call, in milliseconds. */
  duration_ms?: number;
}

/** What a hook may say to PostToolUseFailure. */
export interface PostToolUseFailureOutput {
  /** text for the model */
  additionalContext?: string;
}

/** All calls of one model answer are done; the next request has not gone out. */
export interface PostToolBatchFields {
  /** The calls of the batch: `tool_name`, `tool_input`, `tool_use_id`, `tool_response` each. */
  tool_calls: Record<string, unknown>[];
}

/** What a hook may say to PostToolBatch. */
export interface PostToolBatchOutput {
  /** text for the model */
  additionalContext?: string;
}

/** A tool call is about to need a permission. */
export interface PermissionRequestFields {
  /** The tool, under its current name. */
  tool_name: string;
  /** The call's arguments. */
  tool_input: Record<string, unknown>;
  /** Rule updates the host would offer the user. */
  permission_suggestions?: Record<string, unknown>[];
}

/** What a hook may say to PermissionRequest. */
export interface PermissionRequestOutput {
  /** the answer: yes or no */
  decision?: { behavior: "allow" | "deny"; updatedInput?: Record<string, unknown>; updatedPermissions?: Record<string, unknown>[]; message?: string; interrupt?: boolean };
}

/** The automatic mode has refused a tool call. */
export interface PermissionDeniedFields {
  /** The tool, under its current name. */
  tool_name: string;
  /** The call's arguments. */
  tool_input: Record<string, unknown>;
  /** The id of the call. */
  tool_use_id: string;
  /** For a tool of an MCP server: its `name` and `source`. */
  mcp_server?: Record<string, unknown>;
  /** Why. */
  reason: string;
}

/** What a hook may say to PermissionDenied. */
export interface PermissionDeniedOutput {
  /** let the model try again */
  retry?: boolean;
}

/** The host notifies the user. */
export interface NotificationFields {
  /** The text shown to the user. */
  message: string;
  /** The title above the message. */
  title?: string;
  /** The kind of notification. */
  notification_type: string;
}

/** What a hook may say to Notification. */
export interface NotificationOutput {
}

/** A subagent starts. */
export interface SubagentStartFields {
  /** The subagent's id. */
  agent_id: string;
  /** The subagent's name. */
  agent_type: string;
}

/** What a hook may say to SubagentStart. */
export interface SubagentStartOutput {
  /** text for the model */
  additionalContext?: string;
}

/** A subagent has answered. */
export interface SubagentStopFields {
  /** True while the turn goes on because an earlier stop hook blocked. */
  stop_hook_active: boolean;
  /** The text the model ended with. */
  last_assistant_message?: string;
  /** The running background tasks, one object each. */
  background_tasks?: Record<string, unknown>[];
  /** The scheduled jobs of the session, one object each. */
  session_crons?: Record<string, unknown>[];
  /** The subagent's id. */
  agent_id: string;
  /** The subagent's name. */
  agent_type: string;
  /** The subagent's own transcript. */
  agent_transcript_path: string;
}

/** What a hook may say to SubagentStop. */
export interface SubagentStopOutput {
  /** text for the model */
  additionalContext?: string;
}

/** A task is about to be created. */
export interface TaskCreatedFields {
  /** The task's id. */
  task_id: string;
  /** The task in one line. */
  task_subject: string;
  /** The task at length. */
  task_description?: string;
  /** The teammate's name. */
  teammate_name?: string;
  /** The team's name. */
  team_name?: string;
}

/** What a hook may say to TaskCreated. */
export interface TaskCreatedOutput {
}

/** A task is about to be marked as done. */
export interface TaskCompletedFields {
  /** The task's id. */
  task_id: string;
  /** The task in one line. */
  task_subject: string;
  /** The task at length. */
  task_description?: string;
  /** The teammate's name. */
  teammate_name?: string;
  /** The team's name. */
  team_name?: string;
}

/** What a hook may say to TaskCompleted. */
export interface TaskCompletedOutput {
}

/** A teammate has nothing more to do. */
export interface TeammateIdleFields {
  /** The teammate's name. */
  teammate_name: string;
  /** The team's name. */
  team_name?: string;
}

/** What a hook may say to TeammateIdle. */
export interface TeammateIdleOutput {
}

/** A file with instructions has entered the context. */
export interface InstructionsLoadedFields {
  /** The file. */
  file_path: string;
  /** `User`, `Project`, `Local` or `Managed`. */
  memory_type: "User" | "Project" | "Local" | "Managed";
  /** The reason for which it was loaded. */
  load_reason: string;
  /** The path patterns that let it in. */
  globs?: string[];
  /** The file whose access loaded it. */
  trigger_file_path?: string;
  /** The file that includes it. */
  parent_file_path?: string;
}

/** What a hook may say to InstructionsLoaded. */
export interface InstructionsLoadedOutput {
}

/** The conversation is about to be compacted. */
export interface PreCompactFields {
  /** The cause of the compaction: `manual` or `auto`. */
  trigger: string;
  /** The user's words for the summary; null if there are none. */
  custom_instructions: string | null;
}

/** What a hook may say to PreCompact. */
export interface PreCompactOutput {
}

/** The conversation has been compacted. */
export interface PostCompactFields {
  /** The cause of the compaction: `manual` or `auto`. */
  trigger: string;
  /** The summary as the model wrote it. */
  compact_summary: string;
}

/** What a hook may say to PostCompact. */
export interface PostCompactOutput {
}

/** The model's text is about to be shown. */
export interface MessageDisplayFields {
  /** The turn. */
  turn_id: string;
  /** The message. */
  message_id: string;
  /** Number of the batch in its message, from 0. */
  index: number;
  /** Set if this is the last batch. */
  final: boolean;
  /** The text of this batch. */
  delta: string;
}

/** What a hook may say to MessageDisplay. */
export interface MessageDisplayOutput {
  /** shown in place of the text */
  displayContent?: string;
}

/** The user wants another model. */
export interface PreModelSwitchFields {
  /** The model before. */
  from_model: string;
  /** The model after. */
  to_model: string;
  /** The name as the user gave it. */
  requested_model: string;
  /** The origin of the request to switch. */
  source: string;
  /** Tokens in the context. */
  context_tokens?: number;
  /** Set if the provider still caches the prompt. */
  prompt_cache_warm?: boolean;
  /** The lifetime of a cache entry. */
  cache_ttl?: string;
  /** The cost of writing the cache again, in US dollars. */
  estimated_cache_write_usd?: number;
  /** The origin of the price. */
  pricing?: string;
}

/** What a hook may say to PreModelSwitch. */
export interface PreModelSwitchOutput {
}

/** Another model is in use. */
export interface PostModelSwitchFields {
  /** The model before. */
  from_model: string;
  /** The model after. */
  to_model: string;
  /** The name as the user gave it. */
  requested_model: string;
  /** The origin of the request to switch. */
  source: string;
  /** Tokens in the context. */
  context_tokens?: number;
  /** Set if the provider still caches the prompt. */
  prompt_cache_warm?: boolean;
  /** The lifetime of a cache entry. */
  cache_ttl?: string;
  /** The cost of writing the cache again, in US dollars. */
  estimated_cache_write_usd?: number;
  /** The origin of the price. */
  pricing?: string;
}

/** What a hook may say to PostModelSwitch. */
export interface PostModelSwitchOutput {
}

/** A configuration file has changed. */
export interface ConfigChangeFields {
  /** The kind of settings that changed. */
  source: string;
  /** The file. */
  file_path?: string;
}

/** What a hook may say to ConfigChange. */
export interface ConfigChangeOutput {
}

/** The working directory has changed. */
export interface CwdChangedFields {
  /** The directory before. */
  old_cwd: string;
  /** The directory after. */
  new_cwd: string;
}

/** What a hook may say to CwdChanged. */
export interface CwdChangedOutput {
  /** absolute paths to watch; replaces the dynamic list, `[]` clears it */
  watchPaths?: string[];
}

/** The session has got a further working directory. */
export interface DirectoryAddedFields {
  /** The directory that was added. */
  directory: string;
  /** The way in which it was added. */
  source: string;
}

/** What a hook may say to DirectoryAdded. */
export interface DirectoryAddedOutput {
}

/** A watched file has changed on disk. */
export interface FileChangedFields {
  /** The file. */
  file_path: string;
  /** `add`, `change` or `unlink`. */
  event: "add" | "change" | "unlink";
}

/** What a hook may say to FileChanged. */
export interface FileChangedOutput {
  /** absolute paths to watch; replaces the dynamic list, `[]` clears it */
  watchPaths?: string[];
}

/** A worktree is wanted; the hook makes it in place of the host. */
export interface WorktreeCreateFields {
  /** The name asked for. */
  name: string;
}

/** What a hook may say to WorktreeCreate. */
export interface WorktreeCreateOutput {
  /** the worktree that was made */
  worktreePath?: string;
}

/** A worktree is about to be removed. */
export interface WorktreeRemoveFields {
  /** The worktree. */
  worktree_path: string;
}

/** What a hook may say to WorktreeRemove. */
export interface WorktreeRemoveOutput {
}

/** An MCP server asks the user something. */
export interface ElicitationFields {
  /** The MCP server that asks. */
  mcp_server_name: string;
  /** The text shown to the user. */
  message: string;
  /** `form` or `url`. */
  mode?: "form" | "url";
  /** The page that the user is sent to (mode `url`). */
  url?: string;
  /** The id of the question. */
  elicitation_id?: string;
  /** The shape of the answer (mode `form`). */
  requested_schema?: Record<string, unknown>;
}

/** What a hook may say to Elicitation. */
export interface ElicitationOutput {
  /** `accept`, `decline` or `cancel` */
  action?: "accept" | "decline" | "cancel";
  /** the answer, by field */
  content?: Record<string, unknown>;
}

/** The user has answered an MCP server's question. */
export interface ElicitationResultFields {
  /** The MCP server that asks. */
  mcp_server_name: string;
  /** `accept`, `decline` or `cancel`. */
  action: string;
  /** `form` or `url`. */
  mode?: string;
  /** The id of the question. */
  elicitation_id?: string;
  /** The answer, by field. */
  content?: Record<string, unknown>;
}

/** What a hook may say to ElicitationResult. */
export interface ElicitationResultOutput {
  /** `accept`, `decline` or `cancel` */
  action?: "accept" | "decline" | "cancel";
  /** the answer, by field */
  content?: Record<string, unknown>;
}

/** The fields of each event. */
export interface Fields {
  Setup: SetupFields;
  SessionStart: SessionStartFields;
  SessionEnd: SessionEndFields;
  UserPromptSubmit: UserPromptSubmitFields;
  UserPromptExpansion: UserPromptExpansionFields;
  Stop: StopFields;
  StopFailure: StopFailureFields;
  PreToolUse: PreToolUseFields;
  PostToolUse: PostToolUseFields;
  PostToolUseFailure: PostToolUseFailureFields;
  PostToolBatch: PostToolBatchFields;
  PermissionRequest: PermissionRequestFields;
  PermissionDenied: PermissionDeniedFields;
  Notification: NotificationFields;
  SubagentStart: SubagentStartFields;
  SubagentStop: SubagentStopFields;
  TaskCreated: TaskCreatedFields;
  TaskCompleted: TaskCompletedFields;
  TeammateIdle: TeammateIdleFields;
  InstructionsLoaded: InstructionsLoadedFields;
  PreCompact: PreCompactFields;
  PostCompact: PostCompactFields;
  MessageDisplay: MessageDisplayFields;
  PreModelSwitch: PreModelSwitchFields;
  PostModelSwitch: PostModelSwitchFields;
  ConfigChange: ConfigChangeFields;
  CwdChanged: CwdChangedFields;
  DirectoryAdded: DirectoryAddedFields;
  FileChanged: FileChangedFields;
  WorktreeCreate: WorktreeCreateFields;
  WorktreeRemove: WorktreeRemoveFields;
  Elicitation: ElicitationFields;
  ElicitationResult: ElicitationResultFields;
}

/** What a hook may say to each event. */
export interface Outputs {
  Setup: SetupOutput;
  SessionStart: SessionStartOutput;
  SessionEnd: SessionEndOutput;
  UserPromptSubmit: UserPromptSubmitOutput;
  UserPromptExpansion: UserPromptExpansionOutput;
  Stop: StopOutput;
  StopFailure: StopFailureOutput;
  PreToolUse: PreToolUseOutput;
  PostToolUse: PostToolUseOutput;
  PostToolUseFailure: PostToolUseFailureOutput;
  PostToolBatch: PostToolBatchOutput;
  PermissionRequest: PermissionRequestOutput;
  PermissionDenied: PermissionDeniedOutput;
  Notification: NotificationOutput;
  SubagentStart: SubagentStartOutput;
  SubagentStop: SubagentStopOutput;
  TaskCreated: TaskCreatedOutput;
  TaskCompleted: TaskCompletedOutput;
  TeammateIdle: TeammateIdleOutput;
  InstructionsLoaded: InstructionsLoadedOutput;
  PreCompact: PreCompactOutput;
  PostCompact: PostCompactOutput;
  MessageDisplay: MessageDisplayOutput;
  PreModelSwitch: PreModelSwitchOutput;
  PostModelSwitch: PostModelSwitchOutput;
  ConfigChange: ConfigChangeOutput;
  CwdChanged: CwdChangedOutput;
  DirectoryAdded: DirectoryAddedOutput;
  FileChanged: FileChangedOutput;
  WorktreeCreate: WorktreeCreateOutput;
  WorktreeRemove: WorktreeRemoveOutput;
  Elicitation: ElicitationOutput;
  ElicitationResult: ElicitationResultOutput;
}

