/** Hooks around the tool calls of the AI SDK (npm `ai`, version 7). */

import type { HookEngine } from "./index.js";

/**
 * The settings of `generateText`, `streamText` or an agent, with hooks around their tools. What stands in `toolApproval`,
 * `prepareStep` and `stopWhen` counts beside them.
 */
export function withHooks<S extends object>(engine: HookEngine, settings: S): S;
