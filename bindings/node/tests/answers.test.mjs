/** The cases of the protocol about answers of hooks, through functions of this package. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { WORKSPACE, engine } from "./support.mjs";

const read = (path) => JSON.parse(readFileSync(join(WORKSPACE, path), "utf8"));
const cases = read("crates/becket-model/tests/cases/output.json");
const table = read("schemas/events.json").events;

const SAMPLES = { string: "x", "string or null": "x", boolean: false, integer: 1, number: 1, object: {} };
const sample = (field) => field.values?.[0] ?? SAMPLES[field.type] ?? [];
const fields = (event) =>
  Object.fromEntries(
    Object.entries(table[event].input).filter(([, field]) => field.required).map(([name, field]) => [name, sample(field)]),
  );

/** The expected result of the case, as `becket fire` prints it. */
function wanted({ want }) {
  const [, word, reason] = /^(?:request )?(\w+)(?: and interrupt)?(?: by (?:answer|exit 2))?(?:: ([^]*))?$/.exec(want.decision ?? "") ?? [];
  const decision = want.decision?.startsWith("worktree ") ? "created" : word;
  return {
    decision: decision ?? null,
    reason: decision === "created" ? want.decision.slice(9) : (reason ?? null),
    failure: want.failure ?? null,
    warnings: want.warnings ?? [],
    gave_context: want.context !== undefined,
  };
}

/** The same for a function: its failure blocks where a command's does not. */
const closed = (want, event) => ({ ...want, closes: want.failure !== null && CLOSED.has(event) });

async function came(made, event) {
  const outcome = await made.runEvent(event, fields(event));
  const [hook] = outcome.toJSON().hooks;
  const { decision, reason, failure, warnings, gave_context } = hook;
  return { decision, reason, failure, warnings, gave_context, closes: failure !== null && outcome.decision === "block" };
}

/** True unless the case is about bytes, stderr, another kind of handler, or the background. */
const isPlain = ({ by, json, bytes, stderr, rule }) =>
  by === undefined && bytes === undefined && stderr === undefined && json?.async === undefined && rule !== "A2";
/** The events on which a failed function decides (H9). */
const CLOSED = new Set(["PreToolUse", "UserPromptSubmit", "UserPromptExpansion"]);

// rules: H9, O5, O6, O7, O9
test("what functions answer is taken as the rules say", async (t) => {
  const some = cases.filter((one) => isPlain(one) && one.json !== undefined && (one.exit ?? 0) === 0 && one.want.unknown === undefined);
  assert.ok(some.length > 50, `${some.length} cases`);
  const wrong = [];
  for (const one of some) {
    const made = engine(t, { profile: "claude" });
    made.hook(one.event, () => one.json);
    const got = await came(made, one.event);
    if (JSON.stringify(got) !== JSON.stringify(closed(wanted(one), one.event))) wrong.push({ ...one, got });
  }
  assert.deepEqual(wrong, []);
});
