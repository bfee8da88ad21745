/** The package with the programs and the engine for this platform. */

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The platforms with a package. */
const PLATFORMS = ["darwin-arm64", "linux-arm64", "linux-x64"];

/**
 * Returns the path of a file in the package of this platform.
 *
 * @throws {Error} There is no package for this platform, it is not installed, or it lacks the file.
 */
export function fileOfPlatform(name) {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    throw new Error(
      `becket has no programs for ${process.platform} on ${process.arch}, only for ${PLATFORMS.join(", ")}: build it from source`,
    );
  }
  const packageName = `@becket/${platform}`;
  let manifest;
  try {
    manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
  } catch {
    throw new Error(`\`${packageName}\` is not installed: install becket again, with its optional dependencies`);
  }
  const file = join(dirname(manifest), name);
  if (!existsSync(file)) {
    throw new Error(`\`${file}\` is missing: install becket again`);
  }
  return file;
}
