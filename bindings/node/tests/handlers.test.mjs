import assert from "node:assert/strict";
import { test } from "node:test";
import { BecketError, EventError, HookError, SessionClosed } from "becket";
import { bash, command, engine, until } from "./support.mjs";

const forever = () => new Promise(() => {});
const cyclic = {};
cyclic.self = cyclic;
const deep = (depth) => (depth === 0 ? {} : { a: deep(depth - 1) });

const refusal = () => { throw new Error("refused"); };
const refuses = () => new Proxy({}, { get: refusal, getPrototypeOf: refusal, ownKeys: refusal });

/** Invalid answers, each with the text of the failure. */
const NO_ANSWERS = [
  ["a throw", () => { throw new Error("broke"); }, /Error: broke/],
  ["a throw of nothing", () => { throw undefined; }, /undefined/],
  ["a throw that can't be told", () => { throw { toString() { throw 1; }, get a() { throw 2; } }; }, /threw/],
  ["a throw of a proxy that refuses everything", () => { throw refuses(); }, /can't be described/],
  ["a rejection with one", async () => { throw refuses(); }, /can't be described/],
  ["a rejection", async () => { throw new RangeError("late"); }, /RangeError: late/],
  ["a text", () => "deny", /it returned a string/],
  ["true", async () => true, /it returned a boolean/],
  ["a list", () => [{ permissionDecision: "deny" }], /it returned a list/],
  ["a map", () => new Map([["permissionDecision", "deny"]]), /it returned an object of Map/],
  ["an instance", () => new (class Verdict { permissionDecision = "deny"; })(), /object of Verdict/],
  ["what a generator makes", () => (function* () {})(), /object of Generator/],
  ["a function", () => () => ({}), /it returned a function/],
  ["a misspelt field", () => ({ permissionDecison: "deny" }), /`permissionDecison`, which no answer has/],
  ["a wrong decision", () => ({ permissionDecision: "denied" }), /`denied`, but must be one of/],
  ["a decision of a wrong type", () => ({ permissionDecision: true }), /a boolean, but must be/],
  ["a cycle", () => ({ permissionDecision: "allow", updatedInput: cyclic }), /circular/],
  ["a BigInt", () => ({ permissionDecision: "allow", updatedInput: { n: 1n } }), /BigInt/],
  ["not a number", () => ({ permissionDecision: "allow", updatedInput: { n: NaN } }), /`n` is NaN/],
  ["a function inside", () => ({ permissionDecision: "allow", updatedInput: { f() {} } }), /`f` is a function/],
  ["a wrong type", () => ({ additionalContext: 5 }), /additionalContext/],
  ["another event's answer", () => ({ hookSpecificOutput: { hookEventName: "Stop" } }), /`Stop`/],
  ["too deep", () => ({ permissionDecision: "allow", updatedInput: deep(200) }), /recursion limit|can't be read/],
  ["a getter that throws", () => ({ get permissionDecision() { throw new Error("got"); } }), /Error: got/],
  ["a then that throws", () => ({ get then() { throw new Error("then"); } }), /Error: then/],
];

// rule: H9
for (const [what, handler, says] of NO_ANSWERS) {
  test(`${what} is no answer: a call is denied, a prompt is rejected`, async (t) => {
    const made = engine(t);
    made.hook("PreToolUse", { name: "guard" }, handler);
    made.hook("UserPromptSubmit", handler);
    const call = await made.runEvent("PreToolUse", bash("ls"));
    assert.equal(call.blocked, true);
    assert.equal(call.permissionDecision, "deny");
    assert.match(call.failures[0].text, says);
    assert.match(call.failures[0].label, /guard/);
    const prompt = await made.runEvent("UserPromptSubmit", { prompt: "hi" });
    assert.equal(prompt.blocked, true);
  });
}

// rule: H9
test("one that never settles is out of time: its signal is aborted, and the call is denied", async (t) => {
  const made = engine(t);
  let signal;
  made.hook("PreToolUse", { timeout: 0.05 }, (_, context) => {
    signal = context.signal;
    return forever();
  });
  const call = await made.runEvent("PreToolUse", bash("ls"));
  assert.equal(call.blocked, true);
  assert.match(call.failures[0].text, /0\.05 ?s|timed out|time/);
  await until(() => signal.aborted);
  assert.ok(signal.reason instanceof BecketError);
});

// rule: H9
test("a signal that is looked at too late is aborted already, and an answer too late is not heard", async (t) => {
  const made = engine(t);
  let late;
  made.hook("PreToolUse", { timeout: 0.02 }, async (_, context) => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    late = context.signal.aborted;
    return { permissionDecision: "allow" };
  });
  assert.equal((await made.runEvent("PreToolUse", bash("ls"))).blocked, true);
  await until(() => late === true);
});

// rule: H9
test("one that blocks its thread past the limit has failed, whatever it says in the end", async (t) => {
  const made = engine(t);
  made.hook("PreToolUse", { timeout: 0.05 }, () => {
    const end = Date.now() + 400;
    while (Date.now() < end);
    return { permissionDecision: "allow" };
  });
  const call = await made.runEvent("PreToolUse", bash("ls"));
  assert.equal(call.blocked, true);
  assert.equal(call.failures.length, 1);
});

// rules: H9, O10
test("`onFailure: block` closes events that a failure leaves open", async (t) => {
  const fields = { source: "project_settings" };
  for (const [onFailure, blocked] of [["continue", false], ["block", true]]) {
    const made = engine(t);
    made.hook("ConfigChange", { onFailure }, () => "what?");
    assert.equal((await made.runEvent("ConfigChange", fields)).blocked, blocked, onFailure);
  }
});

// rules: H9, O10
test("with `onFailure: continue` a failure decides nothing, and is told", async (t) => {
  const prompt = ["UserPromptSubmit", { prompt: "hi" }];
  for (const [event, fields] of [["PreToolUse", bash("ls")], prompt]) {
    for (const [onFailure, decision] of [[undefined, "block"], ["block", "block"], ["continue", "proceed"]]) {
      const made = engine(t);
      made.hook(event, { onFailure }, () => { throw new Error("broke"); });
      const outcome = await made.runEvent(event, fields);
      assert.deepEqual([outcome.decision, outcome.failures.length], [decision, 1], `${event} ${onFailure}`);
    }
  }
});

// rules: D1, D7, H9
test("no order and no neighbour loses a deny", async (t) => {
  const made = engine(t, { settings: command("PreToolUse", "exit 1") });
  made.hook("PreToolUse", { order: 1 }, () => ({ permissionDecision: "allow" }));
  made.hook("PreToolUse", { order: 2 }, async () => ({ permissionDecision: "deny", reason: "mine" }));
  made.hook("PreToolUse", { order: 3 }, () => ({ permissionDecision: "ask" }));
  const call = await made.runEvent("PreToolUse", bash("ls"));
  assert.equal(call.permissionDecision, "deny");
  assert.equal(call.reason, "mine");
});

// rules: H9, O3
test("a blocking answer stands although a field beside it is misspelt", async (t) => {
  const made = engine(t);
  made.hook("Stop", () => ({ decision: "block", reason: "not yet", reson: "?" }));
  const stop = await made.runEvent("Stop", { stop_hook_active: false });
  assert.deepEqual([stop.blocked, stop.reason], [true, "not yet"]);
});

// rule: H9
test("each event takes the flat form of its answer", async (t) => {
  const made = engine(t, { interactive: true });
  made.hook("PreToolUse", () => ({ permissionDecision: "allow", updatedInput: { command: "ls -l" }, additionalContext: "c" }));
  made.hook("PermissionRequest", () => ({ permissionDecision: "deny", reason: "no", interrupt: true }));
  made.hook("UserPromptSubmit", async () => ({ permissionDecision: "deny", reason: "secret" }));
  made.hook("Elicitation", () => ({ permissionDecision: "deny" }));
  made.hook("Notification", () => null);
  const call = await made.runEvent("PreToolUse", bash("ls"));
  assert.deepEqual(call.updatedInput, { command: "ls -l" });
  assert.deepEqual(call.additionalContext, ["c"]);
  const asked = await made.runEvent("PermissionRequest", bash("ls"));
  assert.deepEqual([asked.permissionDecision, asked.fields.interrupt], ["deny", true]);
  const prompt = await made.runEvent("UserPromptSubmit", { prompt: "hi" });
  assert.deepEqual([prompt.blocked, prompt.reason], [true, "secret"]);
  const elicitation = { mcp_server_name: "s", message: "m" };
  assert.equal((await made.runEvent("Elicitation", elicitation)).fields.action, "decline");
});

// rule: C6
test("context is in order of `order`, whoever answers first", async (t) => {
  const made = engine(t);
  const say = (text, ms) => async () => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { additionalContext: text };
  };
  made.hook("PreToolUse", { order: 3 }, say("three", 0));
  made.hook("PreToolUse", { order: 1 }, say("one", 30));
  made.hook("PreToolUse", { order: 2 }, say("two", 10));
  assert.deepEqual((await made.runEvent("PreToolUse", bash("ls"))).additionalContext, ["one", "two", "three"]);
});

// rule: D9
test("each function has an input of its own", async (t) => {
  const made = engine(t);
  const seen = [];
  for (let nth = 0; nth < 2; nth += 1) {
    made.hook("PreToolUse", (input) => {
      seen.push(input.tool_input.command);
      input.tool_input.command = "changed";
    });
  }
  await made.runEvent("PreToolUse", bash("ls"));
  assert.deepEqual(seen, ["ls", "ls"]);
});

// rule: H9
test("a function may fire an event of its own engine", async (t) => {
  const made = engine(t);
  made.hook("PreToolUse", async () => {
    const prompt = await made.runEvent("UserPromptSubmit", { prompt: "inner" });
    return { permissionDecision: "deny", reason: prompt.reason };
  });
  made.hook("UserPromptSubmit", (input) => ({ decision: "block", reason: `saw ${input.prompt}` }));
  assert.equal((await made.runEvent("PreToolUse", bash("ls"))).reason, "saw inner");
});

// rule: H9
test("one that fires its own event without end fails, and what it guards is denied", async (t) => {
  const made = engine(t);
  made.hook("PreToolUse", { timeout: 1 }, () => made.runEvent("PreToolUse", bash("ls")).then(({ blocked }) => (blocked ? { permissionDecision: "deny" } : null)));
  assert.equal((await made.runEvent("PreToolUse", bash("ls"))).blocked, true);
});

test("what can't be registered is refused, with words", (t) => {
  const made = engine(t);
  const refused = (what, says) => assert.throws(what, (error) => error instanceof BecketError && says.test(error.message));
  refused(() => made.hook("PreToolUs", () => {}), /did you mean `PreToolUse`/);
  refused(() => made.hook("PreToolUse", "guard"), /a string, not a function/);
  refused(() => made.hook("PreToolUse", function* () {}), /generator/);
  refused(() => made.hook("PreToolUse", async function* () {}), /generator/);
  refused(() => made.hook("PreToolUse", { matcher: "(" }, () => {}), /matcher/);
  refused(() => made.hook("PreToolUse", { timeout: 0 }, () => {}), /timeout/);
  refused(() => made.hook("PreToolUse", { timeout: -1 }, () => {}), /timeout/);
  refused(() => made.hook("PreToolUse", { timeout: NaN }, () => {}), /NaN/);
  refused(() => made.hook("PreToolUse", { timeuot: 5 }, () => {}), /`timeuot` is not a known option/);
  refused(() => made.hook("PreToolUse", { onFailure: "closed" }, () => {}), /closed/);
  refused(() => made.hook("Stop", { condition: "Bash(ls)" }, () => {}), /tool events/);
  made.hook("PreToolUse", { name: "one" }, () => {});
  refused(() => made.hook("PreToolUse", { name: "one" }, () => {}), /`one` already/);
  assert.ok(new HookError("") instanceof BecketError);
});

test("a function that was taken out is called no more", async (t) => {
  const made = engine(t);
  const off = made.hook("PreToolUse", () => ({ permissionDecision: "deny" }));
  assert.equal((await made.runEvent("PreToolUse", bash("ls"))).blocked, true);
  assert.deepEqual([off(), off()], [true, false]);
  assert.equal((await made.runEvent("PreToolUse", bash("ls"))).blocked, false);
});

// rule: H9
test("a guard that is taken out behind an event has been planned for it, and fails closed", async (t) => {
  for (const settings of [undefined, command("PreToolUse", "true")]) {
    const made = engine(t, { settings, trust: true });
    for (let turn = 0; turn < 50; turn += 1) {
      const remove = made.hook("PreToolUse", () => ({ permissionDecision: "deny", reason: "guarded" }));
      const fired = made.runEvent("PreToolUse", bash("ls"));
      remove();
      assert.equal((await fired).permissionDecision, "deny");
    }
  }
});

test("an event that can't be made is an error, and nothing is decided", async (t) => {
  const made = engine(t);
  const rejected = (what, says) => assert.rejects(what, (error) => error instanceof EventError && says.test(error.message));
  await rejected(made.runEvent("PreToolUs", {}), /did you mean/);
  await rejected(made.runEvent("PreToolUse", {}), /tool_name/);
  await rejected(made.runEvent("PreToolUse", [bash("ls")]), /a list/);
  await rejected(made.runEvent("PreToolUse", { ...bash("ls"), tool_input: { n: Infinity } }), /Infinity/);
  await rejected(made.runEvent("PreToolUse", { ...bash("ls"), session_id: "other" }), /session_id/);
  await rejected(made.runEvent("PreToolUse", { ...bash("ls"), tool_input: deep(300) }), /recursion/);
  await rejected(made.runEvent("PreToolUse", bash("\ud800")), /surrogate|escape/);
});

// rule: H4
test("an abort ends functions and commands alike, and rejects with its reason", async (t) => {
  const made = engine(t, { settings: command("UserPromptSubmit", "sleep 30") });
  let inner;
  made.hook("PreToolUse", (_, { signal }) => {
    inner = signal;
    return forever();
  });
  for (const [event, fields] of [["PreToolUse", bash("ls")], ["UserPromptSubmit", { prompt: "hi" }]]) {
    const abort = new AbortController();
    const fired = made.runEvent(event, fields, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error("enough")), 30);
    await assert.rejects(fired, /enough/);
  }
  await until(() => inner.aborted);
  await assert.rejects(made.runEvent("PreToolUse", bash("ls"), { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("a closed engine decides nothing, also what was under way", async (t) => {
  const made = engine(t);
  made.hook("PreToolUse", forever);
  const fired = made.runEvent("PreToolUse", bash("ls"));
  await Promise.all([made.close(), made.close(), assert.rejects(fired, SessionClosed)]);
  await assert.rejects(made.runEvent("PreToolUse", bash("ls")), SessionClosed);
  assert.throws(() => made.hook("Stop", () => {}), SessionClosed);
  assert.throws(() => made.plan("Stop"), SessionClosed);
});
