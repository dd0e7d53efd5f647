import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import type { Outcome } from '../support/in-process.ts';
import { type Answer, envelope, onePage, type Recorded } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** A service that says yes is believed; only rates, which are dropped without a word, are looked up (R2). */

const t = useCli({ env: { TTCTL_MAX_WAIT: '0' }, clock: quickClock });

const reads = ({ line }: Recorded): boolean => line.startsWith('GET');
const ok = (data: unknown): Answer => ({ body: envelope(data) });
const errorOf = ({ stderr }: Outcome) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error;

/** Runs a command against a service that answers each write so, and each read after it with this record. */
const attempt = async (command: string, answer: Answer, record?: object) => {
  let isWritten = false;
  t.answer = (request) => {
    if (/^GET \/\w+\/\d+\?/.test(request.line)) return ok(record ?? null);
    if (reads(request)) return { body: onePage(isWritten && record !== undefined ? [record] : []) };
    isWritten = true;
    return answer;
  };
  const ended = await t.run(`${command} --json`);
  const lines = t.lines();
  return { ...ended, after: lines.slice(lines.findIndex((line) => !line.startsWith('GET')) + 1) };
};

const UPDATE = 'members update 17 --weekly-hours-limit 32 --no-history';
const HOME = 'tasks create --project 5 --title Home';

it.each([
  [UPDATE, null],
  [UPDATE, { id: 99, weekly_hours_limit: 3 }],
  [HOME, null],
  [HOME, { id: 99, weekly_hours_limit: 3 }],
])(
  'a yes is done, whatever a later read shows, and nothing is read after it: %s, %j',
  async (command, data) => {
    const stale = { id: 17, project_id: 5, weekly_hours_limit: 40, title: 'Away' };
    const ended = await attempt(command, ok(data), stale);
    expect([ended.exit, ended.after], ended.stderr).toEqual([0, []]);
  },
);

it('a read that is answered with nothing is exit 7', async () => {
  t.answer = () => ({ body: '' });
  for (const line of ['members list', 'members get 17']) expect((await t.run(line)).exit).toBe(7);
});

describe('another value in the answer is a warning', () => {
  it.each<[string, object, string]>([
    [UPDATE, { id: 17, weekly_hours_limit: 30 }, 'weekly_hours_limit: sent 32, the record shows 30'],
    [
      'members update 17 --role team-manager',
      { id: 17, current_role: 'Regular User' },
      'role: sent Team manager',
    ],
    [
      'members update 17 --rate-status hidden',
      { id: 17, rate_status: 1 },
      'sent hidden, the record shows visible',
    ],
    ['timesheets reject t1 --reason Late --yes', { id: 't1', reject_reason: 'late' }, 'reason: sent Late'],
    ['projects update 5 --name Pier', { id: 5, name: 'pier' }, 'name: sent Pier, the record shows pier'],
    [`projects update 5 --notes ${'n'.repeat(5000)}`, { id: 5, notes: 'm' }, `sent ${'n'.repeat(39)}…,`],
  ])('%s', async (command, data, text) => {
    const ended = await attempt(command, ok(data), { id: 17, rate_status: 1 });
    expect(ended.exit, ended.stderr).toBe(0);
    const [result] = [JSON.parse(ended.stdout)].flat();
    expect(result).toMatchObject({ status: 'done', warnings: ['differs'] });
    expect(result.warning_messages[0]).toContain(text);
    expect(ended.after).toEqual([]);
  });

  it('on stderr where the answer is the record itself', async () => {
    const ended = await attempt(HOME, ok({ id: 55, title: 'HOME' }));
    expect([ended.exit, JSON.parse(ended.stdout)]).toEqual([0, { id: 55, title: 'HOME' }]);
    expect(ended.stderr).toBe('warning: title: sent Home, the record shows HOME\n');
  });

  it.each<[string, object]>([
    [
      'members update 17 --role team-manager --email ANA@x.example',
      { id: 17, current_role: 'Team Manager', email: 'ana@x.example' },
    ],
    [
      'projects update 5 --budget 31000 --deadline 2026-12-18',
      { id: 5, budget_estimation: '31000.00', deadline: 'Dec 18, 2026' },
    ],
    [
      'members invite a@b.example --firstname Ana --lastname Oka --role team-manager',
      { user_id: 31, firstname: 'Anna' },
    ],
    ['viewers invite eve@c.example --firstname Eve --lastname Oka', { id: 31, firstname: 'Eva' }],
    [
      'expenses create --name Train --date 2026-11-20 --amount 48.60 --category 4',
      { id: 'e1', category: 'Food', amount: '48.6' },
    ],
  ])('but not where it means the same: %s', async (command, data) => {
    const ended = await attempt(command, ok(data));
    expect([ended.exit, ended.stderr]).toEqual([0, '']);
    expect(ended.stdout).not.toContain('differs');
  });
});

describe('an answer that shows another state than was asked for is failed', () => {
  it.each<[string, object]>([
    ['timesheets approve t1 --yes', { id: 't1', status: 'rejected' }],
    ['timesheets submit t1', { id: 't1', status: 'open' }],
    ['leaves reject t1 --reason x --yes', { id: 't1', status: 'pending' }],
    ['time-requests approve t1 --yes', { id: 't1', status: 'rejected' }],
    ['members archive 17 --yes', { id: 17, deleted_at: null }],
    ['members restore 17', { id: 17, deleted_at: '2026-11-20' }],
    ['viewers archive 17 --yes', { id: 17, status: 'active' }],
    ['expenses delete 9a --yes', { id: '9a', deleted_at: null }],
    ['tasks assign 17 --project 5 --member 15', { id: 17, assignees: [] }],
    ['viewers assign 17 --project 5', { id: 17, projects: [] }],
  ])('%s', async (command, data) => {
    const ended = await attempt(command, ok(data));
    expect([ended.exit, errorOf(ended)]).toMatchObject([6, { code: 'not_saved' }]);
    expect([JSON.parse(ended.stdout)].flat()).toMatchObject([{ status: 'failed' }]);
    expect(ended.after).toEqual([]);
  });
});

const CONTRACT = 'contracts create --project 5 --member 12 --rate 75.5';
const row = { id: 40, project_id: 5, user_id: 12 };

describe('a rate is done when the record shows it', () => {
  it.each<[string, unknown, object, requests: number]>([
    ['contracts update 40 --rate 999 --no-history', { id: 40, rate: '999.00' }, { id: 40, rate: 75 }, 0],
    ['contracts update 40 --rate 999 --no-history', null, { id: 40, rate: '999.00' }, 1],
    [CONTRACT, { ...row, rate: 75.5 }, row, 0],
    [CONTRACT, row, { ...row, rate: '75.50' }, 1],
  ])('%s %j', async (command, data, record, requests) => {
    const ended = await attempt(command, ok(data), record);
    expect([ended.exit, ended.after.length], ended.stderr).toEqual([0, requests]);
  });

  it.each<[string, unknown, object, string]>([
    ['contracts update 40 --rate 999', null, { id: 40, rate: 75 }, 'rate: sent 999, the record shows 75'],
    ['contracts update 40 --rate 999', { id: 40, rate: 75 }, { id: 40, rate: 75 }, 'the record shows 75'],
    ['contracts update 40 --rate 999', null, { id: 40 }, 'the record does not show it'],
    ['contracts update 40 --rate 999', null, { id: 40, rate: null }, 'the record shows none'],
    ['contracts update 40 --rate 999', null, { id: 40, rate: 75, rate_type: 2 }, 'the record shows 75'],
    [CONTRACT, row, row, 'the record does not show it'],
  ])('else failed, not_saved, exit 6: %s %j %j', async (command, data, record, reason) => {
    const ended = await attempt(command, ok(data), record);
    expect([ended.exit, errorOf(ended)]).toMatchObject([6, { code: 'not_saved', fields: ['rate'] }]);
    expect(errorOf(ended).reason).toContain(reason);
    expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'failed', data: record });
    if (command !== CONTRACT) return;
    expect(errorOf(ended)).toMatchObject({
      created: '40',
      message: expect.stringContaining('created with the id 40, but '),
      hint: expect.stringContaining('Do not create it again'),
    });
  });

  it('is done with a warning where it cannot be looked up', async () => {
    t.answer = (asked) => (reads(asked) ? { status: 500 } : ok(null));
    const result = await t.json('contracts update 40 --rate 999');
    expect(result).toMatchObject({ status: 'done', warnings: ['not_checked'] });
  });

  it('of a lost answer too', async () => {
    const ended = await attempt(CONTRACT, { cut: true }, { ...row, rate: null });
    expect([ended.exit, errorOf(ended)]).toMatchObject([6, { code: 'not_saved', created: '40' }]);
  });

  it('is looked at by list pages at the end of a run, and once more where it differs', async () => {
    const rates = new Map<number, number>();
    let looks = 0;
    t.answer = ({ line, body }) => {
      const [, id] = /contracts\/(\d+)/.exec(line) ?? [];
      const isSaved = () => looks > 1;
      const show = (one: number) => ({ id: one, rate: isSaved() ? rates.get(one) : 60 });
      if (!line.startsWith('GET')) {
        rates.set(Number(id), (body as { rate: number }).rate);
        return ok(null);
      }
      if (rates.size === 4) looks += 1;
      if (id !== undefined) return ok(show(Number(id)));
      return { body: onePage([40, 41, 42, 43].map(show)) };
    };
    const file = t.file('rates.csv', 'id,rate\n40,75\n41,76\n42,77\n43,78\n');
    await t.read(`contracts update --from-file ${file} --yes --json`);
    const lines = t.lines();
    const after = lines.slice(lines.findLastIndex((one) => one.startsWith('PUT')) + 1);
    expect(after.map((one) => one.replace(/\?.*/, ''))).toEqual(['GET /contracts', 'GET /contracts']);
  });

  it('a record that was made without it is in no file that is fed back', async () => {
    const rows: object[] = [];
    t.answer = (asked) => {
      const [, id] = /^GET \/contracts\/(\d+)/.exec(asked.line) ?? [];
      if (id !== undefined) return ok(rows[Number(id) - 40]);
      if (reads(asked)) return { body: onePage(rows) };
      const { user_id } = asked.body as typeof row;
      if (user_id === 13) return { status: 422, body: { success: false, message: 'No.', meta: {} } };
      rows.push({ id: 40 + rows.length, project_id: 5, user_id });
      return ok(rows.at(-1));
    };
    const file = t.file('contracts.csv', 'project,member,rate\n5,12,75\n5,13,\n5,14,80\n');
    const ended = await t.run(`contracts create --from-file ${file} --yes --json`);
    const { failed_file: failed, hint, job } = errorOf(ended);
    expect(readFileSync(String(failed), 'utf8')).toBe('project,member,rate,error\r\n5,13,,No.\r\n');
    expect(hint).toContain('Some records were created with some fields missing. Do not create them again');
    await t.run(`jobs resume ${job} --json`);
    expect(rows).toHaveLength(2);
  });
});
