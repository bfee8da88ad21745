/**
 * Approval of the tool calls that hooks and rules ask about, by the host's user (protocol D3).
 *
 * INVARIANT: only `true` approves. A callback that throws, is late or answers anything else denies the call.
 */

import { BecketError } from "./errors.js";
import { named } from "./json.js";

/** The default time limit of an approval, in seconds. */
export const APPROVAL_TIMEOUT = 600;

/** The maximum delay of a timer in Node, in milliseconds. */
const LONGEST = 2 ** 31 - 1;

/** Returns the callback. Throws if it is not a function. */
export function checkedCallback(callback) {
  if (callback === undefined || typeof callback === "function") return callback;
  throw new BecketError(`\`toolApprovalCallback\` is ${named(callback)}, not a function`);
}

/** Returns the limit in seconds. Throws if it is not a number above 0. */
export function checkedTimeout(seconds = APPROVAL_TIMEOUT) {
  if (typeof seconds === "number" && seconds > 0) return seconds;
  throw new BecketError("`toolApprovalTimeout` must be a number of seconds above 0; `Infinity` waits without a limit");
}

/** The call to approve. The callback gets a copy of the input, so that it can't change the one that was checked. */
export function toolCall(toolName, input, toolCallId, outcome) {
  const toolInput = structuredClone(outcome.updatedInput ?? input);
  return { toolName, toolInput, toolCallId, reason: outcome.reason ?? undefined };
}

/** Returns whether the user approves the call. Rejects only if `signal` is aborted meanwhile, with its reason. */
export async function approved(callback, call, seconds, signal) {
  signal?.throwIfAborted();
  const over = new AbortController();
  // It also keeps the process alive while the user decides.
  let timer;
  let abort;
  const late = new Promise((resolve, reject) => {
    timer = setTimeout(resolve, Math.min(seconds * 1000, LONGEST), LATE);
    abort = () => reject(signal.reason);
    signal?.addEventListener("abort", abort, { once: true });
  });
  try {
    const answer = await Promise.race([answered(callback, call, over.signal), late]);
    if (answer === LATE) process.emitWarning(`\`toolApprovalCallback\` gave no answer within ${seconds} s: the call is denied`, "BecketWarning");
    return answer === true;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
    over.abort(new BecketError("the answer is no longer needed"));
  }
}

const LATE = Symbol("late");

/** Returns the answer of the callback. One that throws denies. */
async function answered(callback, call, signal) {
  try {
    return await callback(call, { signal });
  } catch (error) {
    if (!signal.aborted) process.emitWarning(`\`toolApprovalCallback\` failed: ${words(error)}`, "BecketWarning");
    return false;
  }
}

function words(error) {
  try {
    return String(error?.stack ?? error);
  } catch {
    return `it threw ${named(error)}`;
  }
}
