#!/usr/bin/env node
/** The program `becket` of this platform. Agents should use its own path: this one adds the start of Node. */

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { fileOfPlatform } from "../lib/platform.js";

// A hook whose program can't be started, or is killed, must not count as one that allows.
const isHook = process.argv.includes("--stdin-event");

function fail(message) {
  console.error(`becket: ${message}`);
  process.exit(isHook ? 2 : 1);
}

function start() {
  try {
    return spawn(fileOfPlatform("bin/becket"), process.argv.slice(2), { stdio: "inherit" });
  } catch (error) {
    return fail(error.message);
  }
}

const child = start();
child.on("error", (error) => fail(`the program can't be started: ${error.message}`));
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
// A terminal sends Ctrl-C to the program as well, and twice means something else.
process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
child.on("exit", (code, signal) => process.exit(code ?? (isHook ? 2 : 128 + (constants.signals[signal] ?? 0))));
