/** The engine itself, built for this platform. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { BecketError } from "./errors.js";

const file = fileURLToPath(new URL(`../becket.${process.platform}-${process.arch}.node`, import.meta.url));
if (!existsSync(file)) {
  throw new BecketError(`this package was not built for ${process.platform} on ${process.arch}: \`${file}\` is missing`);
}

export const { NativeEngine, endAll } = createRequire(import.meta.url)(file);

// At any end of the process except by a signal, running hooks are ended first.
process.on("exit", endAll);
