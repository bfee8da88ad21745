/** Helpers of the tests. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HookEngine } from "becket";

/** The path of this repository: the tests run next to the installed package. */
export const WORKSPACE = process.env.BECKET_TEST_ROOT ?? join(import.meta.dirname, "../../..");

/** An engine over only these settings. It is closed after the test. */
export function engine(t, options = {}) {
  const root = mkdtempSync(join(tmpdir(), "becket-test-"));
  const made = new HookEngine({ projectRoot: root, managedDir: root, settingSources: [], ...options });
  t.after(async () => {
    await made.close();
    rmSync(root, { recursive: true, force: true });
  });
  return made;
}

/** Settings with one hook that is a command. */
export function command(event, line, more = {}) {
  return { hooks: { [event]: [{ hooks: [{ type: "command", command: line, ...more }] }] } };
}

/** The fields of a call of Bash. */
export function bash(line) {
  return { tool_name: "Bash", tool_input: { command: line }, tool_use_id: "toolu_1" };
}

/** Waits until `is` returns true, 20 seconds at most. */
export async function until(is) {
  for (let tries = 0; tries < 2000; tries += 1) {
    if (await is()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error("it never came to that");
}

/** Returns whether a process is alive. */
export function lives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
