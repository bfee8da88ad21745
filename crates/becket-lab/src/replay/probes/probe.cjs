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
    object[name] = function (...rest) {
      note(kind, name);
      return real.apply(this, rest);
    };
  };
  const RealDate = Date;
  globalThis.Date = class Date extends RealDate {
    constructor(...rest) {
      if (rest.length === 0) {
        note("clock", "new Date");
        super(RealDate.now() + shift);
      } else {
        super(...rest);
      }
    }
    static now() {
      note("clock", "Date.now");
      return RealDate.now() + shift;
    }
  };
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
