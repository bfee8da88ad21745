/** The uses that the types allow and reject. tsc checks it; it is never run. */

import {
  BecketError,
  ConfigError,
  ExecError,
  HookEngine,
  loadHookConfigFromSources,
  type EngineOptions,
  type ExecReport,
  type HookConfig,
  type HookInput,
  type HookResult,
  type Outcome,
  type ToolApproval,
} from "becket";
import { withHooks } from "becket/ai-sdk";

const engine = new HookEngine({ projectRoot: ".", settings: { hooks: {} }, askUser: async (question) => question.options[0]?.key ?? null });

const off: () => boolean = engine.hook("PreToolUse", { matcher: "Bash", order: 10, timeout: 5 }, (input, { signal }) => {
  const name: string = input.tool_name;
  const called: Record<string, unknown> = input.tool_input;
  const event: "PreToolUse" = input.hook_event_name;
  const session: string = input.session_id;
  return signal.aborted ? undefined : { permissionDecision: "deny", reason: `${name} ${event} ${session} ${called["command"]}` };
});
engine.hook("UserPromptSubmit", async ({ prompt }) => (prompt === "" ? { decision: "block", reason: "empty" } : null));
engine.hook("PermissionRequest", () => ({ decision: { behavior: "deny", message: "no" } }));
engine.hook("PermissionRequest", () => ({ permissionDecision: "allow", updatedInput: { command: "ls" } }));
engine.hook("PostToolUse", async (input) => ({ additionalContext: String(input.tool_response), updatedToolOutput: 5 }));
engine.hook("Notification", () => {});
engine.hook("SessionStart", () => ({ hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "c" } }));

// @ts-expect-error no such event
engine.hook("PreToolUs", () => null);
// @ts-expect-error no such decision
engine.hook("PreToolUse", () => ({ permissionDecision: "denied" }));
// @ts-expect-error a text is not an answer
engine.hook("PreToolUse", () => "deny");
// @ts-expect-error no such option
engine.hook("PreToolUse", { timeuot: 5 }, () => null);
// @ts-expect-error a field of another event
engine.hook("Stop", (input) => ({ reason: input.tool_name }));

export async function fired(): Promise<Outcome> {
  // @ts-expect-error an event without its fields
  await engine.runEvent("PreToolUse", { tool_name: "Bash" });
  // @ts-expect-error an event without any
  await engine.runEvent("PreToolUse");
  await engine.runEvent("TeammateIdle", { teammate_name: "t", team_name: "t" });
  const outcome = await engine.runEvent(
    "PreToolUse",
    { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" },
    { signal: AbortSignal.timeout(1000) },
  );
  const decision: "allow" | "deny" | "ask" | "defer" | null = outcome.permissionDecision;
  const texts: string[] = engine.toolBarrier().inject(outcome);
  if (decision === null || texts.length > 0) off();
  return outcome;
}

export async function approves(): Promise<Outcome> {
  const toolApprovalCallback = async ({ toolName, toolInput, reason }: ToolApproval, { signal }: { signal: AbortSignal }) =>
    !signal.aborted && toolName === "Bash" && toolInput !== undefined && reason !== undefined;
  const asking = new HookEngine({ toolApprovalCallback, toolApprovalTimeout: 30 });
  withHooks(asking, { tools: {} }, { toolApprovalCallback: () => true });
  // @ts-expect-error a word is not an answer
  new HookEngine({ toolApprovalCallback: () => "yes" });
  const outcome = await asking.runEvent("Stop", { stop_hook_active: false });
  const decision: "proceed" | "block" | "wait" = outcome.decision;
  return outcome.asks && decision === "wait" ? outcome.answered(false) : outcome;
}

export async function executed(): Promise<string> {
  const report: ExecReport = await engine.exec("make", ["release"], { timeout: 60, env: { CI: "1", HOME: null }, signal: AbortSignal.timeout(1) });
  // @ts-expect-error no such option
  await engine.exec("make", [], { shell: true });
  const kind: "not_run" | "timed_out" | "lost" = new ExecError("no").kind;
  return [kind, report.code, ...report.denied.flatMap((denied) => denied.chain), ...report.refusals.map((refusal) => refusal.right)].join();
}

export function answered(input: HookInput<"Stop">): HookResult<"Stop"> {
  return input.stop_hook_active ? null : { decision: "block", reason: "go on" };
}

export async function ended(): Promise<string> {
  await using other = await HookEngine.open();
  const settings = withHooks(other, { maxRetries: 1, tools: {} });
  const retries: number = settings.maxRetries;
  const error: BecketError = new ConfigError("no");
  return `${retries} ${error.message} ${other.check().findings.length}`;
}

export function loaded(): HookEngine {
  const config: HookConfig = loadHookConfigFromSources({ settingSources: [], mcpServers: { ours: { command: "c" } } });
  const events: readonly string[] = config.events;
  const wrong: string[] = config.findings.map((finding) => finding.message);
  // @ts-expect-error it can't be changed
  config.strict = true;
  // @ts-expect-error what is not a source
  loadHookConfigFromSources({ sessionId: "s" });
  // @ts-expect-error a list of servers
  const none: EngineOptions = { mcpConfig: ["a"] };
  return new HookEngine({ ...none, config, sessionId: [...events, ...wrong].join() });
}
