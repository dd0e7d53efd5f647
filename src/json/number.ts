/**
 * A number of a JSON text whose digits a JavaScript number does not keep: `9007199254740993`, `48.60`, `1e400`, `-0`.
 * It is written again as it was read. In arithmetic and comparisons it is the nearest JavaScript number.
 */
export class JsonNumber {
  /** As it was read. */
  readonly token: string;

  constructor(token: string) {
    this.token = token;
  }

  toString(): string {
    return this.token;
  }

  valueOf(): number {
    return Number(this.token);
  }

  /** For `JSON.stringify`, which cannot write a number by its digits. `stringifyJson` can. */
  toJSON(): string {
    serialized += 1;
    return this.token;
  }
}

let serialized = 0;

/** How many of them `JSON.stringify` has met so far. */
export const countSerializedNumbers = (): number => serialized;

// Digits are looked at one by one: once a process has compiled many patterns, V8 keeps a way back for each character of a
// repetition, and millions of digits overflow its stack.

const isDigitAt = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
};

const skipDigits = (text: string, from: number): number => {
  let at = from;
  while (isDigitAt(text, at)) at += 1;
  return at;
};

/** The end of the number of JSON that begins there; the same place where none does. */
export const findNumberEnd = (text: string, start: number): number => {
  const whole = text[start] === '-' ? start + 1 : start;
  let end = text[whole] === '0' ? whole + 1 : skipDigits(text, whole);
  if (end === whole) return start;
  const part = (from: number): void => {
    const to = skipDigits(text, from);
    if (to > from) end = to;
  };
  if (text[end] === '.') part(end + 1);
  if (text[end] === 'e' || text[end] === 'E') part(/[+-]/.test(text[end + 1] ?? '') ? end + 2 : end + 1);
  return end;
};

/** Whether a text is a number without a power of ten: `48.60`, `-007`. */
export const isDecimal = (text: string): boolean => {
  const start = text[0] === '-' ? 1 : 0;
  const point = skipDigits(text, start);
  if (point === start || point === text.length) return point > start;
  return text[point] === '.' && isDigitAt(text, point + 1) && skipDigits(text, point + 1) === text.length;
};

/** Digits without the zeros at their end. */
export const trimTrailingZeros = (digits: string): string => {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
};

/** A number without the zeros before it, which JSON does not allow: `-7` of `-007`, `0` of `00`. */
const trimLeadingZeros = (text: string): string => {
  const start = text[0] === '-' ? 1 : 0;
  let at = start;
  while (text[at] === '0' && isDigitAt(text, at + 1)) at += 1;
  return text.slice(0, start) + text.slice(at);
};

/** @param token a number as JSON writes it */
export const parseNumber = (token: string): number | JsonNumber => {
  const number = Number(token);
  return String(number) === token ? number : new JsonNumber(token);
};

/** The number that a value is or says, by its digits; `NaN` where it is none. */
export const toNumber = (value: unknown): number | JsonNumber => {
  if (isNumber(value)) return value;
  const token = typeof value === 'string' ? trimLeadingZeros(value.trim()) : '';
  return token !== '' && findNumberEnd(token, 0) === token.length ? parseNumber(token) : Number.NaN;
};

export const isNumber = (value: unknown): value is number | JsonNumber =>
  typeof value === 'number' || value instanceof JsonNumber;

/** An object that has members: not null, no array, no number. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

/** A power beyond it is not counted to the last. */
const MAX_POWER = 1e15;

interface Decimal {
  readonly sign: -1 | 0 | 1;
  /** Neither begin nor end with a zero. */
  readonly digits: string;
  /** The value is `0.digits × 10 ** magnitude`. */
  readonly magnitude: number;
}

const parseDecimal = (number: number | JsonNumber): Decimal | undefined => {
  const text = String(number);
  const sign = text[0] === '-' ? -1 : 1;
  const [mantissa = '', exponent = '0'] = (sign < 0 ? text.slice(1) : text).split(/e/i);
  const power = Number(exponent);
  if (!isDigitAt(mantissa, 0) || Math.abs(power) >= MAX_POWER) return undefined;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  const digits = trimLeadingZeros(all);
  if (digits === '0') return { sign: 0, digits: '', magnitude: 0 };
  const magnitude = power + whole.length - (all.length - digits.length);
  return { sign, digits: trimTrailingZeros(digits), magnitude };
};

/** A text that all spellings of a value share (`48.60`, `48.6`, `486e-1`), and no other value. */
export const toValueKey = (number: number | JsonNumber): string => {
  const decimal = parseDecimal(number);
  return decimal === undefined ? String(number) : Object.values(decimal).join(' ');
};

/** Whether both are numbers of one value. */
export const isSameNumber = (one: number | JsonNumber, other: number | JsonNumber): boolean =>
  !Number.isNaN(Number(one)) && toValueKey(one) === toValueKey(other);

/** By value, to the last digit: below 0 where the first is less. */
export const compareNumbers = (one: number | JsonNumber, other: number | JsonNumber): number => {
  const [a, b] = [Number(one), Number(other)];
  if (a !== b || (typeof one === 'number' && typeof other === 'number')) return a < b ? -1 : Number(a > b);
  const [left, right] = [parseDecimal(one), parseDecimal(other)];
  if (left === undefined || right === undefined) return 0;
  if (left.sign !== right.sign) return left.sign - right.sign;
  const byDigits = left.digits < right.digits ? -1 : Number(left.digits > right.digits);
  return left.sign * (left.magnitude - right.magnitude || byDigits);
};

/** The JavaScript number of the same value; undefined where there is none. */
export const toExactNumber = (value: number | JsonNumber): number | undefined => {
  const number = Number(value);
  return Number.isFinite(number) && toValueKey(number) === toValueKey(value) ? number : undefined;
};

/** Whether two JSON values are the same; numbers are by their value, members of objects in any order. */
export const isSameJson = (one: unknown, other: unknown): boolean => {
  if (one === other) return true;
  if (isNumber(one) && isNumber(other)) return isSameNumber(one, other);
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, i) => isSameJson(item, other[i]));
  if (!isRecord(one) || !isRecord(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameJson(one[name], other[name]))
  );
};
