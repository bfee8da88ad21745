/** The cases of the protocol that any language can run (`spec/cases`), through this package. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { HookEngine } from "becket";
import { WORKSPACE } from "./support.mjs";

/** The case files, each with its minimum number of cases. */
const FILES = { verdicts: 110, replies: 190, matchers: 150, conditions: 80, permissions: 270, removals: 85 };
const AT_ONCE = 8;
const place = join(WORKSPACE, "spec/cases");
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the differences from the expected result; empty if there are none. */
function unlike(expected, got, at = "") {
  const differs = `${at}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
  if (isObject(expected) && isObject(got)) {
    if (at.endsWith("/fields") && Object.keys(expected).length !== Object.keys(got).length) return differs;
    return some(Object.entries(expected), ([name, value]) => unlike(value, got[name] ?? null, `${at}/${name}`));
  }
  if (Array.isArray(expected) && Array.isArray(got) && expected.length === got.length) {
    return some([...expected.entries()], ([nth, value]) => unlike(value, got[nth], `${at}/${nth}`));
  }
  return expected === got ? undefined : differs;
}

function some(list, find) {
  for (const one of list) {
    const found = find(one);
    if (found !== undefined) return found;
  }
}

function written(root, { files = {}, links = {} }) {
  for (const directory of ["home", "managed", "project"]) mkdirSync(join(root, directory));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  for (const [path, to] of Object.entries(links)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(to, join(root, path));
  }
}

/** The options under their names in `session/open`. */
function opened(root, open) {
  const options = Object.entries(open).map(([name, value]) => [name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()), value]);
  const { settingsFile, ...others } = Object.fromEntries(options);
  const home = process.env.HOME;
  process.env.HOME = join(root, "home");
  try {
    const where = { projectRoot: join(root, "project"), managedDir: join(root, "managed"), profile: "claude" };
    return new HookEngine({ ...where, ...(settingsFile && { settings: settingsFile }), ...others });
  } finally {
    process.env.HOME = home;
  }
}

async function wrong(text) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "becket-case-")));
  const one = JSON.parse(text.replaceAll("[ROOT]", root));
  written(root, one);
  const engine = opened(root, one.open);
  for (const { id, event, answers, fails } of one.callbacks ?? []) {
    engine.hook(event, { name: id }, () => {
      if (fails !== undefined) throw fails;
      return answers;
    });
  }
  const outcome = await engine.runEvent(one.event, one.input);
  await engine.close();
  const differs = unlike(one.expected, outcome.toJSON());
  rmSync(root, { recursive: true, force: true });
  return differs && `${one.rules} ${one.name}: ${differs}`;
}

for (const [file, least] of Object.entries(FILES)) {
  test(`the cases of \`${file}\` come out as expected`, async () => {
    const cases = JSON.parse(readFileSync(join(place, `${file}.json`), "utf8")).map((one) => JSON.stringify(one));
    assert.ok(cases.length >= least, `cut short: ${cases.length}`);
    const failed = [];
    const work = async () => {
      for (let one = cases.pop(); one !== undefined; one = cases.pop()) {
        const differs = await wrong(one);
        if (differs !== undefined) failed.push(differs);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    assert.deepEqual(failed.sort(), []);
  });
}

test("every case file is run, and what differs is seen", () => {
  const known = [...Object.keys(FILES).map((file) => `${file}.json`), "left-out.json", "README.md"];
  assert.deepEqual(readdirSync(place).sort(), known.sort());
  const got = { a: 1, list: [{ b: 2, c: 3 }], verdict: { fields: { x: 1 } } };
  for (const same of [{ a: 1 }, { gone: null }, { list: [{ b: 2 }] }]) assert.equal(unlike(same, got), undefined);
  for (const other of [{ a: 2 }, { gone: 1 }, { list: [] }, { list: [{ b: 3 }] }, { verdict: { fields: {} } }, []]) {
    assert.notEqual(unlike(other, got), undefined);
  }
});
