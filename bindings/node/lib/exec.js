/** Programs under the rules of a session: the request, and the report. */

import { resolve } from "node:path";
import { ExecError } from "./errors.js";
import { named } from "./json.js";
import { fileOfPlatform } from "./platform.js";

/** Returns the request, as the native engine reads it. */
export function request(program, args, options) {
  if (!Array.isArray(args)) throw new ExecError(`the arguments of \`${program}\` are ${named(args)}, not a list`);
  const { cwd, env, timeout, maxOutputBytes, becket } = options;
  return {
    program,
    args,
    cwd,
    env,
    timeout_ms: timeout === undefined ? undefined : milliseconds(timeout, program),
    max_output_bytes: maxOutputBytes,
    becket: becket === undefined ? ownProgram() : resolve(becket),
  };
}

function milliseconds(seconds, program) {
  if (!Number.isFinite(seconds) || seconds <= 0) {
    throw new ExecError(`\`${program}\`: \`timeout\` is ${seconds}, not a number of seconds above 0`);
  }
  return Math.ceil(seconds * 1000);
}

/** Returns the program in the package of this platform, if that is installed. */
function ownProgram() {
  try {
    return fileOfPlatform("bin/becket");
  } catch {
    return undefined;
  }
}

/** Returns the report of the native engine, with the names of this package. */
export function report(text) {
  const { is_cut: isCut, ...rest } = JSON.parse(text);
  return { ...rest, isCut };
}

/** Returns the error for a program without an exit code. */
export function notExecuted(text) {
  try {
    const { why, kind } = JSON.parse(text);
    return new ExecError(why, { kind });
  } catch {
    return new ExecError(text, { kind: "lost" });
  }
}
