import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BecketError, ConfigError, HookEngine, Outcome } from "becket";
import { bash, command, engine, until } from "./support.mjs";

const deny = { permissionDecision: "deny", reason: "not here" };

test("an engine reads the settings of its profile, `claude` unless another is named", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "becket-test-"));
  mkdirSync(join(root, ".claude"));
  writeFileSync(join(root, ".claude/settings.json"), JSON.stringify(command("PreToolUse", "echo no >&2; exit 2")));
  const options = { projectRoot: root, settingSources: ["project"] };
  const call = await engine(t, options).runEvent("PreToolUse", bash("ls"));
  assert.deepEqual([call.result, call.reason], ["blocked", "no"]);
  assert.equal((await engine(t, { ...options, profile: "agent" }).runEvent("PreToolUse", bash("ls"))).blocked, false);
});

// rule: H11
test("in profile agent a function has ten seconds, in profile claude what a command has", (t) => {
  for (const [profile, seconds] of [["agent", 10], ["claude", 600]]) {
    const made = engine(t, { profile });
    made.hook("PreToolUse", () => {});
    assert.equal(made.plan("PreToolUse", bash("ls")).runs[0].timeout_s, seconds);
  }
});

test("an outcome is the JSON of `becket fire`, and a view of it", async (t) => {
  const made = engine(t, { settings: command("PreToolUse", "exit 1") });
  made.hook("PreToolUse", { name: "guard" }, () => deny);
  const call = await made.runEvent("PreToolUse", bash("ls"));
  assert.ok(call instanceof Outcome);
  const told = JSON.parse(JSON.stringify(call));
  assert.deepEqual([told.report, told.event, told.result, told.verdict.settlement], ["fire", "PreToolUse", "blocked", "denied"]);
  assert.deepEqual(told.hooks.map((hook) => hook.kind).sort(), ["callback", "command"]);
  assert.deepEqual([call.blocked, call.permissionDecision, call.reason], [true, "deny", "not here"]);
  assert.deepEqual([call.stop, call.stopReason, call.updatedInput], [false, null, null]);
  assert.equal(call.failures.length, 1);
});

// rule: D6
test("a stop stops, with its reason", async (t) => {
  const made = engine(t);
  made.hook("PreToolUse", () => ({ continue: false, stopReason: "enough", systemMessage: "told" }));
  const call = await made.runEvent("PreToolUse", bash("ls"));
  assert.deepEqual([call.stop, call.stopReason, call.blocked, call.systemMessages], [true, "enough", true, ["told"]]);
});

test("`open` opens without blocking, and fails with what the constructor fails with", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "becket-test-"));
  const made = await HookEngine.open({ projectRoot: root, settingSources: [], sessionId: "s1" });
  t.after(() => made.close());
  assert.equal(made.sessionId, "s1");
  const wrong = { projectRoot: root, settingSources: [], strict: true, settings: command("PreToolUs", "true") };
  const isConfigError = (error) => error instanceof ConfigError && error.findings[0].message.includes("PreToolUs");
  await assert.rejects(HookEngine.open(wrong), isConfigError);
  assert.throws(() => new HookEngine(wrong), isConfigError);
  assert.equal(engine(t, { ...wrong, strict: false }).findings.length, 1);
});

test("options that nobody knows, or of a wrong type, are refused", () => {
  const refused = (options, says) => assert.throws(() => new HookEngine(options), (error) => error instanceof BecketError && says.test(error.message));
  refused({ setings: {} }, /`setings` is not a known option/);
  refused([], /a list/);
  refused({ profile: "cloud" }, /cloud/);
  refused({ projectRoot: "/nowhere/at/all" }, /nowhere/);
  refused({ permissionMode: "yolo" }, /yolo/);
  refused({ askUser: "me" }, /a string, not a function/);
  refused({ env: { "A=B": "c" } }, /A=B/);
  refused({ sessionId: "" }, /empty/);
});

test("hooks see the variables of the process, with those of the options", async (t) => {
  process.env.BECKET_TEST_SEEN = "yes";
  process.env.BECKET_TEST_TAKEN = "yes";
  const settings = command("PreToolUse", 'echo "$BECKET_TEST_SEEN,$BECKET_TEST_MORE,$BECKET_TEST_TAKEN" >&2; exit 2');
  const made = engine(t, { settings, env: { BECKET_TEST_MORE: "more", BECKET_TEST_TAKEN: null } });
  assert.equal((await made.runEvent("PreToolUse", bash("ls"))).reason, "yes,more,");
});

test("plans and explanations run nothing", (t) => {
  const made = engine(t, { settings: command("PreToolUse", "touch ran", { if: "Bash(rm *)" }) });
  made.hook("PreToolUse", { matcher: "Read" }, () => assert.fail("it ran"));
  assert.deepEqual(made.plan("PreToolUse", bash("ls")), { event: "PreToolUse", runs: [] });
  assert.equal(made.plan("PreToolUse", bash("rm x")).runs.length, 1);
  const explained = made.explain("PreToolUse", bash("ls"));
  assert.equal(explained.report, "explain");
  assert.deepEqual(explained.skipped.map((one) => one.stage).sort(), ["if", "matcher"]);
  assert.deepEqual(made.events(), ["PreToolUse"]);
});

// rules: C7, C8
test("`check` says what is wrong, and `reload` takes up what has changed", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "becket-test-"));
  const file = join(root, "settings.json");
  writeFileSync(file, "{}");
  const made = engine(t, { projectRoot: root, settings: file });
  assert.deepEqual(made.check().findings, []);
  writeFileSync(file, JSON.stringify(command("PreToolUse", "exit 2", { timeout: "5" })));
  assert.deepEqual(made.check().findings, []);
  const again = made.reload();
  assert.deepEqual([again.report, again.findings.length, again.files], ["check", 1, 1]);
  writeFileSync(file, JSON.stringify(command("PreToolUse", "exit 2")));
  made.reload();
  assert.equal((await made.runEvent("PreToolUse", bash("ls"))).blocked, true);
  writeFileSync(file, "{");
  assert.throws(() => made.reload(), /stays as it was/);
  assert.equal((await made.runEvent("PreToolUse", bash("ls"))).blocked, true);
});

// rules: A3, A4
test("what background hooks come to is taken once", async (t) => {
  const made = engine(t, { settings: command("PreToolUse", "echo wake >&2; exit 2", { asyncRewake: true }) });
  assert.equal((await made.runEvent("PreToolUse", bash("ls"))).blocked, false);
  let taken;
  await until(() => (taken = made.background()).wakes.length > 0);
  assert.match(taken.wakes[0].reminder, /wake/);
  assert.deepEqual(made.background().wakes, []);
});

// rule: A1
test("a host that waits for async hooks gets their answers", async (t) => {
  for (const waitForAsync of [true, false]) {
    const made = engine(t, { settings: command("PreToolUse", "echo no >&2; exit 2", { async: true }), waitForAsync });
    assert.equal((await made.runEvent("PreToolUse", bash("ls"))).blocked, waitForAsync);
  }
});

// rules: Q1, Q3
test("the user is asked through `askUser`; whatever is no key chooses nothing", async (t) => {
  const ask = `read input; echo '{"prompt":"q","message":"Sure?","options":[{"key":"y","label":"Yes"}]}'; read answer; echo "$answer" >&2; exit 2`;
  const settings = command("PreToolUse", ask, { questions: true });
  const cases = [
    [async (question) => question.options[0].key, /"selected": ?"y"/],
    [() => null, /"selected": ?null/],
    [() => "z", /"selected": ?null/],
    [() => { throw new Error("nobody"); }, /"selected": ?null/],
    [undefined, /"selected": ?null/],
  ];
  for (const [askUser, says] of cases) {
    const made = engine(t, { settings, askUser });
    assert.match((await made.runEvent("PreToolUse", bash("ls"))).reason, says);
  }
});

// rule: H13
test("`onRunEvent` is told all that happens, and breaks nothing where it throws", async (t) => {
  const told = [];
  const onRunEvent = (event) => {
    told.push(event.what);
    throw new Error("told");
  };
  const made = engine(t, { settings: command("PreToolUse", "echo hi"), onRunEvent });
  const warned = new Promise((resolve) => process.once("warning", resolve));
  await made.runEvent("PreToolUse", bash("ls"));
  assert.match((await warned).message, /told/);
  await until(() => told.includes("decided"));
  assert.deepEqual(told.filter((what) => what !== "output"), ["fired", "started", "finished", "decided"]);
});

// rule: H3
test("what a session keeps privately is gone with it", async () => {
  const temp = mkdtempSync(join(tmpdir(), "becket-test-"));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = temp;
  const made = new HookEngine({ projectRoot: temp, settingSources: [], settings: command("SessionStart", 'echo "$CLAUDE_ENV_FILE"') });
  process.env.TMPDIR = before ?? "/tmp";
  const start = await made.runEvent("SessionStart", { source: "startup" });
  const file = start.additionalContext[0].trim();
  assert.ok(file.startsWith(temp), file);
  assert.equal(readFileSync(file, "utf8"), "");
  await made.close();
  assert.throws(() => readFileSync(file), { code: "ENOENT" });
});

test("an engine is disposed of at the end of its scope", async (t) => {
  if (Symbol.asyncDispose === undefined) return t.skip("this Node has no such symbol");
  const made = engine(t);
  await made[Symbol.asyncDispose]();
  await assert.rejects(made.runEvent("Stop", { stop_hook_active: false }), { name: "SessionClosed" });
});

// rule: C10
test("64 events at once, each with its own answer", async (t) => {
  const made = engine(t, { settings: command("PreToolUse", "sleep 0.01") });
  made.hook("PreToolUse", async (input) => ({ permissionDecision: "deny", reason: input.tool_input.command }));
  const lines = Array.from({ length: 64 }, (_, nth) => `echo ${nth}`);
  const calls = await Promise.all(lines.map((line) => made.runEvent("PreToolUse", bash(line))));
  assert.deepEqual(calls.map((call) => call.reason), lines);
});
