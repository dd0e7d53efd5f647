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
export const serializedNumbers = (): number => serialized;

/** @param token a number as JSON writes it */
export const numberFrom = (token: string): number | JsonNumber => {
  const number = Number(token);
  return String(number) === token ? number : new JsonNumber(token);
};

export const isNumber = (value: unknown): value is number | JsonNumber =>
  typeof value === 'number' || value instanceof JsonNumber;

/** An object that has members: not null, no array, no number. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,15}))?$/;

/** A text that all spellings of a value share (`48.60`, `48.6`, `486e-1`), and no other value. */
export const valueKey = (number: number | JsonNumber): string => {
  const found = DECIMAL.exec(String(number));
  if (found === null) return String(number);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return end === 0
    ? '0'
    : `${sign}${digits.slice(0, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
};

/** The JavaScript number of the same value; undefined where there is none. */
export const exactNumber = (value: number | JsonNumber): number | undefined => {
  const number = Number(value);
  return Number.isFinite(number) && valueKey(number) === valueKey(value) ? number : undefined;
};
