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
  return `${integer}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`;
};
