/**
 * Converts the result of a handler to the JSON that a command would print.
 *
 * A handler may return the JSON of a command, or a flat form of it: `{ permissionDecision: "deny", reason }`. The fields of an
 * event's own output may be flat, too.
 *
 * INVARIANT: an invalid answer throws, and so fails the hook; a blocking answer is never lost because of another field, and
 * of two decisions in one answer the stricter counts (O9).
 */

import { EVENTS, OWN_FIELDS, UNIVERSAL } from "./events.js";
import { isPlain, named, written } from "./json.js";

/** The fields of a PermissionRequest decision; flat, too. */
const OF_REQUEST = ["updatedInput", "updatedPermissions", "interrupt"];
const DECISIONS = ["allow", "deny", "ask", "defer"];
/** The values of a deciding field, the strictest first. */
const STRICTEST = { permissionDecision: ["deny", "defer", "ask", "allow"], behavior: ["deny", "allow"], action: ["decline", "cancel", "accept"] };

/**
 * Returns the answer as JSON, or nothing if the handler has no opinion.
 *
 * @param {string} event
 * @param {unknown} value
 * @throws {TypeError} The answer is invalid.
 * @throws {InPart} It blocks, and other parts of it are invalid.
 */
export function answered(event, value) {
  if (value === undefined || value === null) return null;
  if (!isPlain(value)) throw new TypeError(`it returned ${named(value)}: return a plain object or nothing`);
  try {
    return written(wire(event, value));
  } catch (error) {
    const { permissionDecision, ...rest } = sayable(value);
    for (const less of [{ permissionDecision, ...rest }, rest]) {
      const text = blocks(less) ? attempt(() => written(wire(event, less, true))) : undefined;
      if (text !== undefined) throw new InPart(text, error);
    }
    throw error;
  }
}

/** The block in an invalid answer, and the fault: the hook has failed, and the block counts. */
export class InPart extends Error {
  constructor(text, cause) {
    super("a part of the answer can be read", { cause });
    this.text = text;
  }
}

function attempt(what) {
  try {
    return what();
  } catch {
    return undefined;
  }
}

/** Returns an answer without the fields that JSON can't represent, or that can't be read. */
function sayable(value) {
  const entry = (key) =>
    attempt(() => {
      const given = value[key];
      const field = key === "hookSpecificOutput" && isPlain(given) ? sayable(given) : given;
      written(field);
      return [key, field];
    });
  return Object.fromEntries(Object.keys(value).map(entry).filter((one) => one !== undefined));
}

function wire(event, value, isPart = false) {
  const { permissionDecision, ...rest } = value;
  const output = {};
  const own = {};
  const unknown = [];
  for (const [key, field] of Object.entries(rest)) {
    if (field === undefined) continue;
    if (isOwn(event, key, field)) own[key] = field;
    else if (UNIVERSAL.has(key)) output[key] = field;
    else if (OWN_FIELDS.has(key)) own[key] = field;
    else unknown.push(key);
  }
  if (unknown.length > 0 && !isPart) throw new TypeError(misspelt(event, unknown));
  if (permissionDecision !== undefined && permissionDecision !== null) decide(event, permissionDecision, output, own);
  else if (OF_REQUEST.some((key) => isOwn(event, key) && Object.hasOwn(own, key))) {
    throw new TypeError("only a `permissionDecision` takes `updatedInput`, `updatedPermissions` or `interrupt` beside it");
  }
  if (Object.keys(own).length > 0) output.hookSpecificOutput = merged(event, output.hookSpecificOutput, own);
  return output;
}

/** `decision` is a string on every event, and an object on PermissionRequest. */
function isOwn(event, key, field) {
  if (EVENTS[event].decision !== "permission_request") return false;
  return OF_REQUEST.includes(key) || (key === "decision" && typeof field === "object");
}

function merged(event, given, own) {
  if (given !== undefined && given !== null && !isPlain(given)) return given;
  const all = { hookEventName: event, ...given, ...own };
  for (const name of ["permissionDecision", "action"]) {
    const word = stricter(name, given?.[name], own[name]);
    if (word !== undefined) all[name] = word;
  }
  if (given?.decision?.behavior === "deny") all.decision = given.decision;
  return all;
}

/** Returns the strictest value; an unknown one takes precedence over any that allows, and so fails. */
function stricter(name, ...said) {
  const [blocking, ...others] = STRICTEST[name];
  const words = said.filter((word) => word !== undefined && word !== null);
  const unknown = words.find((word) => !STRICTEST[name].includes(word));
  return words.includes(blocking) ? blocking : (unknown ?? others.find((word) => words.includes(word)));
}

/** A blocking answer counts regardless of its other fields. */
function blocks(value) {
  const own = isPlain(value.hookSpecificOutput) ? value.hookSpecificOutput : {};
  const behavior = (own.decision ?? value.decision)?.behavior;
  const action = own.action ?? value.action;
  return (
    [value.permissionDecision, own.permissionDecision, behavior].includes("deny") ||
    value.decision === "block" ||
    value.continue === false ||
    action === "decline" ||
    action === "cancel"
  );
}

function decide(event, decision, output, own) {
  if (!DECISIONS.includes(decision)) {
    throw new TypeError(`\`permissionDecision\` is ${told(decision)}, but must be one of ${DECISIONS.join(", ")}`);
  }
  const model = EVENTS[event].decision;
  if (model === "permission") {
    own.permissionDecision = decision;
    if (output.reason !== undefined && own.permissionDecisionReason === undefined) {
      own.permissionDecisionReason = output.reason;
    }
  } else if (model === "permission_request" && decision !== "ask" && decision !== "defer") {
    request(decision, output, own);
  } else if ((model === "block" || model === "task") && decision === "deny") {
    output.decision = "block";
  } else if (model === "elicitation" && decision === "deny") {
    own.action = "decline";
  } else if (decision !== "allow" || model === "elicitation") {
    throw new TypeError(`\`permissionDecision: ${decision}\` decides nothing on ${event}${instead(model)}`);
  }
}

function request(behavior, output, own) {
  const flat = {};
  for (const key of OF_REQUEST.filter((key) => Object.hasOwn(own, key))) {
    flat[key] = own[key];
    delete own[key];
  }
  if (behavior === "deny" && output.reason !== undefined) flat.message = output.reason;
  own.decision = { ...flat, ...own.decision, behavior: stricter("behavior", own.decision?.behavior, behavior) };
}

function instead(model) {
  return model === "continue_only" ? ": return `continue: false` with a `stopReason`" : "";
}

function misspelt(event, unknown) {
  const keys = unknown.map((key) => `\`${key}\``).join(", ");
  const others = [...EVENTS[event].output, ...UNIVERSAL].join(", ");
  return `it returned ${keys}, which no answer has: ${event} takes ${others}`;
}

function told(value) {
  return typeof value === "string" ? `\`${value}\`` : named(value);
}
