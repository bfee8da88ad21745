/**
 * Hooks around the tool calls of the AI SDK (npm `ai`, version 7).
 *
 * It uses the SDK's extension points: `toolApproval` fires PreToolUse, `execute` of each tool runs the rewritten input
 * and fires PostToolUse, `prepareStep` adds the context of hooks once all calls of a step are answered, and `stopWhen`
 * ends the loop. The caller's own settings also apply.
 *
 * INVARIANT: a tool runs only after PreToolUse has allowed this exact call: this tool with this input. If a hook asks
 * about a call that the SDK has not shown to the user, such as a call by another tool, it is not run; and after a stop
 * nothing is started until the next prompt.
 */

import { inspect } from "node:util";
import { asSchema } from "ai";
import { approved, checkedCallback, toolCall } from "./approval.js";
import { BecketError } from "./errors.js";
import { written } from "./json.js";

/** The settings of `generateText`, `streamText` or an agent, with hooks around their tools. */
export function withHooks(engine, settings, { toolApprovalCallback } = {}) {
  const approve = checkedCallback(toolApprovalCallback);
  /** The outcomes of calls that were checked and have not run, by their full content. */
  const calls = new Map();
  const guarded = new WeakSet();
  const said = [];
  let stopped;

  async function fire(event, fields, signal) {
    const outcome = await engine.runEvent(event, fields, { signal });
    said.push(...outcome.additionalContext);
    if (outcome.stop) stopped ??= outcome.stopReason ?? "stopped by a hook";
    return outcome;
  }

  const before = (name, input, id, signal) =>
    fire("PreToolUse", { tool_name: name, tool_input: input, tool_use_id: id }, signal);

  /** The decision about a call: `run`, `ask` (the SDK asks the user) or `deny`. Only `true` of the callback approves. */
  async function verdict(outcome, name, input, id, signal) {
    if (stopped !== undefined) return { is: "deny", reason: stopped };
    const reason = outcome.reason ?? undefined;
    if (outcome.asks && approve !== undefined) {
      const isApproved = await approved(approve, toolCall(name, input, id, outcome), engine.toolApprovalTimeout, signal);
      return isApproved ? { is: "run" } : { is: "deny", reason };
    }
    if (outcome.decision === "proceed") return { is: "run" };
    return { is: outcome.decision === "wait" ? "ask" : "deny", reason };
  }

  async function after(event, fields) {
    const outcome = await fire(event, fields);
    if (outcome.blocked && outcome.reason !== null) said.push(outcome.reason);
    return outcome;
  }

  async function toolApproval(options) {
    const { toolName, input, toolCallId } = options.toolCall;
    if (stopped !== undefined) return { type: "denied", reason: stopped };
    // The SDK passes no signal to this function: that of the settings ends the hooks, and the wait for the user.
    const signal = settings.abortSignal;
    const outcome = await before(toolName, input, toolCallId, signal);
    const { is, reason } = await verdict(outcome, toolName, input, toolCallId, signal);
    if (is === "deny") return { type: "denied", reason };
    const tool = options.tools?.[toolName] ?? settings.tools[toolName];
    if (outcome.updatedInput !== null && typeof tool?.execute !== "function") {
      return { type: "denied", reason: "a hook rewrote the input of a tool that runs elsewhere, where it can't be brought" };
    }
    calls.set(whole(toolName, input, toolCallId), outcome);
    if (is === "ask") return { type: "user-approval", reason };
    return ownApproval(settings, options, tool);
  }

  function guard([name, tool]) {
    if (typeof tool.execute !== "function" || guarded.has(tool)) return [name, tool];
    const execute = async (input, options) => {
      const id = options.toolCallId;
      const call = whole(name, input, id);
      const judged = calls.get(call);
      calls.delete(call);
      const outcome = judged ?? (await before(name, input, id, options.abortSignal));
      // The checked call has been approved since, by the callback or by the user.
      const { is, reason } = judged === undefined ? await verdict(outcome, name, input, id, options.abortSignal) : { is: "run" };
      if (is !== "run") throw new BecketError(reason ?? "denied by a hook");
      if (stopped !== undefined) throw new BecketError(stopped);
      // Throws if the engine was closed since the call was checked or the user was asked.
      engine.events();
      const rewritten = outcome.updatedInput === null ? input : await fitting(tool, outcome.updatedInput);
      return ran(tool, { tool_name: name, tool_input: rewritten, tool_use_id: id }, options);
    };
    const one = { ...tool, execute };
    guarded.add(one);
    return [name, one];
  }

  async function ran(tool, call, options) {
    let output;
    try {
      output = await last(tool.execute(call.tool_input, options));
    } catch (error) {
      await after("PostToolUseFailure", { ...call, error: String(error?.message ?? error) });
      throw error;
    }
    const outcome = await after("PostToolUse", { ...call, tool_response: told(output) });
    return outcome.fields.updatedToolOutput ?? output;
  }

  async function prepareStep(options) {
    const own = await settings.prepareStep?.(options);
    // Calls checked in the step before have run by now, or never will.
    calls.clear();
    const context = said.splice(0).map((text) => ({ role: "user", content: text }));
    const messages = [...(own?.messages ?? options.messages), ...context];
    // If the caller has not set an end, the model may still answer, but not call tools.
    return { ...own, ...(context.length > 0 && { messages }), ...(stopped !== undefined && { toolChoice: "none" }) };
  }

  async function onStart(...event) {
    stopped = undefined;
    await (settings.onStart ?? settings.experimental_onStart)?.(...event);
  }

  const all = (tools) => Object.fromEntries(Object.entries(tools ?? {}).map(guard));
  const prepareCall = async (options) => {
    const made = await settings.prepareCall(options);
    return { ...made, tools: all(made.tools) };
  };
  const stopWhen = settings.stopWhen && [settings.stopWhen, () => stopped !== undefined].flat();
  const hooked = { ...settings, tools: all(settings.tools), toolApproval, prepareStep, onStart };
  return { ...hooked, ...(stopWhen && { stopWhen }), ...(settings.prepareCall && { prepareCall }) };
}

/** The full content of a call, so that two calls with the same id are checked separately. */
function whole(name, input, id) {
  return written([id, name, input]);
}

/** Returns the caller's own setting for a call that hooks allow. */
async function ownApproval(settings, options, tool) {
  const { toolName, input, toolCallId } = options.toolCall;
  const own = settings.toolApproval;
  if (typeof own === "function") return own(options);
  const ofTool = (Object.hasOwn(own ?? {}, toolName) ? own[toolName] : undefined) ?? tool?.needsApproval;
  const status = typeof ofTool === "function" ? await ofTool(input, { ...options, toolCallId }) : ofTool;
  return typeof status === "boolean" ? (status ? "user-approval" : undefined) : status;
}

/** Returns a rewritten input, if it is valid for the tool. */
async function fitting(tool, input) {
  const fits = await asSchema(tool.inputSchema).validate?.(input);
  if (fits?.success === false) throw new BecketError(`a hook rewrote the input, which does not fit: ${fits.error.message}`);
  return fits?.value ?? input;
}

/** Returns a result as hooks read it: a value that is not JSON is described in words. */
function told(output) {
  try {
    written([output]);
    return output ?? null;
  } catch {
    return inspect(output);
  }
}

/** Returns the result of a tool that may report progress. */
async function last(output) {
  if (typeof output?.[Symbol.asyncIterator] !== "function") return output;
  let value;
  for await (value of output);
  return value;
}
