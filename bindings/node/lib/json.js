/**
 * Strict conversion to JSON: a value that JSON can't represent is an error.
 *
 * `JSON.stringify` turns NaN into null and a map or a promise into `{}`, and drops functions. None of these may go
 * unnoticed in the input of a guard.
 */

/**
 * @param {unknown} value
 * @returns {string}
 * @throws {TypeError} It contains a value that JSON can't represent.
 */
export function written(value) {
  return JSON.stringify(value, exact);
}

function exact(key, value) {
  const type = typeof value;
  if ((type === "number" && !Number.isFinite(value)) || type === "function" || type === "symbol" || isHidden(value)) {
    throw new TypeError(`\`${key}\` is ${type === "number" ? String(value) : named(value)}, which JSON can't say`);
  }
  return value;
}

/** Returns whether JSON would lose the content of an object: a map, a promise, an error, a pattern. */
function isHidden(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return false;
  return !isPlain(value) && Object.keys(value).length === 0;
}

/** Returns whether it is a plain object: not a list, map, date, generator or instance of a class. */
export function isPlain(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Describes a value in a few words. */
export function named(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value !== "object") return typeof value === "function" ? "a function" : `a ${typeof value}`;
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  const name = tag === "Object" ? (value.constructor?.name ?? "unknown class") : tag;
  return `an object of ${name}`;
}
