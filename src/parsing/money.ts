import { isNumber, type JsonNumber } from '../json/number.ts';

/** Money as people read it. */

export const PLAIN_DECIMAL = /^-?\d+(\.\d+)?$/;

/** Digits of a decimal that a binary number keeps: those behind them come of arithmetic, not of a person. */
const KEPT_DIGITS = 15;

const formatNumber = (number: number | JsonNumber): string => {
  const text = String(number);
  const isNoisy = typeof number === 'number' && text.replace(/^[-0.]+|\D/g, '').length > KEPT_DIGITS;
  return isNoisy && PLAIN_DECIMAL.test(text) ? number.toFixed(4) : text;
};

/** With two decimals, or as many more as there are. */
export const formatMoney = (value: unknown): string | undefined => {
  const text = isNumber(value) ? formatNumber(value) : value;
  if (typeof text !== 'string' || !PLAIN_DECIMAL.test(text)) return undefined;
  const [integer = '', decimals = ''] = text.split('.');
  return `${integer}.${decimals.replace(/0+$/, '').padEnd(2, '0')}`;
};
