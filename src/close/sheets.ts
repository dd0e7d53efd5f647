import { toNumber } from '../json/number.ts';
import { toText } from '../json/stringify.ts';
import { formatHours } from '../parsing/duration.ts';
import { parseLimit } from '../pending/inbox-context.ts';
import { groupBy } from '../pending/related.ts';
import { countDaysBetween } from '../pending/text.ts';
import { isRunning } from '../resources/contract.ts';
import { clip, contains, listWorkdays, type PersonCalendar } from './calendar.ts';
import type { CloseFinding } from './finding.ts';
import { APPROVED, type CloseRecord, isSheetIn, REJECTED, SUBMITTED } from './records.ts';
import { type CloseView, createFinding, isOfArchived, labelRecord, toMemberWord } from './view.ts';

/** What the timesheets of a period say, and the days without one. Pure. */

/** Workdays one after the other, of which a person has no timesheet and no leave, are one finding. */
const listGaps = (days: PersonCalendar['days']): readonly (readonly string[])[] => {
  const gaps: string[][] = [];
  let isOpen = false;
  for (const [day, state] of days) {
    const gap = gaps.at(-1);
    if (state === 'missing' && isOpen) gap?.push(day);
    else if (state === 'missing') gaps.push([day]);
    isOpen = state === 'missing';
  }
  return gaps;
};

const findMissing = ({ lists, commandLine, calendar }: CloseView): readonly CloseFinding[] => {
  const contracts = groupBy((lists.contracts ?? []).filter(isRunning), ({ user_id: id }) => id);
  return calendar.flatMap(({ person, days }) =>
    listGaps(days).map((gap): CloseFinding => {
      const contract = contracts.get(toText(person.id))?.[0]?.id;
      const member = toMemberWord(person);
      return {
        code: 'no_timesheet',
        member: person,
        from: gap[0] ?? '',
        to: gap.at(-1) ?? '',
        days: gap.length,
        partial: false,
        message: `No timesheet for ${gap.length === 1 ? 'this workday' : `${gap.length} workdays`}`,
        fix:
          contract === undefined
            ? commandLine`ttctl time-requests create --member ${member}`
            : commandLine`ttctl time-requests create --member ${member} --contract ${contract}`,
      };
    }),
  );
};

const isOnLeave = ({ listApprovedLeaves }: CloseView, { userId }: CloseRecord, day: string): boolean =>
  listApprovedLeaves(userId).some((leave) => contains(leave, day));

/** Whoever is on leave on all its workdays need not hand it in. */
const isOnLeaveThroughout = (view: CloseView, sheet: CloseRecord): boolean => {
  const workdays = listWorkdays(clip(sheet, view.scope.period));
  return workdays.length > 0 && workdays.every((day) => isOnLeave(view, sheet, day));
};

/** Whether an open timesheet should be in: its days are over, and the person is expected on one, or has hours in it. */
export const isOverdue = (view: CloseView, sheet: CloseRecord): boolean => {
  const { scope, findDays } = view;
  const inside = clip(sheet, scope.period);
  if (inside.to >= scope.today || isOnLeaveThroughout(view, sheet)) return false;
  const isExpected = [...findDays(sheet.userId).keys()].some(
    (day) => contains(inside, day) && !isOnLeave(view, sheet, day),
  );
  return isExpected || (sheet.hours ?? 0) > 0;
};

export const isRejected = (view: CloseView, sheet: CloseRecord): boolean =>
  isSheetIn(sheet, REJECTED) && !isOnLeaveThroughout(view, sheet);

const findState = (view: CloseView, sheet: CloseRecord): CloseFinding | undefined => {
  const { commandLine, scope } = view;
  const label = labelRecord(sheet, scope);
  if (isSheetIn(sheet, SUBMITTED)) {
    return createFinding(view, sheet, {
      code: 'waiting',
      message: `${label} is waiting for a decision`,
      fix: commandLine`ttctl timesheets approve ${sheet.id}`,
    });
  }
  if (isRejected(view, sheet)) {
    const reason = toText(sheet.row.reject_reason ?? '');
    return createFinding(view, sheet, {
      code: 'rejected',
      message: `${label} was rejected${reason === '' ? '' : `: ${reason}`}`,
      fix: commandLine`ttctl timesheets list --id ${sheet.id}`,
    });
  }
  if (!isSheetIn(sheet, 'open') || !isOverdue(view, sheet)) return undefined;
  return createFinding(view, sheet, {
    code: 'not_submitted',
    message: `${label} is not submitted`,
    fix: commandLine`ttctl timesheets submit ${sheet.id}`,
  });
};

/** Hours are rounded by the service. */
const TOLERANCE = 0.005;

/** A part of a week by its days or by its workdays, whichever is more: Monday to Saturday are a whole week of work. */
const countWeeks = (sheet: CloseRecord): number =>
  Math.max((countDaysBetween(sheet.from, sheet.to) + 1) / 7, listWorkdays(sheet).length / 5);

/** What the weekly limit allows for all days of a timesheet; undefined: no limit. */
const getAllowedHours = ({ findMember }: CloseView, sheet: CloseRecord): number | undefined => {
  const limit = parseLimit(findMember(sheet.userId)?.weekly_hours_limit) ?? undefined;
  return limit && limit * countWeeks(sheet);
};

/** Only while it waits can a timesheet be sent back. */
const formatSheetFix = (view: CloseView, sheet: CloseRecord, otherwise: string): string =>
  isSheetIn(sheet, SUBMITTED) ? view.commandLine`ttctl timesheets reject ${sheet.id}` : otherwise;

const findOverLimit = (view: CloseView, sheet: CloseRecord): CloseFinding | undefined => {
  const { commandLine, scope, findPerson, findMember } = view;
  const allowed = getAllowedHours(view, sheet);
  const { hours, userId } = sheet;
  if (allowed === undefined || hours === null || hours <= allowed + TOLERANCE) return undefined;
  const days = countDaysBetween(sheet.from, sheet.to) + 1;
  const limit = Number(toNumber(findMember(userId)?.weekly_hours_limit));
  const member = toMemberWord(findPerson(sheet));
  return createFinding(view, sheet, {
    code: 'over_limit',
    message: `${labelRecord(sheet, scope)} is ${formatHours(hours - allowed)} over the limit of ${
      days === 7 ? `${formatHours(limit)} a week` : `${formatHours(allowed)} for ${days} days`
    }`,
    fix: formatSheetFix(
      view,
      sheet,
      commandLine`ttctl members update ${member} --weekly-hours-limit ${Math.ceil(hours / countWeeks(sheet))}`,
    ),
  });
};

/** More hours than the limit allows on the workdays that leave does not take; on none of them, any hours. */
const findOnLeave = (view: CloseView, sheet: CloseRecord): CloseFinding | undefined => {
  const workdays = listWorkdays(sheet);
  const away = workdays.filter((day) => isOnLeave(view, sheet, day)).length;
  if (away === 0 || sheet.hours === null) return undefined;
  const free = workdays.length - away;
  const allowed = free === 0 ? 0 : getAllowedHours(view, sheet);
  if (allowed === undefined || sheet.hours <= (allowed * free) / workdays.length + TOLERANCE)
    return undefined;
  const member = toMemberWord(view.findPerson(sheet));
  const { commandLine, scope } = view;
  return createFinding(view, sheet, {
    code: 'sheet_on_leave',
    message: `${labelRecord(sheet, scope)} has hours, but approved leave covers ${away} of its ${workdays.length} workdays`,
    fix: formatSheetFix(
      view,
      sheet,
      commandLine`ttctl leaves list --member ${member} --date-from ${sheet.from} --date-to ${sheet.to}`,
    ),
  });
};

const findOfSheet = (view: CloseView, sheet: CloseRecord): readonly (CloseFinding | undefined)[] => [
  isOfArchived(view, sheet) ? undefined : findState(view, sheet),
  ...(isSheetIn(sheet, SUBMITTED, APPROVED) ? [findOverLimit(view, sheet), findOnLeave(view, sheet)] : []),
];

/** Without the leaves nobody knows who should have handed in what. */
export const findSheetFindings = (view: CloseView): readonly CloseFinding[] => {
  const { lists, timesheets } = view;
  const found = timesheets.flatMap((sheet) => findOfSheet(view, sheet)).filter((one) => one !== undefined);
  if (lists.leaves === undefined) return found.filter(({ code }) => code !== 'not_submitted');
  return lists.timesheets === undefined ? found : [...findMissing(view), ...found];
};
