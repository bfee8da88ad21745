/** The engine for the lifecycle hooks of AI agents, in the process of a Node program. */

export { ToolBarrier } from "./barrier.js";
export { loadHookConfigFromSources } from "./config.js";
export { HookEngine } from "./engine.js";
export { BecketError, ConfigError, EventError, ExecError, HookError, SessionClosed } from "./errors.js";
export { Outcome } from "./outcome.js";
