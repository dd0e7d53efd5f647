import type { Timesheet } from './records.ts';
import { createUuid } from './state.ts';
import type { Workspace, World } from './world.ts';

/** Timesheets as other records touch them. */

const DAY_MS = 86_400_000;

/** The day `days` after `day`. */
export const addDaysTo = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

/** The Monday of the week of `day`. */
export const getMonday = (day: string): string => {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDaysTo(day, -((weekday + 6) % 7));
};

/**
 * Adds tracked time to the user's sheet of the day on which it began (UTC); where there is none, an open sheet
 * of that week, Monday to Sunday, is made.
 */
export const addTime = (
  world: World,
  workspace: Workspace,
  entry: { readonly user: number; readonly start: string; readonly end: string },
): Timesheet => {
  const day = entry.start.slice(0, 10);
  const existing = Object.values(workspace.timesheets).find(
    (sheet) => sheet.user_id === entry.user && sheet.date_from <= day && day <= sheet.date_to,
  );
  const sheet = existing ?? openSheet(world, workspace, entry.user, getMonday(day));
  sheet.total_minutes += Math.round((Date.parse(entry.end) - Date.parse(entry.start)) / 60_000);
  return sheet;
};

const openSheet = (world: World, workspace: Workspace, user: number, monday: string): Timesheet => {
  const sheet: Timesheet = {
    id: createUuid(world),
    user_id: user,
    date_from: monday,
    date_to: addDaysTo(monday, 6),
    total_minutes: 0,
    submitted_on: null,
    reject_reason: null,
    status: 'open',
  };
  workspace.timesheets[sheet.id] = sheet;
  return sheet;
};
