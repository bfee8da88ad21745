/** The engine itself, built for this platform: in this package, or in the one of the platform. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { BecketError } from "./errors.js";
import { fileOfPlatform } from "./platform.js";

const name = `becket.${process.platform}-${process.arch}.node`;

function engineFile() {
  const own = fileURLToPath(new URL(`../${name}`, import.meta.url));
  if (existsSync(own)) {
    return own;
  }
  try {
    return fileOfPlatform(name);
  } catch (error) {
    throw new BecketError(error.message);
  }
}

export const { NativeEngine, endAll } = createRequire(import.meta.url)(engineFile());

// At any end of the process except by a signal, running hooks are ended first.
process.on("exit", endAll);
