/** The pages about this package: each program in them runs, and prints the output on the page. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { WORKSPACE } from "./support.mjs";

const PAGES = { "docs/guide/node.md": 6, "bindings/node/README.md": 2 };
const skip = process.env.BECKET_TEST_NODE_SKIP;

for (const [page, programs] of Object.entries(PAGES)) {
  test(`what \`${page}\` shows is what you get`, { skip }, (t) => {
    // Below this directory, where the package is found.
    const dir = mkdtempSync(join(import.meta.dirname, "docs-"));
    t.after(() => rmSync(dir, { recursive: true }));
    const text = readFileSync(join(WORKSPACE, page), "utf8");
    let ran = 0;
    for (const [, file, block] of text.matchAll(/^```(?:\w+ file="([^"]+)"|console)\n([^]*?)^```$/gm)) {
      if (file !== undefined) {
        mkdirSync(dirname(join(dir, file)), { recursive: true });
        writeFileSync(join(dir, file), block);
        continue;
      }
      const [, program, printed] = /^\$ node (\S+)\n([^]*)$/.exec(block);
      const env = { ...process.env, HOME: dir, AI_SDK_LOG_WARNINGS: "false" };
      assert.equal(execFileSync(process.execPath, [program], { cwd: dir, env, encoding: "utf8" }), printed);
      ran += 1;
    }
    assert.equal(ran, programs);
  });
}

test("what `README.md` shows of this package works", { skip }, (t) => {
  const dir = mkdtempSync(join(import.meta.dirname, "docs-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const [[, block], ...more] = readFileSync(join(WORKSPACE, "README.md"), "utf8").matchAll(/^```js\n([^]*?)^```$/gm);
  assert.equal(more.length, 0);
  for (const [answer, printed] of [['{ permissionDecision: "deny", reason: "not here" }', "not here\n"], ["null", ""]]) {
    const around = `import { HookEngine } from "becket";\nconst [command, myGuard, tellTheModel] = ["ls", () => (${answer}), console.log];\n`;
    writeFileSync(join(dir, "readme.mjs"), around + block);
    const env = { ...process.env, HOME: dir };
    assert.equal(execFileSync(process.execPath, ["readme.mjs"], { cwd: dir, env, encoding: "utf8" }), printed);
  }
});
