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

const TOKEN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** @param token a number as JSON writes it */
export const parseNumber = (token: string): number | JsonNumber => {
  const number = Number(token);
  return String(number) === token ? number : new JsonNumber(token);
};

/** The number that a value is or says, by its digits; `NaN` where it is none. */
export const toNumber = (value: unknown): number | JsonNumber => {
  if (isNumber(value)) return value;
  const token = typeof value === 'string' ? value.trim().replace(/^(-?)0+(?=\d)/, '$1') : '';
  return TOKEN.test(token) ? parseNumber(token) : Number.NaN;
};

export const isNumber = (value: unknown): value is number | JsonNumber =>
  typeof value === 'number' || value instanceof JsonNumber;

/** An object that has members: not null, no array, no number. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,15}))?$/;

interface Decimal {
  readonly sign: -1 | 0 | 1;
  /** Neither begin nor end with a zero. */
  readonly digits: string;
  /** The value is `0.digits × 10 ** magnitude`. */
  readonly magnitude: number;
}

const parseDecimal = (number: number | JsonNumber): Decimal | undefined => {
  const match = DECIMAL.exec(String(number));
  if (match === null) return undefined;
  const [, minus, whole = '', fraction = '', exponent = '0'] = match;
  const all = whole + fraction;
  const digits = all.replace(/^0+/, '');
  const magnitude = Number(exponent) + whole.length - (all.length - digits.length);
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  if (end === 0) return { sign: 0, digits: '', magnitude: 0 };
  return { sign: minus === '-' ? -1 : 1, digits: digits.slice(0, end), magnitude };
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
