/** Days for people, as short as can be, the same everywhere. Days are `YYYY-MM-DD`. Pure. */

export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const yearOf = (now: number): string => String(new Date(now).getUTCFullYear());
const monthDay = (day: string): string =>
  `${MONTHS[Number(day.slice(5, 7)) - 1]} ${Number(day.slice(8, 10))}`;

/** `Nov 9`; `Nov 9 2025` where it is not this year's. @param now milliseconds since the epoch */
export const formatBriefDay = (day: string, now: number): string =>
  monthDay(day) + (day.startsWith(yearOf(now)) ? '' : ` ${day.slice(0, 4)}`);

/** `Nov 9–15`, `Oct 26–Nov 1`, `Nov 9`, with the year where it is not this year's. */
export const formatBriefDays = (
  [from, to]: readonly [from: string, to: string],
  now: number,
  dash: string,
): string => {
  if (from === to) return formatBriefDay(from, now);
  if (from.slice(0, 4) !== to.slice(0, 4)) {
    return [from, to].map((day) => `${monthDay(day)} ${day.slice(0, 4)}`).join(dash);
  }
  const last = from.slice(0, 7) === to.slice(0, 7) ? String(Number(to.slice(8, 10))) : monthDay(to);
  const year = to.startsWith(yearOf(now)) ? '' : ` ${to.slice(0, 4)}`;
  return `${monthDay(from)}${dash}${last}${year}`;
};
