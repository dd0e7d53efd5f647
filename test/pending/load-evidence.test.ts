import { describe, expect, it } from 'vitest';
import type { Api } from '../../src/api/client.ts';
import { Lists } from '../../src/api/lists.ts';
import type { Row } from '../../src/api/page.ts';
import { EXIT, type ExitCode, Failure } from '../../src/outcome.ts';
import type { InboxContext } from '../../src/pending/inbox-context.ts';
import { toInboxItem } from '../../src/pending/item.ts';
import { createEvidenceLoader } from '../../src/pending/load-evidence.ts';
import type { RowList } from '../../src/pending/related.ts';

/** What is read around the things that wait: as few requests as can be. */

type Sources = Parameters<typeof createEvidenceLoader>[0];

/** A service that counts. @param fails whether the nth list is refused */
const service = (
  rows: Readonly<Record<string, readonly Row[]>> = {},
  fails = (_n: number) => false,
  exit: ExitCode = EXIT.tryLater,
) => {
  const asked: string[] = [];
  const list = (noun: string) => (filter: Readonly<Record<string, unknown>>) => ({
    operation: { id: noun },
    values: filter,
    async *pages() {
      asked.push([noun, ...Object.values(filter)].join(' '));
      if (fails(asked.length)) throw new Failure('Not for you.', { code: 'failed', exit });
      yield { rows: rows[noun] ?? [], total: rows[noun]?.length ?? 0 };
    },
  });
  const names = { load: async () => {}, of: () => 'Bo Ek', record: () => undefined };
  const api = {
    timesheets: { list: list('timesheets') },
    timeRequests: { list: list('time-requests') },
    leaves: { list: list('leaves') },
  };
  const lists = new Lists(api as unknown as Api, () => 0);
  return { asked, sources: { api, lists, names: { member: names } } as unknown as Sources };
};

const inboxContext = (leavesOfEverybody?: RowList): InboxContext => ({
  unchecked: [],
  findUnchecked: () => undefined,
  findUnreadable: () => undefined,
  leavesOfEverybody,
  contractsOf: () => ({ rows: [] }),
  balanceProblemOf: () => undefined,
  memberOf: () => undefined,
  of: () => ({
    today: '2026-11-20',
    waiting: [],
    approved: [],
    weeklyLimit: undefined,
    member: undefined,
    policy: undefined,
    balance: undefined,
  }),
});

const sheets = (from: string, to: string, count = 3) =>
  Array.from({ length: count }, (_, n) =>
    toInboxItem('timesheet', {
      id: `${from}${n}`,
      user_id: n,
      date_from: from,
      date_to: to,
      total_hours: 38,
    }),
  );
const leave = (id: number, from: string, to: string) =>
  toInboxItem('leave', { id, user_id: id, start_date: from, end_date: to });
const { signal } = new AbortController();

describe('the evidence', () => {
  it('of many timesheets of one month takes two lists, whoever they are of', async () => {
    const items = [
      ...sheets('2026-11-09', '2026-11-15', 40),
      ...sheets('2026-11-02', '2026-11-08', 40),
      toInboxItem('time-request', {
        id: 'r',
        user_id: 1,
        start: '2026-11-12T09:00:00Z',
        end: '2026-11-12T10:00:00Z',
      }),
    ];
    const { asked, sources } = service();
    const load = createEvidenceLoader(sources, items, inboxContext());
    for (const item of items) await load(item, signal);
    expect(asked).toEqual([
      'timesheets 2026-09-21 2026-11-15',
      'time-requests approved 2026-11-02 2026-11-15',
    ]);
  });

  it('of a time request alone takes one', async () => {
    const items = [
      toInboxItem('time-request', {
        id: 'r',
        user_id: 1,
        start: '2026-11-12T09:00:00Z',
        end: '2026-11-12T10:00:00Z',
      }),
    ];
    const { asked, sources } = service();
    for (const item of items) await createEvidenceLoader(sources, items, inboxContext())(item, signal);
    expect(asked).toHaveLength(1);
  });

  it('of what lies months apart is read only when it is looked at', async () => {
    const items = [...sheets('2026-01-05', '2026-01-11'), ...sheets('2026-11-09', '2026-11-15')];
    const { asked, sources } = service();
    const load = createEvidenceLoader(sources, items, inboxContext());
    await Promise.all(items.slice(0, 3).map((item) => load(item, signal)));
    expect(asked).toHaveLength(2);
    for (const item of items) await load(item, signal);
    expect(asked).toHaveLength(4);
  });

  it('of leaves takes one list, and none where the warnings have read it', async () => {
    const items = [leave(1, '2026-12-07', '2026-12-11'), leave(2, '2026-12-23', '2026-12-30')];
    const away = { user_id: 9, start_date: '2026-12-08', end_date: '2026-12-08', status: 'approved' };
    const first = service({ leaves: [away] });
    const load = createEvidenceLoader(first.sources, items, inboxContext());
    const shown = await Promise.all(items.map((item) => load(item, signal)));
    expect(first.asked).toEqual(['leaves approved 2026-12-07 2026-12-30']);
    const second = service();
    const known = createEvidenceLoader(second.sources, items, inboxContext({ rows: [away] }));
    expect(await Promise.all(items.map((item) => known(item, signal)))).toEqual(shown);
    expect(second.asked).toEqual([]);
    expect(JSON.stringify(shown[0])).toContain('Bo Ek Dec 8');
    expect(JSON.stringify(shown[1])).toContain('nobody');
  });

  it('says why it is missing, and the next item asks again', async () => {
    const items = sheets('2026-11-09', '2026-11-15');
    const { asked, sources } = service({}, (n) => n <= 2);
    const load = createEvidenceLoader(sources, items, inboxContext());
    const [first, second] = [items[0], items[1]].map((item) => item && load(item, signal));
    expect(JSON.stringify(await first)).toContain('timesheets could not be read: Not for you');
    await second;
    expect(asked).toHaveLength(2);
    expect(JSON.stringify(await load(items[2] ?? leave(1, '', ''), signal))).not.toContain('Not for you');
    expect(asked).toHaveLength(4);
  });

  it('that may not be read is not asked for again', async () => {
    const items = sheets('2026-11-09', '2026-11-15');
    const { asked, sources } = service({}, () => true, EXIT.forbidden);
    const load = createEvidenceLoader(sources, items, inboxContext());
    for (const item of items) expect(JSON.stringify(await load(item, signal))).toContain('Not for you');
    expect(asked).toHaveLength(2);
  });

  it('goes on where it was given up half-way', async () => {
    const items = sheets('2026-11-09', '2026-11-15', 1);
    const { asked, sources } = service({
      timesheets: [
        {
          id: 'x',
          user_id: 0,
          date_from: '2026-11-02',
          date_to: '2026-11-08',
          total_hours: 30,
          status: 'approved',
        },
      ],
    });
    const load = createEvidenceLoader(sources, items, inboxContext());
    const given = new AbortController();
    given.abort();
    for (const item of items) await load(item, given.signal);
    const [again] = await Promise.all(items.map((item) => load(item, signal)));
    expect(asked).toHaveLength(2);
    expect(JSON.stringify(again)).toContain('30:00');
  });
});
