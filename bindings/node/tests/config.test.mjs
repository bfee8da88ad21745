import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BecketError, ConfigError, HookEngine, loadHookConfigFromSources } from "becket";
import { bash, command } from "./support.mjs";

/** A project with settings, and a home without any. */
function project(t, settings) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "becket-test-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, ".claude"));
  writeFileSync(join(root, ".claude/settings.json"), JSON.stringify(settings));
  return root;
}

const denies = { hooks: [{ type: "command", command: "echo not here >&2; exit 2" }] };

/** An engine over a config. It is closed after the test. */
function over(t, config, more = {}) {
  const engine = new HookEngine({ config, ...more });
  t.after(() => engine.close());
  return engine;
}

// rule: C3
test("a config is loaded from its sources and makes engines", async (t) => {
  const root = project(t, { hooks: { PreToolUse: [denies], Stoop: [denies] } });
  const options = { projectRoot: root, managedDir: root, settingSources: ["project"], trust: true };
  const config = loadHookConfigFromSources(options);
  assert.deepEqual([config.projectRoot, config.profile, config.events], [root, "claude", ["PreToolUse"]]);
  const [finding, ...more] = config.findings;
  assert.deepEqual([finding.severity, more], ["error", []]);
  assert.match(finding.message, /Stoop/);
  assert.match(finding.at.file, /\.claude\/settings\.json$/);
  for (const engine of [over(t, config, { sessionId: "s1" }), await HookEngine.open({ config })]) {
    t.after(() => engine.close());
    assert.deepEqual([engine.events(), engine.findings], [config.events, config.findings]);
    assert.equal((await engine.runEvent("PreToolUse", bash("ls"))).reason, "not here");
  }
  assert.equal(over(t, config, { sessionId: "s1" }).sessionId, "s1");
  assert.throws(() => new HookEngine({ config: { ...config, strict: true } }), ConfigError);
});

// rule: C8
test("its files count as they are when an engine is made", async (t) => {
  const root = project(t, {});
  const config = loadHookConfigFromSources({ projectRoot: root, managedDir: root, settingSources: ["project"], trust: true });
  assert.deepEqual([config.events, config.findings], [[], []]);
  writeFileSync(join(root, ".claude/settings.json"), JSON.stringify({ hooks: { PreToolUse: [denies] } }));
  assert.equal((await over(t, config).runEvent("PreToolUse", bash("ls"))).blocked, true);
});

test("what stands in it can't be changed any more", async (t) => {
  const root = project(t, {});
  const settings = command("PreToolUse", 'echo "$SEEN" >&2; exit 2');
  const env = { SEEN: "before" };
  const config = loadHookConfigFromSources({ projectRoot: root, managedDir: root, settingSources: [], settings, env });
  settings.hooks = {};
  env.SEEN = "after";
  for (const change of [
    () => (config.strict = true),
    () => (config.settings.hooks = {}),
    () => config.settings.hooks.PreToolUse.pop(),
    () => (config.env.SEEN = "after"),
    () => config.events.push("Stop"),
  ]) {
    assert.throws(change, TypeError);
  }
  assert.equal((await over(t, config).runEvent("PreToolUse", bash("ls"))).reason, "before");
});

// rule: C7
test("what can't be used is refused where it is loaded", (t) => {
  const root = project(t, { hooks: { Stoop: [denies] } });
  const only = { projectRoot: root, managedDir: root, settingSources: ["project"] };
  assert.throws(() => loadHookConfigFromSources({ ...only, strict: true }), (error) => error instanceof ConfigError && error.findings.length === 1);
  for (const [options, says] of [
    [{ projectRoot: "/nowhere/at/all" }, /nowhere/],
    [{ profile: "cloud" }, /cloud/],
    [{ mcpConfig: "none.json" }, /none\.json/],
    [{ settings: { hooks: new Map() } }, /Map/],
    [{ sessionId: "s" }, /`sessionId` is not a known source/],
    [{ setings: {} }, /`setings` is not a known source/],
    [[], /a list/],
  ]) {
    const isIt = (error) => error instanceof BecketError && says.test(error.message);
    assert.throws(() => loadHookConfigFromSources(Array.isArray(options) ? options : { ...only, ...options }), isIt);
  }
});

test("a config has all sources, so none may stand beside it", (t) => {
  const root = project(t, {});
  const config = loadHookConfigFromSources({ projectRoot: root, managedDir: root, settingSources: [] });
  for (const [options, says] of [
    [{ config, settings: {} }, /`settings` stands beside `config`/],
    [{ config, trust: false }, /`trust` stands beside `config`/],
    [{ config, projectRoot: "." }, /`projectRoot` stands beside/],
    [{ config: { ...config, setings: {} } }, /`setings` is not a known field of a config/],
    [{ config: "config.json" }, /`config` is a string/],
    [{ config: null }, /`config` is null/],
  ]) {
    assert.throws(() => new HookEngine(options), (error) => error instanceof BecketError && says.test(error.message));
  }
});

test("loading leaves nothing that keeps a process up", async () => {
  const { execFileSync } = await import("node:child_process");
  const program = `
    import { loadHookConfigFromSources } from "becket";
    try { loadHookConfigFromSources({ profile: "cloud" }); } catch {}
    console.log(loadHookConfigFromSources({ settingSources: [] }).events.length);
  `;
  const given = ["--input-type=module", "-e", program];
  assert.equal(execFileSync(process.execPath, given, { cwd: import.meta.dirname, encoding: "utf8", timeout: 60_000 }), "0\n");
});
