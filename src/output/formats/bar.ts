/** A share as a bar. */

/** Columns of the longest. */
export const BAR_WIDTH = 40;

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** What is more than nothing is seen. @param share from 0 to 1 */
export const formatBar = (share: number, width: number, unicode: boolean): string => {
  const length = Math.min(Math.max(share, 0), 1) * Math.min(width, BAR_WIDTH);
  if (!unicode) return '#'.repeat(length === 0 ? 0 : Math.max(1, Math.round(length)));
  const eighths = length === 0 ? 0 : Math.max(1, Math.round(length * 8));
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
};
