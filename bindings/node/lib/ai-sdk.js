/**
 * Hooks around the tool calls of the AI SDK (npm `ai`, version 7).
 *
 * It uses what the SDK offers: `toolApproval` asks PreToolUse, `execute` of each tool runs the rewritten input and asks
 * PostToolUse, `prepareStep` brings in what hooks say to the model once all calls of a step are answered, and `stopWhen` ends
 * the loop. What the caller has set there himself counts beside it.
 *
 * INVARIANT: a tool runs only after PreToolUse has let its very call pass.
 */

import { asSchema } from "ai";
import { BecketError } from "./errors.js";

/** The settings of `generateText`, `streamText` or an agent, with hooks around their tools. */
export function withHooks(engine, settings) {
  const calls = new Map();
  const said = [];
  let stopped = false;

  async function fire(event, fields, signal) {
    const outcome = await engine.runEvent(event, fields, { signal });
    said.push(...outcome.additionalContext);
    stopped ||= outcome.stop;
    return outcome;
  }

  async function before(name, input, id, signal) {
    const outcome = await fire("PreToolUse", { tool_name: name, tool_input: input, tool_use_id: id }, signal);
    return calls.set(id, outcome).get(id);
  }

  async function toolApproval(options) {
    const { toolName, input, toolCallId } = options.toolCall;
    const outcome = await before(toolName, input, toolCallId);
    const reason = outcome.reason ?? undefined;
    if (outcome.blocked) return { type: "denied", reason };
    if (outcome.result === "waits") return { type: "user-approval", reason };
    const own = settings.toolApproval;
    if (typeof own === "function") return own(options);
    const ofTool = own?.[toolName] ?? settings.tools[toolName]?.needsApproval;
    const status = typeof ofTool === "function" ? await ofTool(input, { ...options, toolCallId }) : ofTool;
    return typeof status === "boolean" ? (status ? "user-approval" : undefined) : status;
  }

  const guarded = ([name, tool]) => {
    if (typeof tool.execute !== "function") return [name, tool];
    const execute = async (input, options) => {
      const id = options.toolCallId;
      const outcome = calls.get(id) ?? (await before(name, input, id, options.abortSignal));
      calls.delete(id);
      if (outcome.blocked) throw new BecketError(outcome.reason ?? "denied by a hook");
      const rewritten = outcome.updatedInput === null ? input : await fitting(tool, outcome.updatedInput);
      const call = { tool_name: name, tool_input: rewritten, tool_use_id: id };
      let output;
      try {
        output = await last(tool.execute(rewritten, options));
      } catch (error) {
        await fire("PostToolUseFailure", { ...call, error: String(error?.message ?? error) });
        throw error;
      }
      const after = await fire("PostToolUse", { ...call, tool_response: output ?? null });
      if (after.blocked && after.reason !== null) said.push(after.reason);
      return after.fields.updatedToolOutput ?? output;
    };
    return [name, { ...tool, execute }];
  };

  const prepareStep = async (options) => {
    const own = await settings.prepareStep?.(options);
    const context = said.splice(0).map((text) => ({ role: "user", content: text }));
    const messages = [...(own?.messages ?? options.messages), ...context];
    // Where the caller has set no end of his own, the model may still speak, but call nothing.
    return { ...own, ...(context.length > 0 && { messages }), ...(stopped && { toolChoice: "none" }) };
  };

  const tools = Object.fromEntries(Object.entries(settings.tools ?? {}).map(guarded));
  const stopWhen = settings.stopWhen && [settings.stopWhen, () => stopped].flat();
  return { ...settings, tools, toolApproval, prepareStep, ...(stopWhen && { stopWhen }) };
}

/** A rewritten input, where it fits the tool. */
async function fitting(tool, input) {
  const fits = await asSchema(tool.inputSchema).validate?.(input);
  if (fits?.success === false) throw new BecketError(`a hook rewrote the input, which does not fit: ${fits.error.message}`);
  return fits?.value ?? input;
}

/** What a tool comes to that may tell of its progress. */
async function last(output) {
  if (typeof output?.[Symbol.asyncIterator] !== "function") return output;
  let value;
  for await (value of output);
  return value;
}
