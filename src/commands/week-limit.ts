import { isNumber } from '../json.ts';

/** Hours of a week. */
const HOURS_PER_WEEK = 168;

/** The service takes any limit; one that no week reaches is most likely a slip: 400 for 40. */
export const describeWeekLimit = ({
  weekly_hours_limit: limit,
}: {
  readonly weekly_hours_limit?: unknown;
}) =>
  isNumber(limit) && Number(limit) > HOURS_PER_WEEK
    ? `a weekly limit of ${limit} hours has no effect: a week has ${HOURS_PER_WEEK}`
    : undefined;
