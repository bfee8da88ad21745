/** The MCP servers that hooks of an engine may call. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigError, HookEngine, loadHookConfigFromSources } from "becket";
import { bash, engine, until, WORKSPACE } from "./support.mjs";

const SERVER = join(WORKSPACE, "examples/mcp-server-python/review_server.py");
const PYTHON = execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim();
const mcpServers = { review: { command: PYTHON, args: [SERVER] } };
const hook = {
  type: "mcp_tool",
  server: "review",
  tool: "secrets",
  input: { text: "${tool_input.command}" },
  timeout: 60,
};
const hooked = (more = {}) => ({ hooks: { PreToolUse: [{ hooks: [{ ...hook, ...more }] }] } });
const KEY = bash("echo AKIAABCDEFGHIJKLMNOP");

/** The processes that a process has started. */
function children(parent) {
  return readdirSync("/proc").filter((id) => {
    try {
      return Number(readFileSync(`/proc/${id}/stat`, "utf8").replace(/^.*\)/s, "").split(" ")[2]) === parent;
    } catch {
      return false;
    }
  });
}

/** The servers among these processes. */
function servers(these = children(process.pid)) {
  return these.filter((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0").includes(SERVER);
    } catch {
      return false;
    }
  });
}

const skip = process.platform !== "linux";

// rules: H6, X7
test("a hook denies by a server that its engine names", { skip }, async (t) => {
  const root = mkdtempSync(join(tmpdir(), "becket-test-"));
  writeFileSync(join(root, "own.json"), JSON.stringify({ mcpServers }));
  const settings = hooked();
  const options = { projectRoot: root, managedDir: root, settingSources: [], settings };
  for (const named of [{ mcpServers }, { mcpServers: { mcpServers } }, { mcpConfig: "own.json" }, { mcpConfig: join(root, "own.json") }]) {
    for (const made of [
      engine(t, { ...options, ...named }),
      engine(t, { projectRoot: undefined, managedDir: undefined, settingSources: undefined, config: loadHookConfigFromSources({ ...options, ...named }) }),
    ]) {
      assert.deepEqual(servers(), []);
      const call = await made.runEvent("PreToolUse", KEY);
      assert.deepEqual([call.result, call.reason], ["blocked", "the text holds an access key of AWS"]);
      assert.equal((await made.runEvent("PreToolUse", bash("ls"))).result, "passed");
      assert.equal(servers().length, 1);
      await made.close();
      assert.deepEqual(servers(), []);
    }
  }
});

// rules: H6, O10
test("a server that is missing fails the hook by name", { skip }, async (t) => {
  for (const [given, says] of [
    [undefined, "this host has no MCP servers"],
    [{}, "there is no MCP server `review`"],
    [{ review: { command: "no-such-program" } }, "program `no-such-program` was not found"],
    [{ review: { comand: "python3" } }, "there is no `command`"],
  ]) {
    const call = await engine(t, { settings: hooked(), mcpServers: given }).runEvent("PreToolUse", KEY);
    assert.equal(call.result, "passed");
    assert.ok(call.failures[0].text.startsWith("not checked") && call.failures[0].text.includes(says), call.failures[0].text);
    const blocks = engine(t, { settings: hooked({ onFailure: "block" }), mcpServers: given });
    assert.equal((await blocks.runEvent("PreToolUse", KEY)).result, "blocked");
  }
});

// rule: H6
test("servers that can't be read are an error at once", { skip }, async () => {
  const root = mkdtempSync(join(tmpdir(), "becket-test-"));
  writeFileSync(join(root, "broken.json"), "{");
  for (const [named, says] of [
    [{ mcpConfig: "none.json" }, /none\.json` can't be read/],
    [{ mcpConfig: "broken.json" }, /broken\.json:1:1/],
    [{ mcpConfig: "broken.json", mcpServers }, /not both/],
    [{ mcpServers: { mcpServers: 1 } }, /`mcpServers` is a number/],
    [{ mcpServers: { review: { comand: "x" } }, strict: true }, /there is no `command`/],
    [{ mcpServers: { review: new Map() } }, /Map/],
    [{ mcpServers: [] }, /expected a map/],
  ]) {
    const options = { projectRoot: root, managedDir: root, settingSources: [], ...named };
    const isIt = (error) => error instanceof ConfigError && says.test(error.message);
    assert.throws(() => new HookEngine(options), isIt);
    assert.throws(() => loadHookConfigFromSources(options), isIt);
    await assert.rejects(HookEngine.open(options), isIt);
  }
});

// rule: H6
test("servers of an engine are no others", { skip }, async (t) => {
  const mine = engine(t, { settings: hooked(), mcpServers });
  const theirs = engine(t, { settings: hooked(), mcpServers: { other: mcpServers.review } });
  assert.equal((await mine.runEvent("PreToolUse", KEY)).blocked, true);
  const { failures } = await theirs.runEvent("PreToolUse", KEY);
  assert.match(failures[0].text, /no MCP server `review`/);
  assert.equal(servers().length, 2);
  await mine.close();
  assert.equal(servers().length, 1);
});

const collects = "one = undefined; setInterval(gc, 10);";

// rules: H6, X7
for (const [how, line, stays, ...options] of [
  ["with the process", "", false],
  ["with one that calls process.exit", "process.exit(7)", false],
  ["with one that is killed", "process.kill(process.pid, 'SIGKILL')", false],
  ["with an engine that nobody holds", collects, true, "--expose-gc"],
]) {
  test(`servers end ${how}`, { skip }, async (t) => {
    const given = { settingSources: [], settings: hooked(), mcpServers };
    const program = `
      import { HookEngine } from "becket";
      let one = new HookEngine(${JSON.stringify(given)});
      console.log((await one.runEvent("PreToolUse", ${JSON.stringify(KEY)})).result);
      process.on("exit", () => one);
      await new Promise((resolve) => process.stdin.once("data", resolve));
      process.stdin.destroy();
      ${line}
    `;
    const words = [...options, "--input-type=module", "-e", program];
    const child = spawn(process.execPath, words, { cwd: import.meta.dirname, stdio: ["pipe", "pipe", "inherit"] });
    t.after(() => child.kill("SIGKILL"));
    let printed = "";
    child.stdout.on("data", (data) => (printed += data));
    await until(() => printed.endsWith("\n"));
    const those = children(child.pid);
    assert.deepEqual([printed, servers(those).length], ["blocked\n", 1]);
    child.stdin.write("go\n");
    if (!stays) await new Promise((resolve) => child.on("close", resolve));
    await until(() => servers(those).length === 0);
    assert.equal(child.exitCode === null && child.signalCode === null, stays);
  });
}
