/** Programs under the rules of a session: their refusals, and their complete end. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BecketError, ExecError, SessionClosed } from "becket";
import { engine, until } from "./support.mjs";

const becket = process.env.BECKET_TEST_PROGRAM;
const skip = process.platform !== "linux" ? "Linux only" : becket === undefined ? "no program `becket` was built" : false;
const RULES = { permissions: { deny: ["Bash(git push *)"] } };
const LEAVES_TWO = "(setsid sleep 300 & echo $! > child); echo $$ > pid; exec sleep 300";

function project(t) {
  const root = mkdtempSync(join(tmpdir(), "becket-test-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const dir = join(root, "project");
  mkdirSync(dir);
  return dir;
}

const shell = (dir, line) => execFileSync("sh", ["-c", line], { cwd: dir, encoding: "utf8" });
const begun = (dir) => ["child", "pid"].every((name) => existsSync(join(dir, name)) && readFileSync(join(dir, name), "utf8").endsWith("\n"));

/** Returns whether the process that wrote its id there still runs; a zombie does not. */
function runs(file) {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${Number(readFileSync(file, "utf8"))}/stat`, "utf8"));
  } catch {
    return false;
  }
}

// rules: E1, E3
test("a push of a Makefile and of a script is refused", { skip }, async (t) => {
  const dir = project(t);
  writeFileSync(join(dir, "Makefile"), "all:\n\t@touch built\n\t@sh ./release.sh\n");
  writeFileSync(join(dir, "release.sh"), "remote=origin\ngit push -q $remote HEAD:refs/heads/released\n");
  const identity = "-c user.name=t -c user.email=t@example.com";
  shell(dir, `git init -q --bare ../remote && git init -q . && git remote add origin ../remote && git ${identity} commit -q --allow-empty -m one`);
  const report = await engine(t, { projectRoot: dir, settings: RULES }).exec("make", ["-s"], { becket });
  const [denied, ...more] = report.denied;
  assert.deepEqual([more, denied.chain, report.code], [[], ["make", "sh", "git"], 2], JSON.stringify(report));
  assert.match(denied.reason, /Bash\(git push \*\)/);
  assert.match(report.stderr, /run by make → sh → git/);
  assert.deepEqual([existsSync(join(dir, "built")), shell(dir, "git ls-remote ../remote")], [true, ""]);
  // Without the rule the same program pushes.
  assert.equal((await engine(t, { projectRoot: dir }).exec("make", ["-s"], { becket })).code, 0);
  assert.match(shell(dir, "git ls-remote ../remote"), /refs\/heads\/released/);
});

test("a program passes, with its code, streams, directory and variables", { skip }, async (t) => {
  const dir = project(t);
  mkdirSync(join(dir, "inside"));
  const made = engine(t, { projectRoot: dir, settings: RULES });
  const options = { becket, cwd: "inside", env: { GREETING: "hello", HOME: null }, timeout: 30 };
  const report = await made.exec("sh", ["-c", 'pwd; echo "$GREETING$HOME" >&2; read line; exit 7'], options);
  const nothing = { isCut: false, denied: [], refusals: [] };
  assert.deepEqual(report, { code: 7, stdout: shell(join(dir, "inside"), "pwd -P"), stderr: "hello\n", ...nothing });
  const cut = await made.exec("sh", ["-c", "head -c 100 /dev/zero"], { becket, maxOutputBytes: 10 });
  assert.deepEqual([cut.stdout.length, cut.isCut], [10, true]);
});

// rule: E5
test("the keys of `sandbox` refuse accesses, and the report names them", { skip }, async (t) => {
  const dir = project(t);
  writeFileSync(join(dir, "secret"), "hidden");
  writeFileSync(join(dir, "kept"), "");
  const denyRead = [join(dir, "secret")];
  const made = engine(t, { projectRoot: dir, settings: { sandbox: { enabled: true, filesystem: { denyRead, denyWrite: [join(dir, "kept")] } } } });
  const report = await made.exec("sh", ["-c", "echo a > in; (echo a > kept); cat secret; true"], { becket });
  assert.deepEqual([existsSync(join(dir, "in")), readFileSync(join(dir, "kept"), "utf8"), report.stdout], [true, "", ""], JSON.stringify(report));
  const read = report.refusals.find((refusal) => refusal.right === "read");
  assert.deepEqual([read.command, read.chain, read.target], ["cat secret", ["sh", "cat"], join(dir, "secret")]);
  assert.equal(report.refusals.find((refusal) => refusal.right === "write").target, join(dir, "kept"));
  const unread = engine(t, { projectRoot: dir, settings: { sandbox: { enabled: true, filesystem: { denyRead: 7 } } } });
  await assert.rejects(unread.exec("touch", ["x"], { becket }), { name: "ExecError", kind: "not_run", message: /`touch x`: nothing was run: .*can't be read/ });
  assert.equal(existsSync(join(dir, "x")), false);
});

// rules: E7, H4
test("an aborted program leaves no process, and neither does a closed engine or a limit", { skip }, async (t) => {
  const dir = project(t);
  const made = engine(t, { projectRoot: dir, settings: RULES });
  const ends = async (end, options, says) => {
    for (const name of ["child", "pid"]) rmSync(join(dir, name), { force: true });
    const ended = made.exec("sh", ["-c", LEAVES_TWO], { becket, ...options });
    const rejects = assert.rejects(ended, says);
    await until(() => begun(dir));
    await end();
    await rejects;
    // They have ended before: no waiting here.
    for (const name of ["child", "pid"]) assert.equal(runs(join(dir, name)), false, name);
  };
  const abort = new AbortController();
  await ends(() => abort.abort(), { signal: abort.signal }, { name: "AbortError" });
  await assert.rejects(made.exec("true", [], { becket, signal: abort.signal }), { name: "AbortError" });
  await ends(() => {}, { timeout: 2 }, { name: "ExecError", kind: "timed_out" });
  await ends(() => made.close(), {}, (error) => error instanceof SessionClosed && error.message.includes("sleep 300"));
  await assert.rejects(made.exec("true", [], { becket }), { name: "SessionClosed" });
});

// rule: E2
test("an error says what was not run, and why", { skip }, async (t) => {
  const made = engine(t, { settings: RULES });
  const cases = [
    ["no-such-program", ["a b"], {}, "not_run", /`no-such-program 'a b'`: nothing was run: .*no-such-program/],
    ["", [], {}, "not_run", /`program` is missing/],
    ["true", "no list", {}, "not_run", /a string, not a list/],
    ["true", [], { timeout: 0 }, "not_run", /`timeout` is 0, not a number of seconds above 0/],
    ["true", [], { env: { "A=B": "c" } }, "not_run", /A=B/],
    ["true", [], { maxOutputBytes: -1 }, "not_run", /-1/],
    ["true", [], { becket: "/missing/becket" }, "not_run", /`true`: the supervisor `\/missing\/becket` can't be started/],
    ["true", [], { becket: "/bin/true" }, "lost", /`true`: the supervisor `\/bin\/true` ended without a result/],
  ];
  for (const [program, args, options, kind, says] of cases) {
    await assert.rejects(made.exec(program, args, { becket, ...options }), (error) => {
      assert.ok(error instanceof ExecError && error instanceof BecketError, String(error));
      assert.match(error.message, says);
      return error.kind === kind;
    });
  }
  await assert.rejects(made.exec("true", [], { becket, timout: 1 }), /`timout` is not a known option of a program/);
});
