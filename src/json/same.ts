import { isNumber, isRecord, isSameNumber } from './number.ts';

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
