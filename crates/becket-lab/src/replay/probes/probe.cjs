// Notes which hooks in Node ask the clock, the network, git or a random source; with a shift, the clock is another one.
"use strict";
const trace = process.env.BECKET_REPLAY_TRACE;
if (trace) {
  const fs = require("node:fs");
  const shift = Number(process.env.BECKET_REPLAY_SHIFT || 0) * 1000;
  const noted = new Set();
  const append = fs.appendFileSync;
  const note = (kind, what) => {
    const line = `${kind} ${what}\n`;
    if (noted.has(line)) return;
    noted.add(line);
    try {
      append(trace, line);
    } catch {}
  };
  const wrap = (object, name, kind) => {
    const real = object && object[name];
    if (typeof real !== "function") return;
    const watched = function (...rest) {
      note(kind, name);
      return real.apply(this, rest);
    };
    try {
      Object.assign(watched, real);
      object[name] = watched;
    } catch {} // It can't be replaced.
  };
  const RealDate = Date;
  const now = (how) => {
    note("clock", how);
    return RealDate.now() + shift;
  };
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(now("Date")).toString(),
    construct: (target, rest, made) => Reflect.construct(target, rest.length ? rest : [now("new Date")], made),
    get: (target, name) => (name === "now" ? () => now("Date.now") : target[name]),
  });
  wrap(Math, "random", "random");
  const crypto = require("node:crypto");
  for (const name of ["randomUUID", "randomBytes", "randomInt", "getRandomValues"]) wrap(crypto, name, "random");
  const net = require("node:net");
  wrap(net.Socket.prototype, "connect", "network");
  wrap(require("node:dns"), "lookup", "network");
  wrap(globalThis, "fetch", "network");
  for (const name of ["readFileSync", "readFile", "existsSync"]) {
    const real = fs[name];
    fs[name] = function (path, ...rest) {
      if (typeof path === "string" && `/${path}`.includes("/.git/")) note("git", "a file of .git");
      return real.call(this, path, ...rest);
    };
  }
}
