/**
 * What keeps a period from being closed, written a second time: day by day, from what the help of `ttctl close check`
 * says, and slowly. It shares nothing with src/close.
 */

// biome-ignore lint/suspicious/noExplicitAny: records as they came
type Rec = any;

export interface Records {
  readonly members: readonly Rec[];
  readonly contracts: readonly Rec[];
  readonly timesheets: readonly Rec[];
  readonly leaves: readonly Rec[];
  readonly timeRequests: readonly Rec[];
  readonly expenses: readonly Rec[];
  readonly balances: readonly Rec[];
  readonly policies: readonly Rec[];
}

export interface Question {
  readonly first: string;
  readonly last: string;
  /** Day it is, in UTC as all else here. */
  readonly today: string;
}

const DAY = 86_400_000;
const noon = (day: string): number => Date.parse(`${day}T12:00:00Z`);
const dayOf = (time: unknown): string => new Date(Date.parse(String(time))).toISOString().slice(0, 10);

/** Every day from the first to the last. */
const everyDay = (first: string, last: string): string[] => {
  const days: string[] = [];
  for (let ms = noon(first); ms <= noon(last); ms += DAY) days.push(new Date(ms).toISOString().slice(0, 10));
  return days;
};
const weekday = (day: string): boolean => {
  const n = new Date(noon(day)).getUTCDay();
  return n >= 1 && n <= 5;
};

export type DayFate = 'sheet' | 'leave' | 'nothing';

/** What became of each day on which a member is expected. */
export const fatesOf = (
  member: Rec,
  records: Records,
  { first, last, today }: Question,
): Map<string, DayFate> => {
  const fates = new Map<string, DayFate>();
  const contract = records.contracts.find((one) => one.user_id === member.id && one.status === 'active');
  const worked = member.status === 'active' || member.deleted_at !== null;
  if (contract === undefined || !worked) return fates;
  for (const day of everyDay(first, last)) {
    if (!weekday(day) || day >= today) continue;
    if (day < dayOf(member.hired_at ?? member.created_at)) continue;
    if (member.deleted_at !== null && day > dayOf(member.deleted_at)) continue;
    const sheet = records.timesheets.find(
      (one) => one.user_id === member.id && day >= one.date_from && day <= one.date_to,
    );
    const leave = records.leaves.find(
      (one) =>
        one.user_id === member.id &&
        one.status === 'approved' &&
        day >= one.start_date &&
        day <= one.end_date,
    );
    fates.set(day, sheet !== undefined ? 'sheet' : leave !== undefined ? 'leave' : 'nothing');
  }
  return fates;
};

/** What was found so far, and what is asked of the records. */
class Search {
  readonly found: string[] = [];
  readonly records: Records;
  readonly question: Question;

  constructor(records: Records, question: Question) {
    this.records = records;
    this.question = question;
  }

  tell(code: string, who: unknown, days: readonly string[]): void {
    this.found.push(`${code} ${who} ${days[0]}..${days[days.length - 1]}`);
  }

  memberOf(who: unknown): Rec {
    return this.records.members.find(({ id }) => id === who);
  }

  /** Of an archived member it is one of many. */
  tellOpen(code: string, who: unknown, days: readonly string[]): void {
    this.tell(this.memberOf(who)?.deleted_at ? 'archived_with_open_items' : code, who, days);
  }

  inside(from: string, to: string): string[] {
    return everyDay(this.question.first, this.question.last).filter((day) => day >= from && day <= to);
  }

  isAway(who: unknown, day: string): boolean {
    return this.records.leaves.some(
      (one) =>
        one.user_id === who && one.status === 'approved' && day >= one.start_date && day <= one.end_date,
    );
  }
}

const searchMissing = (search: Search): void => {
  for (const member of search.records.members) {
    let gap: string[] = [];
    const tellGap = () => {
      if (gap.length > 0) search.tell('no_timesheet', member.id, gap);
      gap = [];
    };
    for (const [day, fate] of fatesOf(member, search.records, search.question)) {
      if (fate === 'nothing') gap.push(day);
      else tellGap();
    }
    tellGap();
  }
};

const stateOf = (search: Search, sheet: Rec, days: readonly string[]): string | undefined => {
  if (sheet.status === 'submitted') return 'waiting';
  const who = sheet.user_id;
  const work = days.filter(weekday);
  if (work.length > 0 && work.every((day) => search.isAway(who, day))) return undefined;
  if (sheet.status === 'rejected') return 'rejected';
  if (sheet.status !== 'open' || days.some((day) => day >= search.question.today)) return undefined;
  const member = search.memberOf(who);
  const expected = member === undefined ? [] : [...fatesOf(member, search.records, search.question).keys()];
  const isDue = work.some((day) => expected.includes(day) && !search.isAway(who, day));
  return isDue || sheet.total_hours > 0 ? 'not_submitted' : undefined;
};

const searchHours = (search: Search, sheet: Rec, days: readonly string[]): void => {
  const who = sheet.user_id;
  const all = everyDay(sheet.date_from, sheet.date_to);
  const work = all.filter(weekday);
  const limit = search.memberOf(who)?.weekly_hours_limit;
  const most = limit > 0 && limit < 168 ? limit * Math.max(all.length / 7, work.length / 5) : Infinity;
  if (sheet.total_hours > most + 0.005) search.tell('over_limit', who, days);
  const free = work.filter((day) => !search.isAway(who, day));
  if (free.length === work.length) return;
  const possible = free.length === 0 ? 0 : (most * free.length) / work.length;
  if (sheet.total_hours > possible + 0.005) search.tell('sheet_on_leave', who, days);
};

const searchSheets = (search: Search): void => {
  for (const sheet of search.records.timesheets) {
    const days = search.inside(sheet.date_from, sheet.date_to);
    if (days.length === 0) continue;
    const state = stateOf(search, sheet, days);
    if (state !== undefined) search.tellOpen(state, sheet.user_id, days);
    if (sheet.status === 'submitted' || sheet.status === 'approved') searchHours(search, sheet, days);
  }
};

const searchPending = (search: Search): void => {
  const { leaves, timeRequests } = search.records;
  for (const { user_id: who, status, start_date: from, end_date: to } of leaves) {
    const days = search.inside(from, to);
    if (status === 'pending' && days.length > 0) search.tellOpen('leave_pending', who, days);
  }
  for (const { user_id: who, status, start, end } of timeRequests) {
    const lastMoment = Math.max(Date.parse(start), Date.parse(end) - 1);
    const days = search.inside(dayOf(start), new Date(lastMoment).toISOString().slice(0, 10));
    if (status === 'pending' && days.length > 0) search.tellOpen('time_request_pending', who, days);
  }
};

const searchBalances = (search: Search): void => {
  const { records, question } = search;
  for (const { user_id: who, leave_information: entries } of records.balances) {
    for (const { leave_type: name, balance } of entries) {
      const mayBe = records.policies.some((one) => one.name === name && one.allow_negative_balance);
      if (balance.startsWith('-') && !mayBe)
        search.tell('negative_balance', who, [question.first, question.last]);
    }
  }
};

const searchExpenses = (search: Search): void => {
  const { first, last } = search.question;
  for (const one of search.records.expenses) {
    const day = new Date(Date.parse(`${one.expense_date} 12:00 UTC`)).toISOString().slice(0, 10);
    if (one.project || day < first || day > last) continue;
    const named = search.records.members.filter(
      ({ firstname, lastname }) => `${firstname} ${lastname}`.trim() === one.member.trim(),
    );
    search.tell('expense_without_project', named.length === 1 ? named[0].id : null, [day]);
  }
};

/** `code member first..last`, in alphabetical order. */
export const bruteForce = (records: Records, question: Question): string[] => {
  const search = new Search(records, question);
  searchMissing(search);
  searchSheets(search);
  searchPending(search);
  searchBalances(search);
  searchExpenses(search);
  return search.found.sort();
};
