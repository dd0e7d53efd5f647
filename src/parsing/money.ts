import { isDecimal, isNumber } from '../json/number.ts';

/** Money as people read it. */

/** Digits of a decimal that a binary number keeps: those behind them come of arithmetic, not of a person. */
const KEPT_DIGITS = 15;

const formatNumber = (number: number): string => {
  const text = String(number);
  const isNoisy = typeof number === 'number' && text.replace(/^[-0.]+|\D/g, '').length > KEPT_DIGITS;
  return isNoisy && isDecimal(text) ? number.toFixed(4) : text;
};

/** With two decimals, or as many more as there are. */
export const formatMoney = (value: unknown): string | undefined => {
  const text = isNumber(value) ? formatNumber(value) : value;
  if (typeof text !== 'string' || !isDecimal(text)) return undefined;
  const [integer = '', decimals = ''] = text.split('.');
  return `${integer}.${trimZeros(decimals).padEnd(2, '0')}`;
};

/** Without the zeros at the end: a loop, since a pattern takes time with the square of a hostile amount's length. */
function trimZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
