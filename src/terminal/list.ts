import type { Page } from '../api/page.ts';
import type { ListView } from '../context.ts';
import { writeAnswer } from './answer.ts';
import { humanColumns, isForPeople, withDerived } from './columns.ts';
import type { Desk } from './desk.ts';
import { watchFields } from './fields.ts';
import { openWriter } from './formats/open.ts';
import type { RowWriter } from './formats/row-writer.ts';
import type { SortKey } from './sort.ts';

const shortNote = (count: number, total: number | undefined): string =>
  total === undefined ? `${count} shown; the list goes on` : `${count} of ${total} shown`;

/** Loaded only for a list that is sorted. */
const inOrder = async (pages: AsyncIterable<Page>, sort: readonly SortKey[]): Promise<AsyncIterable<Page>> =>
  sort.length === 0 ? pages : (await import('./sort.ts')).sortedPages(pages, sort);

const writePages = async (desk: Desk, pages: AsyncIterable<Page>, view: ListView): Promise<void> => {
  const { columns = [], sort = [], format } = desk.options;
  const watch = watchFields(
    [...columns, ...sort.map((key) => key.field)],
    view.columns.filter(({ kind }) => kind !== 'bar').map(({ field }) => field),
  );
  const writer: RowWriter = await openWriter(format, desk.context(view));
  const loads = isForPeople(format)
    ? humanColumns(view.columns, desk.options.columns).flatMap(({ load }) => load ?? [])
    : [];
  let count = 0;
  let last: Page | undefined;
  for await (const page of await inOrder(pages, sort)) {
    watch.see(page.rows);
    count += page.rows.length;
    last = { ...page, total: page.total ?? last?.total };
    if (page.rows.length > 0) await Promise.all(loads.map((load) => load(page.rows)));
    await writer.rows(page.rows);
  }
  await writer.end();
  const complaint = watch.complaint();
  if (complaint !== undefined) desk.note(complaint);
  if (count === 0 && isForPeople(format)) desk.note(view.none ?? `no ${view.noun} found`);
  else if (last?.shortened === true) desk.note(shortNote(count, last.total));
};

const writeRows = async (desk: Desk, pages: AsyncIterable<Page>, view: ListView): Promise<void> => {
  if (desk.query === undefined) return writePages(desk, pages, view);
  const { sort = [] } = desk.options;
  const { onePage } = await import('./sort.ts');
  const page = await onePage(await inOrder(pages, sort));
  await writeAnswer(desk, desk.query(page.rows));
  if (page.shortened === true) desk.note(shortNote(page.rows.length, page.total));
};

const writeWhole = async (desk: Desk, pages: AsyncIterable<Page>, view: ListView): Promise<void> => {
  const { grouping, columns = [], sort = [] } = desk.options;
  const { by, sums } = grouping ?? { by: [], sums: [] };
  const names = [...columns, ...sort.map(({ field }) => field), ...by, ...sums];
  const whole = withDerived(pages, view, names);
  if (grouping === undefined) return writeRows(desk, whole, view);
  const { groupList } = await import('./group.ts');
  const groups = groupList(whole, view, grouping);
  await writeRows(desk, groups.pages, groups.view);
  groups.tell(desk);
};

/**
 * A list in the chosen format, or its groups; rows go out as the pages come where the format streams. A terminal is
 * told how far it has come.
 */
export const writeList = async (desk: Desk, pages: AsyncIterable<Page>, view: ListView): Promise<void> => {
  const { watch, progress, clock } = desk.options;
  if (watch === undefined || progress?.visible !== true) return writeWhole(desk, pages, view);
  const { openReading } = await import('./reading.ts');
  const reading = openReading(view.noun, clock);
  await watch.during(reading.words, () => writeWhole(desk, reading.counted(pages), view));
};
