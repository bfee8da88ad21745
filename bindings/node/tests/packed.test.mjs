import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const packed = process.env.BECKET_TEST_PACKED;

test("npm installs the packed file where there is nothing else", { skip: packed === undefined && "it is not packed" }, (t) => {
  const dir = mkdtempSync(join(tmpdir(), "becket-test-"));
  t.after(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, "package.json"), '{"private":true}');
  const run = (...words) => execFileSync(words[0], words.slice(1), { cwd: dir, encoding: "utf8" });
  run("npm", "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", packed);
  assert.deepEqual(readdirSync(join(dir, "node_modules/becket")).sort().slice(-2), ["lib", "package.json"]);
  const program = `
    import { HookEngine } from "becket";
    const engine = new HookEngine({ settingSources: [] });
    engine.hook("Stop", () => ({ decision: "block", reason: "not yet" }));
    console.log((await engine.runEvent("Stop", { stop_hook_active: false })).reason);
  `;
  assert.equal(run(process.execPath, "--input-type=module", "-e", program), "not yet\n");
});
