/** Ends of processes, threads and engines, each in a separate process. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { lives, until } from "./support.mjs";

const dir = mkdtempSync(join(tmpdir(), "becket-test-"));
const PREPARED = `
  import { HookEngine } from "becket";
  const command = (line, more) => ({ hooks: { Stop: [{ hooks: [{ type: "command", command: line, ...more }] }] } });
  const made = (options = {}) => new HookEngine({ projectRoot: ${JSON.stringify(dir)}, settingSources: [], ...options });
  const sleeping = (file, more) => command(\`echo $$ > \${file}; exec sleep 60\`, { timeout: 60, ...more });
  const stop = { stop_hook_active: false };
`;

/** Runs a program; returns its exit code and output. */
function ran(program, ...options) {
  const child = spawn(process.execPath, [...options, "--input-type=module", "-e", PREPARED + program], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (data) => (printed += data));
  const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, printed })));
  const limit = setTimeout(() => child.kill("SIGKILL"), 300_000);
  return Object.assign(ended.finally(() => clearTimeout(limit)), { child });
}

const pid = (file) => Number(readFileSync(file, "utf8"));
const started = (file) => until(() => existsSync(file) && pid(file) > 0);

test("a process with an idle engine ends by itself", async () => {
  const { code } = await ran(`
    globalThis.engine = made();
    engine.hook("Stop", () => {});
    await engine.runEvent("Stop", stop);
  `);
  assert.equal(code, 0);
});

test("a teller that fails ends no process, at once or later", async () => {
  const { code, printed } = await ran(`
    process.on("warning", ({ name, message }) => { if (name === "BecketWarning") console.log(message); });
    for (const onRunEvent of [() => { throw new Error("now"); }, async () => { throw new Error("later"); }]) {
      const one = made({ onRunEvent });
      one.hook("Stop", () => {});
      await one.runEvent("Stop", stop);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  `);
  assert.equal(code, 0);
  for (const says of ["now", "later"]) assert.match(printed, new RegExp(`onRunEvent failed: Error: ${says}`));
});

test("one that awaits an event does not end before it", async () => {
  const { code, printed } = await ran(`
    const one = made({ settings: command("sleep 0.3; echo late >&2; exit 2") });
    console.log((await one.runEvent("Stop", stop)).reason);
  `);
  assert.deepEqual([code, printed], [0, "late\n"]);
});

// rule: H4
for (const [how, line] of [["process.exit", "process.exit(7)"], ["an error that nobody catches", "setTimeout(() => { throw 1 })"]]) {
  test(`hooks that run are ended with their process: ${how}`, async () => {
    const file = join(dir, how.replaceAll(" ", "-"));
    const program = ran(`
      import { existsSync } from "node:fs";
      const one = made({ settings: sleeping(${JSON.stringify(file)}) });
      one.runEvent("Stop", stop).catch(() => {});
      const wait = setInterval(() => { if (existsSync(${JSON.stringify(file)})) { clearInterval(wait); setTimeout(() => { ${line} }, 100); } }, 10);
    `, ...(how === "process.exit" ? [] : ["--unhandled-rejections=none", "--no-warnings"]));
    await started(file);
    const { code, signal } = await program;
    assert.equal(signal, null);
    assert.equal(code, how === "process.exit" ? 7 : 1);
    await until(() => !lives(pid(file)));
  });
}

// rule: A5
test("hooks in the background are ended with their process", async () => {
  const file = join(dir, "background");
  const { code } = await ran(`
    import { existsSync } from "node:fs";
    const one = made({ settings: sleeping(${JSON.stringify(file)}, { async: true }) });
    await one.runEvent("Stop", stop);
    while (!existsSync(${JSON.stringify(file)})) await new Promise((resolve) => setTimeout(resolve, 10));
  `);
  assert.equal(code, 0);
  await until(() => !lives(pid(file)));
});

test("an engine that nobody holds is collected, with its hooks, and ends what it runs", async () => {
  const file = join(dir, "collected");
  const { printed } = await ran(`
    import { existsSync, readFileSync } from "node:fs";
    const pause = () => new Promise((resolve) => setTimeout(resolve, 10));
    let one = made({ settings: sleeping(${JSON.stringify(file)}, { async: true }) });
    one.hook("PreToolUse", () => one);
    const ref = new WeakRef(one);
    await one.runEvent("Stop", stop);
    while (!existsSync(${JSON.stringify(file)}) || readFileSync(${JSON.stringify(file)}, "utf8") === "") await pause();
    one = undefined;
    for (let nth = 0; nth < 500 && ref.deref() !== undefined; nth += 1) { await pause(); gc(); }
    const pid = Number(readFileSync(${JSON.stringify(file)}, "utf8"));
    const lives = () => { try { process.kill(pid, 0); return true; } catch { return false; } };
    for (let nth = 0; nth < 500 && lives(); nth += 1) { gc(); await pause(); }
    console.log(ref.deref() === undefined, lives());
  `, "--expose-gc");
  assert.equal(printed, "true false\n");
});

test("one that is fired is not collected before its outcome", async () => {
  const { printed } = await ran(`
    const fired = made({ settings: command("sleep 0.3; echo late >&2; exit 2") }).runEvent("Stop", stop);
    const collect = setInterval(gc, 5);
    console.log((await fired).reason);
    clearInterval(collect);
  `, "--expose-gc");
  assert.equal(printed, "late\n");
});

test("workers have engines of their own, and end what these run", async () => {
  const file = join(dir, "worker");
  const { code, printed } = await ran(`
    import { Worker } from "node:worker_threads";
    import { existsSync } from "node:fs";
    const worker = new Worker(new URL("worker.mjs", import.meta.url), { execArgv: [], workerData: { dir: ${JSON.stringify(dir)}, file: ${JSON.stringify(file)} } });
    worker.on("message", (said) => console.log(said));
    while (!existsSync(${JSON.stringify(file)})) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await worker.terminate();
    const own = made();
    own.hook("UserPromptSubmit", () => ({ decision: "block", reason: "main" }));
    console.log((await own.runEvent("UserPromptSubmit", { prompt: "hi" })).reason);
  `);
  assert.deepEqual([code, printed], [0, "a,b\nmain\n"]);
  await until(() => !lives(pid(file)));
});

// rule: H4
test("hooks of a worker are ended where the main thread ends the process", async () => {
  const file = join(dir, "worker-of-main");
  const { code } = await ran(`
    import { Worker } from "node:worker_threads";
    import { existsSync } from "node:fs";
    new Worker(new URL("worker.mjs", import.meta.url), { execArgv: [], workerData: { dir: ${JSON.stringify(dir)}, file: ${JSON.stringify(file)} } });
    while (!existsSync(${JSON.stringify(file)})) await new Promise((resolve) => setTimeout(resolve, 10));
    await new Promise((resolve) => setTimeout(resolve, 100));
    process.exit(3);
  `);
  assert.equal(code, 3);
  await until(() => !lives(pid(file)));
});

/** The number of events; 100,000 take too long without optimisation. */
const EVENTS = Number(process.env.BECKET_TEST_EVENTS ?? 15_000);

test("events leave nothing behind", async () => {
  const { code, printed } = await ran(`
    const one = made();
    one.hook("PreToolUse", { matcher: "Bash" }, (input) => ({ permissionDecision: "deny", reason: input.tool_input.command }));
    one.hook("PreToolUse", { matcher: "Read" }, async (input, { signal }) => ({ permissionDecision: "deny", reason: String(signal.aborted) }));
    const fire = async (count) => {
      for (let nth = 0; nth < count; nth += 1) {
        await one.runEvent("PreToolUse", { tool_name: nth % 10 === 0 ? "Read" : "Bash", tool_input: { command: "x".repeat(200) }, tool_use_id: "t" });
      }
      for (let nth = 0; nth < 5; nth += 1) { gc(); await new Promise((resolve) => setTimeout(resolve, 10)); }
      const { rss, heapUsed, external } = process.memoryUsage();
      return { rss, heapUsed, external };
    };
    const before = await fire(${EVENTS});
    const after = await fire(${EVENTS});
    console.log(JSON.stringify(Object.fromEntries(Object.keys(before).map((name) => [name, after[name] - before[name]]))));
  `, "--expose-gc");
  assert.equal(code, 0);
  const grown = JSON.parse(printed);
  // The input of an event alone has 500 bytes.
  for (const name of ["heapUsed", "external"]) assert.ok(grown[name] < EVENTS * 400, `${name}: ${printed}`);
  // The system's own view comes to rest only after 150,000 events.
  assert.ok(grown.rss < 48 << 20, printed);
});
