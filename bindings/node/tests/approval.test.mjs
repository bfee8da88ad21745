/** Tool calls that hooks and rules ask about, and the callback that answers for the user. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { BecketError, HookEngine, SessionClosed } from "becket";
import { bash, engine, until } from "./support.mjs";

const RULED = { permissions: { ask: ["Bash(ls)"] } };
const never = () => {
  throw new Error("nobody is to be asked");
};

/** An engine with a hook that asks. */
function asking(t, options = {}, more = {}) {
  const made = engine(t, options);
  made.hook("PreToolUse", () => ({ permissionDecision: "ask", reason: "sure?", ...more }));
  return made;
}

const fired = (made, fields = {}) => made.runEvent("PreToolUse", { ...bash("ls"), ...fields });

// rule: D3
test("an ask of a hook or a rule reaches the callback, and only true is a yes", async (t) => {
  for (const interactive of [false, true]) {
    for (const [answer, decision] of [[true, "proceed"], [false, "block"], [undefined, "block"], ["yes", "block"], [1, "block"], [new Error("x"), "block"]]) {
      const asked = [];
      const plain = (call) => {
        asked.push(call);
        if (answer instanceof Error) throw answer;
        return answer;
      };
      for (const toolApprovalCallback of [plain, async (call) => plain(call)]) {
        const options = { interactive, toolApprovalCallback };
        for (const made of [asking(t, options), engine(t, { ...options, settings: RULED })]) {
          const outcome = await fired(made);
          assert.deepEqual([outcome.decision, outcome.blocked, outcome.asks], [decision, decision === "block", false]);
          assert.equal(outcome.result, decision === "block" ? "blocked" : "passed");
          assert.equal(outcome.permissionDecision, decision === "block" ? "deny" : "allow");
        }
      }
      const [call] = asked;
      assert.deepEqual([asked.length, call.toolName, call.toolInput, call.toolCallId], [4, "Bash", { command: "ls" }, "toolu_1"]);
      assert.match(call.reason, /sure\?/);
    }
  }
});

// rules: D3, P11
test("without a callback an ask is blocked, or waits in an interactive session", async (t) => {
  for (const [interactive, decision, result] of [[false, "block", "blocked"], [true, "wait", "waits"]]) {
    for (const made of [asking(t, { interactive }), engine(t, { interactive, settings: RULED })]) {
      const outcome = await fired(made);
      assert.deepEqual([outcome.decision, outcome.result, outcome.asks], [decision, result, true]);
      assert.equal(outcome.answered(true).decision, "proceed");
      assert.equal(outcome.answered(1).decision, "block");
    }
  }
});

// rules: D1, D3, P14
test("nobody is asked about what is denied, in `dontAsk`, or about what nobody asks", async (t) => {
  const toolApprovalCallback = never;
  for (const interactive of [false, true]) {
    const options = { interactive, toolApprovalCallback };
    const denied = asking(t, options);
    denied.hook("PreToolUse", () => ({ permissionDecision: "deny" }));
    assert.equal((await fired(denied)).decision, "block");
    const unasked = engine(t, { ...options, settings: RULED, permissionMode: "dontAsk" });
    for (const outcome of [await fired(unasked), await fired(engine(t, { ...options, settings: RULED }), { permission_mode: "dontAsk" })]) {
      assert.deepEqual([outcome.decision, outcome.asks, outcome.answered(true).decision], ["block", false, "block"]);
    }
    assert.equal((await fired(engine(t, options))).decision, "proceed");
  }
});

// rule: D3
test("a late callback denies, and is told so", async (t) => {
  const signals = [];
  const toolApprovalCallback = (_, { signal }) => {
    signals.push(signal);
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve(true)));
  };
  assert.equal((await fired(asking(t, { toolApprovalCallback, toolApprovalTimeout: 0.1 }))).decision, "block");
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true]);
});

// rule: D3
test("an answer that only looks like a yes is none", async (t) => {
  const answers = [new Boolean(true), "true", {}, [true], Symbol("yes"), () => true, Promise.resolve("yes"), { then: (resolve) => resolve(1) }];
  for (const answer of answers) {
    const outcome = await fired(asking(t, { toolApprovalCallback: () => answer }));
    assert.equal(outcome.decision, "block", typeof answer);
  }
  const thrown = [undefined, null, "no", Symbol("no"), { toString: () => { throw new Error("x"); } }];
  for (const value of thrown) {
    for (const toolApprovalCallback of [() => { throw value; }, () => Promise.reject(value)]) {
      assert.equal((await fired(asking(t, { toolApprovalCallback }))).decision, "block");
    }
  }
  const made = asking(t, { toolApprovalCallback: () => ({ then: (resolve) => resolve(true) }) });
  assert.equal((await fired(made)).decision, "proceed", "a thenable is awaited as `await` does");
});

// rules: D3, D9
test("the callback sees what would run, and can't change it", async (t) => {
  const seen = [];
  const toolApprovalCallback = (call) => {
    seen.push(call.toolInput.command);
    call.toolInput.command = "rm -rf /";
    return true;
  };
  const rewritten = await fired(asking(t, { toolApprovalCallback }, { updatedInput: { command: "ls -l" } }));
  assert.deepEqual([rewritten.decision, rewritten.updatedInput], ["proceed", { command: "ls -l" }]);
  const call = bash("ls");
  await asking(t, { toolApprovalCallback }).runEvent("PreToolUse", call);
  assert.deepEqual([call.tool_input, seen], [{ command: "ls" }, ["ls -l", "ls"]]);
});

test("an aborted event waits for nobody, and a yes after the end of the session is none", async (t) => {
  const abort = new AbortController();
  let asked = false;
  const waits = asking(t, { toolApprovalCallback: () => new Promise(() => (asked = true)) });
  const outcome = waits.runEvent("PreToolUse", bash("ls"), { signal: abort.signal });
  await until(() => asked);
  abort.abort(new Error("enough"));
  await assert.rejects(outcome, /enough/);
  const made = asking(t, {
    toolApprovalCallback: async () => {
      await made.close();
      return true;
    },
  });
  await assert.rejects(fired(made), SessionClosed);
});

test("what can't be asked is refused", () => {
  for (const options of [{ toolApprovalCallback: "yes" }, { toolApprovalTimeout: 0 }, { toolApprovalTimeout: Number.NaN }, { toolApprovalTimeout: "5" }]) {
    const [name] = Object.keys(options);
    assert.throws(() => new HookEngine({ settingSources: [], ...options }), (error) => error instanceof BecketError && error.message.includes(`\`${name}\``));
  }
});

test("a program waits for the person's answer, and for nothing after it", () => {
  const program = `
    import { HookEngine } from "becket";
    const settings = { permissions: { ask: ["Bash"] } };
    const toolApprovalCallback = () => new Promise((resolve) => setTimeout(() => resolve(true), 50).unref());
    const engine = new HookEngine({ settingSources: [], settings, toolApprovalCallback });
    const outcome = await engine.runEvent("PreToolUse", { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "t" });
    console.log(outcome.decision);
  `;
  const given = ["--input-type=module", "-e", program];
  assert.equal(execFileSync(process.execPath, given, { cwd: import.meta.dirname, encoding: "utf8", timeout: 60_000 }), "proceed\n");
});
