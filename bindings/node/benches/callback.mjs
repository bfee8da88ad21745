/**
 * The cost of hooks from Node. `cargo xtask bench becket-node` builds what this needs, and runs it.
 *
 * Functions are measured alone. A command is measured beside the same session and event in a program in Rust, which fires
 * when it is told to. Nothing asserts on speed.
 */

import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { HookEngine } from "becket";
import { Bench } from "./rows.mjs";

const INPUT = { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t1" };
const COMMAND = { hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "true" }] }] } };
const ALLOW = { permissionDecision: "allow" };
/** The number of firings in a sample: a single one would measure the clock. */
const SOME = 20;

const place = () => mkdtempSync(join(tmpdir(), "becket-bench-"));

/** An engine with one hook, or none. */
async function engine(handler, settings) {
  const made = new HookEngine({ projectRoot: place(), settingSources: [], trust: true, settings });
  if (handler) made.hook("PreToolUse", handler);
  const outcome = await made.runEvent("PreToolUse", INPUT);
  const { hooks } = JSON.parse(JSON.stringify(outcome));
  // A hook that fails, or is left out, must not count as a fast one.
  if (outcome.failures.length > 0 || hooks.length !== Number(!!handler) + Number(!!settings)) {
    throw new Error(`that is not what was to be measured: ${JSON.stringify(hooks)}`);
  }
  return made;
}

/** Some firings, one after the other. */
function fires(made, times) {
  return async () => {
    const started = process.hrtime.bigint();
    for (let time = 0; time < times; time += 1) await made.runEvent("PreToolUse", INPUT);
    return Number(process.hrtime.bigint() - started) / times;
  };
}

/** The same event in a session of the same kind, without Node. */
class Floor {
  constructor(program) {
    this.child = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    const open = { start: place(), setting_sources: [], settings: COMMAND, trust: true };
    this.child.stdin.write(`${JSON.stringify({ open, event: "PreToolUse", input: INPUT })}\n`);
  }

  /** Returns the time of one firing there. */
  async once() {
    this.child.stdin.write("1\n");
    const { value, done } = await this.lines.next();
    if (done) throw new Error("the program in Rust has ended");
    return Number(value);
  }

  close() {
    this.child.stdin.end();
  }
}

const program = process.env.BECKET_BENCH_FLOOR;
if (program === undefined) throw new Error("there is nothing to measure beside: run `cargo xtask bench becket-node`");
const bench = new Bench("becket-node");
const limit = { nanos: 15_000 };
await bench.alone("no hook", {}, fires(await engine(), SOME));
await bench.alone("one plain function", limit, fires(await engine(() => ALLOW), SOME));
await bench.alone("one async function", limit, fires(await engine(async () => ALLOW), SOME));

const floor = new Floor(program);
const note = "floor: the same session and event by a program in Rust";
const command = fires(await engine(undefined, COMMAND), 1);
await bench.versus("one `true` hook", { ratio: 1.1 }, command, () => floor.once(), note);
if (!bench.isQuick) {
  const held = Buffer.alloc(2 ** 31, 1);
  await bench.versus("one `true` hook, 2 GB held", { ratio: 1.1 }, command, () => floor.once(), note);
  if (held.at(-1) !== 1) throw new Error("it was not held");
}
floor.close();
process.exit(0);
