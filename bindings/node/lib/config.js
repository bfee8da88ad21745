/**
 * The sources of hooks.
 *
 * A config names its sources. Their files are read when an engine is created from it; the content of the config itself
 * is fixed.
 */

import { homedir, tmpdir } from "node:os";
import { resolve } from "node:path";
import { Core } from "./core.js";
import { BecketError } from "./errors.js";
import { isPlain, named, written } from "./json.js";

/** The sources of an engine's hooks. */
export const SOURCES = [
  "projectRoot",
  "profile",
  "settings",
  "settingSources",
  "mcpServers",
  "mcpConfig",
  "pluginDirs",
  "managedDir",
  "strict",
  "trust",
  "env",
];
const SOURCE = new Set(SOURCES);
const FIELDS = new Set([...SOURCES, "events", "findings"]);

/** Reads all sources, and returns their content. Blocks; runs nothing. */
export function loadHookConfigFromSources(options = {}) {
  known(options, SOURCE, "source");
  const start = resolve(options.projectRoot ?? ".");
  const sources = { ...options, projectRoot: start, profile: options.profile ?? "claude" };
  const core = new Core({});
  try {
    core.open(session(sources));
    const events = core.ask(BecketError, (native) => native.events());
    const { findings } = core.ask(BecketError, (native) => native.check());
    return frozen(JSON.parse(written({ ...sources, events, findings })));
  } finally {
    // It has run nothing, so there is nothing to wait for.
    core.close().catch(() => {});
  }
}

/** Returns the sources in the options of an engine: those of a config, or their own. */
export function sourcesOf(options) {
  const { config } = options;
  if (config === undefined) return options;
  if (!isPlain(config)) throw new BecketError(`\`config\` is ${named(config)}, not what \`loadHookConfigFromSources\` returns`);
  known(config, FIELDS, "field of a config");
  const beside = SOURCES.find((name) => options[name] !== undefined);
  if (beside !== undefined) throw new BecketError(`\`${beside}\` stands beside \`config\`: load the config with it`);
  return config;
}

/** Returns the options of a session with these sources. */
export function session(sources) {
  const start = resolve(sources.projectRoot ?? ".");
  const isFile = typeof sources.settings === "string";
  return {
    around: {
      vars: { ...process.env },
      home: homedir() || undefined,
      temp: tmpdir(),
      managed_dir: sources.managedDir === undefined ? undefined : resolve(start, sources.managedDir),
    },
    is_told: false,
    open: {
      start,
      profile: sources.profile ?? "claude",
      settings: isFile ? undefined : sources.settings,
      settings_file: isFile ? sources.settings : undefined,
      setting_sources: sources.settingSources,
      mcp_servers: sources.mcpServers,
      mcp_config: sources.mcpConfig,
      plugin_dirs: sources.pluginDirs,
      strict: sources.strict,
      trust: sources.trust,
      env: sources.env,
    },
  };
}

/** Rejects unknown names: a misspelt option must not be ignored. */
export function known(options, names, what) {
  if (!isPlain(options)) throw new BecketError(`the options are ${named(options)}, not a plain object`);
  const other = Object.keys(options).find((name) => !names.has(name));
  if (other !== undefined) throw new BecketError(`\`${other}\` is not a known ${what}: there are ${[...names].join(", ")}`);
}

function frozen(value) {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
