import { isNumber, type JsonNumber, parseNumber } from '../json/number.ts';
import { formatHours } from '../parsing/hours.ts';

/** Hours, money and sums. What is decimal stays so: 0.1 and 0.2 are 0.3. */

const PLAIN = /^-?\d+(\.\d+)?$/;

const numeric = (value: unknown): number | undefined => {
  if (isNumber(value)) return Number(value);
  return typeof value === 'string' && PLAIN.test(value) ? Number(value) : undefined;
};

/** Hours as `h:mm`; anything but a number is `undefined`. */
export const formatHoursMinutes = (value: unknown): string | undefined => {
  const amount = numeric(value);
  return amount === undefined || !Number.isFinite(amount) ? undefined : formatHours(amount);
};

/** Digits of a decimal that a binary number keeps: those behind them come of arithmetic, not of a person. */
const KEPT_DIGITS = 15;

const written = (number: number | JsonNumber): string => {
  const text = String(number);
  const isNoisy = typeof number === 'number' && text.replace(/^[-0.]+|\D/g, '').length > KEPT_DIGITS;
  return isNoisy && PLAIN.test(text) ? number.toFixed(4) : text;
};

/** With two decimals, or as many more as there are. */
export const formatMoney = (value: unknown): string | undefined => {
  const text = isNumber(value) ? written(value) : value;
  if (typeof text !== 'string' || !PLAIN.test(text)) return undefined;
  const [whole = '', decimals = ''] = text.split('.');
  return `${whole}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`;
};

/** `digits / 10 ** scale`, exact. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { digits: 0n, scale: 0 };

const SHAPE = /^(-?\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
/** A longer text is no amount. */
const LONGEST = 100;

/** The decimal that a number is written as, or that a text is; anything else is `undefined`. */
export const parseDecimal = (value: unknown): Decimal | undefined => {
  if (typeof value === 'string' && !PLAIN.test(value)) return undefined;
  if (typeof value !== 'string' && !isNumber(value)) return undefined;
  const text = String(value);
  const [, whole, decimals = '', exponent = '0'] = text.length > LONGEST ? [] : (SHAPE.exec(text) ?? []);
  if (whole === undefined) return undefined;
  const scale = decimals.length - Number(exponent);
  const digits = BigInt(whole + decimals);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
};

const scaled = ({ digits, scale }: Decimal, to: number): bigint => digits * 10n ** BigInt(to - scale);

export const addDecimals = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale);
  return { digits: scaled(a, scale) + scaled(b, scale), scale };
};

/** With more zeros than this before or after its digits a sum is written with a power of ten: 1e-300. */
const MOST_ZEROS = 21;

const decimalText = ({ digits, scale }: Decimal): string => {
  const all = String(digits < 0n ? -digits : digits);
  const kept = all.replace(/0+$/, '');
  const power = all.length - 1 - scale;
  if (kept !== '' && Math.max(-power - 1, power + 1 - kept.length) > MOST_ZEROS) {
    const rest = kept.length === 1 ? '' : `.${kept.slice(1)}`;
    return `${digits < 0n ? '-' : ''}${kept[0]}${rest}e${power < 0 ? '' : '+'}${power}`;
  }
  const size = all.padStart(scale + 1, '0');
  const [whole, decimals] = [size.slice(0, size.length - scale), size.slice(size.length - scale)];
  const text = scale === 0 ? whole : `${whole}.${decimals}`.replace(/\.?0+$/, '');
  return digits < 0n ? `-${text}` : text;
};

/** A number with all its digits. */
export const toAmount = (decimal: Decimal): number | JsonNumber => parseNumber(decimalText(decimal));
