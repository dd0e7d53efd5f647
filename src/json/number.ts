/** A longer text is no number: a pattern over millions of digits overflows the engine's stack. */
const MAX_LENGTH = 1_000;

/** A number without a power of ten: `48.60`, `-007`. */
export function isDecimal(text: string): boolean {
  return text.length <= MAX_LENGTH && /^-?\d+(?:\.\d+)?$/.test(text);
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

/** Whether the digits of a number may be others than those that were read. */
export function isRounded(value: number): boolean {
  return Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value);
}

/** The number that a value is or says (`48.60`, `007`, `1e3`); `NaN` where it is none, or has more digits than are kept. */
export function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return Number.NaN;
  if (!/^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value.trim())) return Number.NaN;
  const number = Number(value);
  return isRounded(number) ? Number.NaN : number;
}

/** An object that has members: not null, no array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether two JSON values are the same; members of objects in any order. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, i) => isSameJson(item, other[i]));
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  );
}
