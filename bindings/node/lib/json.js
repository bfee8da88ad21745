/**
 * JSON that says what it was made of, or is refused.
 *
 * `JSON.stringify` turns NaN into null and a map or a promise into `{}`, and drops functions. In what a hook guards, none of
 * these may pass unseen.
 */

/**
 * @param {unknown} value
 * @returns {string}
 * @throws {TypeError} It holds what JSON can't say.
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

/** Whether it is more than an object, and JSON would have nothing of it: a map, a promise, an error, a pattern. */
function isHidden(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value) || ArrayBuffer.isView(value)) return false;
  return !isPlain(value) && Object.keys(value).length === 0;
}

/** Whether it is an object as `{}` makes them: no list, map, date, generator or instance of a class. */
export function isPlain(value) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** What a value is, in a few words. */
export function named(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value !== "object") return typeof value === "function" ? "a function" : `a ${typeof value}`;
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  const name = tag === "Object" ? (value.constructor?.name ?? "unknown class") : tag;
  return `an object of ${name}`;
}
