/** An answer that blocks takes effect, whatever else it contains. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { EventError } from "becket";
import { bash, engine } from "./support.mjs";

const half = "\ud83d";
const cyclic = {};
cyclic.self = cyclic;
const stop = { stop_hook_active: false };
const asked = { mcp_server_name: "s", message: "m" };
const used = { ...bash("ls"), tool_response: "text" };

/** Blocking answers with another part that is invalid or contradicts; the event, and the required result. */
const HELD = [
  ["half a character in the reason", "Stop", stop, { decision: "block", reason: `not yet ${half}` }],
  ["half a character beside", "PostToolUse", used, { decision: "block", reason: "no", additionalContext: half }],
  ["a number that is none", "PostToolUse", used, { decision: "block", reason: "no", updatedToolOutput: { n: NaN } }],
  ["a cycle", "PostToolUse", used, { decision: "block", reason: "no", hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: cyclic } }],
  ["a BigInt", "Stop", stop, { decision: "block", reason: "no", systemMessage: 1n }],
  ["a decision that the event has not", "Stop", stop, { decision: "block", reason: "no", permissionDecision: "ask" }],
  ["an allow on top of a deny", "PreToolUse", bash("ls"), { permissionDecision: "allow", hookSpecificOutput: { permissionDecision: "deny" } }],
  ["an allow on top of no decision", "PreToolUse", bash("ls"), { permissionDecision: "allow", hookSpecificOutput: { permissionDecision: "denied" } }],
  ["an allow on top of a legacy block", "PreToolUse", bash("ls"), { permissionDecision: "allow", decision: "block", reason: "no" }],
  ["an allow beside a request's denial", "PermissionRequest", bash("ls"), { permissionDecision: "allow", decision: { behavior: "deny" } }],
  ["an allow on top of a request's denial", "PermissionRequest", bash("ls"), { permissionDecision: "allow", hookSpecificOutput: { decision: { behavior: "deny", message: "no" } } }],
  ["a reason that throws", "PreToolUse", bash("ls"), { permissionDecision: "deny", get reason() { throw new Error("no reason"); } }],
  ["an accept on top of a decline", "Elicitation", asked, { action: "accept", hookSpecificOutput: { action: "decline" } }],
];

// rules: H9, O9, O11
for (const [what, event, fields, answer] of HELD) {
  test(`${what} takes nothing from a blocking answer`, async (t) => {
    // An unknown word is a failure, not a readable denial.
    const kinds = what === "an allow on top of no decision" ? [undefined] : [undefined, "block", "continue"];
    for (const onFailure of kinds) {
      const made = engine(t, { interactive: true });
      made.hook(event, { onFailure }, () => answer);
      const outcome = await made.runEvent(event, fields);
      assert.equal(outcome.blocked, true, `${onFailure}: ${JSON.stringify(outcome)}`);
    }
  });
}

// rules: H9, O10
test("what is wrong beside a block is a failure all the same, and a stop that the event does not know is no block", async (t) => {
  const made = engine(t);
  made.hook("Stop", () => ({ decision: "block", reason: "not yet", reson: "?" }));
  const held = await made.runEvent("Stop", stop);
  assert.deepEqual([held.blocked, held.reason, held.failures.length], [true, "not yet", 1]);
  assert.match(held.failures[0].text, /`reson`, which no answer has/);
  made.hook("ConfigChange", { onFailure: "block" }, () => ({ continue: false, reson: "?" }));
  const change = await made.runEvent("ConfigChange", { source: "project_settings" });
  assert.deepEqual([change.blocked, change.failures.length], [true, 1]);
  made.hook("PreToolUse", () => ({ permissionDecision: "deny", reason: "mine", updatedInput: cyclic }));
  const call = await made.runEvent("PreToolUse", bash("ls"));
  assert.deepEqual([call.permissionDecision, call.reason, call.failures.length], ["deny", "mine", 1]);
});

// rule: O9
test("of an ask and an allow in one answer the ask counts", async (t) => {
  const made = engine(t, { interactive: true });
  made.hook("PreToolUse", () => ({ permissionDecision: "allow", hookSpecificOutput: { permissionDecision: "ask" } }));
  assert.equal((await made.runEvent("PreToolUse", bash("ls"))).result, "waits");
});

// rule: H9
test("what JSON would write as nothing is refused: a guard must not see less than the tool gets", async (t) => {
  const made = engine(t);
  class Hidden { #path = "/etc"; path() { return this.#path; } }
  for (const hidden of [new Map([["a", 1]]), new Set(["/etc"]), Promise.resolve("x"), new Error("e"), /x/, new Hidden()]) {
    for (const tool_input of [hidden, { paths: hidden }]) {
      await assert.rejects(made.runEvent("PreToolUse", { ...bash("ls"), tool_input }), (error) => error instanceof EventError && /JSON can't say/.test(error.message));
    }
  }
  class Open { path = "/etc"; }
  for (const said of [new Open(), new Date(0), new URL("file:///etc"), new Uint8Array([1]), Object.create(null), []]) {
    await made.runEvent("PreToolUse", { ...bash("ls"), tool_input: { said } });
  }
  made.hook("PreToolUse", () => ({ permissionDecision: "allow", updatedInput: { paths: new Set() } }));
  assert.equal((await made.runEvent("PreToolUse", bash("ls"))).blocked, true);
});
