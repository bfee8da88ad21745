import assert from "node:assert/strict";
import { test } from "node:test";
import { BecketError } from "becket";
import { bash, command, engine } from "./support.mjs";

// rule: L2
test("what hooks say waits until the last call is answered, in order", (t) => {
  const barrier = engine(t).toolBarrier();
  assert.deepEqual(barrier.inject("at once"), ["at once"]);
  barrier.begin("a", "b");
  assert.deepEqual(barrier.inject("one"), []);
  assert.deepEqual(barrier.answer("b"), []);
  assert.deepEqual(barrier.inject(["two", "three"]), []);
  assert.deepEqual(barrier.answer("a"), ["one", "two", "three"]);
  assert.equal(barrier.isOpen, false);
});

// rule: L2
test("an interrupt names the calls without a result, and what comes after them", (t) => {
  const barrier = engine(t).toolBarrier();
  barrier.begin("a", "b");
  barrier.inject("one");
  barrier.answer("a");
  assert.deepEqual(barrier.interrupt(), { unanswered: ["b"], context: ["one"] });
});

// rule: L2
test("no call is begun or answered twice", (t) => {
  const barrier = engine(t).toolBarrier();
  barrier.begin("a");
  assert.throws(() => barrier.begin("b", "a"), BecketError);
  assert.throws(() => barrier.begin("c", "c"), BecketError);
  assert.deepEqual(barrier.open, ["a"]);
  barrier.answer("a");
  assert.throws(() => barrier.answer("a"), BecketError);
});

// rules: L2, D5
test("context beside a deny is dropped in profile agent, and kept in profile claude", async (t) => {
  const line = `echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","additionalContext":"why"}}'`;
  for (const [profile, want] of [["agent", []], ["claude", ["why"]]]) {
    const made = engine(t, { profile, settings: command("PreToolUse", line) });
    const barrier = made.toolBarrier();
    barrier.begin("toolu_1");
    barrier.inject(await made.runEvent("PreToolUse", bash("ls")));
    assert.deepEqual(barrier.answer("toolu_1"), want, profile);
  }
});
