/**
 * Words for what some services have beyond the documented operations (docs/service.md, Beyond the 58 operations), and the lines
 * that reach it.
 */
const API_LINES: Readonly<Record<string, string>> = {
  reports:
    'ttctl api /reports/tracked-hours --param start_date=2026-11-01 --param end_date=2026-11-30 (also daily-timeline, task-report and activity-level)',
  'time-entries': 'ttctl api /time-entries --param user_id=17 --param date=2026-11-20',
  'time-tracking start': 'ttctl api --method POST /time-tracking/start',
  'time-tracking current': 'ttctl api /time-tracking/current-data',
};

/** @param path of the group, without `ttctl` */
export const findApiLine = (path: string, word: string): string | undefined => {
  const name = `${path} ${word}`.trim();
  return Object.hasOwn(API_LINES, name) ? API_LINES[name] : undefined;
};
