/** Hooks around the tool calls of the AI SDK (npm `ai`, version 7). */

import type { HookEngine, ToolApprovalCallback } from "./index.js";

export type { ToolApproval, ToolApprovalCallback } from "./index.js";

/** The options besides the settings. */
export interface HooksOptions {
  /**
   * Answers for the user if a hook or a rule asks about a call and the engine itself has no callback: only `true`
   * approves, and one that throws or takes longer than the engine's `toolApprovalTimeout` denies. Without either such a
   * call is denied, or the SDK asks the user in an `interactive` session.
   */
  toolApprovalCallback?: ToolApprovalCallback;
}

/**
 * The settings of `generateText`, `streamText` or an agent, with hooks around their tools. The caller's own
 * `toolApproval`, `prepareStep` and `stopWhen` also apply.
 */
export function withHooks<S extends object>(engine: HookEngine, settings: S, options?: HooksOptions): S;
