import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import { atThisFileEnd } from '../support/folder.ts';
import type { Outcome } from '../support/in-process.ts';
import { type Answer, envelope, onePage, type Recorded, startRecorder } from '../support/service.ts';
import { answerFrom, ask, type Lists, useCli } from '../support/use-cli.ts';

/** Each cell of the table: what becomes of a write by its answer and by what looking for it shows (R1, R2, R4). */

const refusal = (status: number, meta = {}): Answer => ({
  status,
  body: { success: false, message: 'No.', meta },
});
const html: Answer = { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' };

/** Of a write alone: how it ends, and what its hint says; of a row: whether it is fed back, and what `jobs resume` does. */
interface Rule {
  readonly status: 'done' | 'unchanged' | 'failed' | 'unknown';
  readonly exits: readonly number[];
  readonly hint: RegExp;
  readonly isFedBack: boolean;
  readonly resume: 'nothing' | 'sends' | 'looks' | 'looks and sends';
}
const DONE: Rule = { status: 'done', exits: [0], hint: /^$/, isFedBack: false, resume: 'nothing' };
const WRONG: Rule = {
  status: 'failed',
  exits: [3, 4, 5, 6, 7],
  hint: /^/,
  isFedBack: true,
  resume: 'nothing',
};
const REFUSED = { ...WRONG, exits: [6] };
const ALREADY: Rule = { ...DONE, status: 'unchanged' };
const LATER: Rule = { ...WRONG, isFedBack: false, resume: 'sends' };
const OPEN: Rule = {
  ...{ status: 'unknown', exits: [7], isFedBack: false, resume: 'looks and sends' },
  hint: /only if it was not done: ttctl jobs resume \S+$/,
};
const CHECK = {
  ...OPEN,
  hint: /It may have been carried out: .* Check before sending it again: ttctl \S+ list/,
  resume: 'looks',
} as const;
const EXISTS = { ...REFUSED, hint: /Do not create it again/, isFedBack: false } as const;

type Kind = 'creation' | 'change';
type Shown = 'nothing' | 'done' | 'not done' | 'unclear' | 'unread' | 'interrupted';
/** `closed`: nobody listens. */
type Form = Answer | 'closed';
const BOTH = ['creation', 'change'] as const;
const SILENCE = [
  ...[{ cut: true }, { silent: true }, refusal(500), refusal(503), html, { ...html, status: 200 }],
  { body: '{"success": tr' },
] as const;
/** What is answered, in the forms that it takes on the wire; to what; what looking for it shows; what becomes of it. */
const CELLS: readonly (readonly [string, readonly Form[], readonly Kind[], Shown, Rule])[] = [
  [
    'accepted',
    [
      ...[{ body: envelope(null) }, { status: 201, body: envelope(null) }, { status: 202, body: '' }],
      ...[{ status: 204 }, { body: '' }, { body: {} }, { body: [] }, { body: { id: 't1' } }],
      { body: { success: true, data: null } },
      { body: envelope({ id: 'other', status: 'rejected' }) },
    ],
    ...([BOTH, 'nothing', DONE] as const),
  ],
  ['another state', [{ body: envelope({ id: 't1', status: 'rejected' }) }], ['change'], 'nothing', REFUSED],
  ['without the rate', [{ body: envelope({ id: 40, rate: 1 }) }], ['creation'], 'nothing', EXISTS],
  ['without the rate', [{ body: envelope({ id: 40, rate: 1 }) }], ['change'], 'nothing', REFUSED],
  ['refused', [400, 404, 409, 418, 422, 200].map((status) => refusal(status)), BOTH, 'nothing', WRONG],
  // What is not found is not there already.
  ['so already', [400, 409, 418, 422, 200].map((status) => refusal(status)), BOTH, 'done', ALREADY],
  [
    'not allowed',
    [refusal(401), refusal(403), refusal(403, { required_scope: ['write'] })],
    ...([BOTH, 'nothing', LATER] as const),
  ],
  ['rate limited', [refusal(429)], BOTH, 'nothing', LATER],
  ['not sent', ['closed'], BOTH, 'nothing', LATER],
  ['silence', SILENCE, BOTH, 'done', DONE],
  ['silence', SILENCE, BOTH, 'not done', OPEN],
  ['silence', SILENCE, BOTH, 'unclear', CHECK],
  ['silence', SILENCE, BOTH, 'unread', OPEN],
  ['silence', SILENCE, BOTH, 'interrupted', OPEN],
];
const toForms = ([answer, forms, kinds, shown, rule]: (typeof CELLS)[number]) =>
  kinds.flatMap((kind) =>
    forms.map((form) => {
      const title = `${answer} (${nameOf(form)}), of a ${kind}, ${shown} to be seen`;
      return [title, { answer, kind, shown, rule, form }] as const;
    }),
  );
function nameOf(form: Form): string {
  if (form === 'closed') return form;
  const { cut, silent, status = 200, body = '' } = form;
  return cut ? 'cut' : silent ? 'silent' : `${status} ${JSON.stringify(body).slice(0, 60)}`;
}
type Cell = ReturnType<typeof toForms>[number][1];

const t = useCli({ env: { TTCTL_MAX_WAIT: '0' }, clock: quickClock });

/** Two rows, the first of which is answered so: a line for both, one for the first, and its key. */
const linesOf = ({ answer, kind }: Cell) => {
  if (answer === 'without the rate') {
    if (kind === 'change') {
      const file = t.file('rates.csv', 'id,rate\n40,75\n41,75\n');
      return [`contracts update --from-file ${file} --yes`, 'contracts update 40 --rate 75', '40'] as const;
    }
    const file = t.file('contracts.csv', 'project,member,rate\n5,12,75\n5,13,75\n');
    const one = 'contracts create --project 5 --member 12 --rate 75';
    return [`contracts create --from-file ${file} --yes`, one, '12'] as const;
  }
  if (kind === 'change')
    return ['timesheets approve t1 t2 --yes', 'timesheets approve t1 --yes', 't1'] as const;
  const rows = 'Train,2026-11-20,48.60,4\nBus,2026-11-20,3,4\n';
  const file = t.file('expenses.csv', `name,date,amount,category\n${rows}`);
  const more = answer === 'so already' ? ' --if-missing' : '';
  const one = 'expenses create --name Train --date 2026-11-20 --amount 48.60 --category 4';
  return [`expenses create --from-file ${file} --yes${more}`, `${one}${more}`, 'Train'] as const;
};

/** The service of a cell. Its records are as the cell shows them until it is `well`. */
const meet = async (cell: Cell) => {
  const { answer, kind, shown, form } = cell;
  const [line, alone, first] = linesOf(cell);
  const [sent, applied]: [string[], string[]] = [[], answer.includes('already') ? [first] : []];
  const interrupt = new AbortController();
  let isWell = false;
  const isSent = () => sent.includes(first);
  const records = (): Lists => {
    const odd = shown === 'unclear' && isSent() ? 'odd' : 'submitted';
    const train = { amount: '48.6', expense_date: 'Nov 20, 2026' };
    return {
      expenses: applied.map((name, id) => ({ id, expense_name: name, ...train })),
      timesheets: ['t1', 't2'].map((id) => ({ id, status: applied.includes(id) ? 'approved' : odd })),
      contracts: kind === 'change' ? [40, 41].map((id) => ({ id, rate: id === 40 ? 1 : 60 })) : [],
    };
  };
  const read = (request: Recorded): Answer => {
    if (isWell) return answerFrom(records(), request);
    if (shown === 'unread' && isSent()) return { cut: true };
    // What was there before is not known.
    if (shown === 'unclear' && kind === 'creation' && !isSent()) return refusal(403);
    return answerFrom(records(), request);
  };
  t.answer = (request) => {
    if (request.line.startsWith('GET')) return read(request);
    const { expense_name: name, user_id: member } = Object(request.body);
    const key = String(name ?? member ?? /\/(t?\d+)/.exec(request.line)?.[1]);
    sent.push(key);
    const isOdd = key === first && !isWell;
    if (!isOdd || shown === 'done') applied.push(key);
    if (isOdd && shown === 'interrupted') interrupt.abort();
    if (isOdd && form !== 'closed') return form;
    return { body: envelope(answer === 'without the rate' ? { id: 41, rate: 75 } : null) };
  };
  if (form === 'closed') {
    const nobody = await startRecorder();
    await nobody.close();
    t.env['TTCTL_BASE_URL'] = nobody.baseUrl;
  }
  const run = (text: string) => {
    const timeout = form !== 'closed' && form.silent ? '15' : '500';
    const signal = isWell ? {} : { interrupted: interrupt.signal };
    return t.run(`${text} --json --timeout ${timeout}`, signal);
  };
  const heal = async () => {
    isWell = true;
    if (form !== 'closed') return;
    const service = await startRecorder(t.answer, Number(new URL(`${t.env['TTCTL_BASE_URL']}`).port));
    atThisFileEnd(() => service.close());
  };
  return { run, line, alone, first, sent, applied, heal };
};

const errorOf = ({ stderr }: Outcome) =>
  JSON.parse(stderr.trim().split('\n').at(-1) || '{}').error as Record<string, unknown>;

it.each(CELLS.flatMap(toForms))('in a run: %s', async (_title, cell) => {
  const { answer, kind, rule } = cell;
  const { run, line, first, sent, applied, heal } = await meet(cell);
  const ended = await run(line);
  expect(JSON.parse(ended.stdout)[0].status, ended.stderr).toBe(rule.status);
  if (answer === 'silence') expect(ended.stdout + ended.stderr).not.toMatch(/safe to send|try again/i);
  const file = ended.exit === 0 ? undefined : errorOf(ended)['failed_file'];
  expect(existsSync(String(file))).toBe(rule.isFedBack);
  if (rule.isFedBack) expect(readFileSync(String(file), 'utf8').split('\r\n')).toHaveLength(3);
  const isSkipped = answer === 'not sent' || (answer.includes('already') && kind === 'creation');
  expect(sent.filter((key) => key === first)).toHaveLength(isSkipped ? 0 : 1);
  if (ended.exit === 0) return expect(rule.resume).toBe('nothing');
  // What was done all the same is only found; of what nobody can tell nothing is sent.
  const [job] = await t.json('jobs list');
  await heal();
  const before = sent.length;
  const further = await run(`jobs resume ${job.id}`);
  expect(sent.slice(before).includes(first), further.stderr).toBe(rule.resume.includes('send'));
  expect(sent.filter((key) => key === first).length).toBeLessThanOrEqual(2);
  if (kind === 'creation' && answer === 'silence')
    expect(applied.filter((key) => key === first).length).toBeLessThan(2);
});

it.each(CELLS.flatMap(toForms).filter(([, { shown }]) => shown !== 'interrupted'))(
  'alone: %s',
  async (_title, cell) => {
    const { run, alone } = await meet(cell);
    const ended = await run(alone);
    expect(cell.rule.exits, ended.stderr).toContain(ended.exit);
    expect(ended.exit === 0 ? '' : (errorOf(ended)['hint'] ?? '')).toMatch(cell.rule.hint);
    if (cell.rule.status !== 'unknown') return;
    expect([JSON.parse(ended.stdout)].flat()).toMatchObject([{ status: 'unknown' }]);
  },
);

/** Without a history nothing could be gone on with: how to look by hand is said. */
const tell = (line: string, write: Answer, read: Answer, more = '--no-history') =>
  ask(`${line} ${more}`, ({ line: sent }) => (sent.startsWith('GET') ? read : write), { clock: quickClock });

const [failing, welcome] = [refusal(500), { ...html, status: 200 }];
const APPROVE = 'timesheets approve a1 --yes';

describe('a write of which nobody knows', () => {
  it.each([
    [APPROVE, failing, 'timesheets list --id a1'],
    [APPROVE, welcome, 'timesheets list --id a1'],
    ["timesheets approve 'a 1; x' --yes", failing, "timesheets list --id 'a 1; x'"],
    ['expenses delete e1 --yes', failing, 'expenses list --id e1'],
    ['members restore 17', failing, 'members get 17'],
    ['viewers assign 17 --project 5', failing, 'viewers get 17'],
    ['tasks assign 3 --project 5 --member 17', failing, 'tasks assignees 3 --project 5'],
  ])('%s: how to look is said where the look-up failed too', async (line, answer, look) => {
    const { stderr, exit, stdout } = await tell(line, answer, answer);
    expect([exit, stdout]).toEqual([7, expect.stringContaining('unknown')]);
    expect(stderr).toContain(
      `\nhint: It may have been carried out: the records could not be read either. Check before sending it again: ttctl ${look}\n`,
    );
  });

  it('tells it in JSON too, with the result', async () => {
    const { stderr, stdout } = await tell(APPROVE, failing, failing, '--json');
    const hint = expect.stringContaining('send it only if it was not done: ttctl jobs resume ');
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'unknown', error: { hint } }]);
    expect(JSON.parse(stderr).error).toMatchObject({ exit: 7, hint });
  });

  it('is told once of many, in one line, and of a raw write as well', async () => {
    const { stdout, exit } = await tell('timesheets approve a1 a2 --yes', failing, failing);
    expect([exit, stdout.match(/Check before/g)?.length, stdout.includes('\\n')]).toEqual([7, 1, false]);
    for (const answer of [failing, welcome, { cut: true } as const]) {
      const { stderr } = await tell('api PUT /members/17 --field firstname=Ana', answer, failing, '');
      expect(stderr).toContain(
        '\nhint: It is not known whether the request was carried out: check before sending it again.\n',
      );
    }
  });
});

it('tells nothing of a look-up for a refusal, or a read', async () => {
  const sheet = { body: onePage([{ id: 'a1', status: 'open' }]) };
  expect((await tell(APPROVE, refusal(422), sheet)).stderr).not.toMatch(/records|carried out/);
  expect((await tell('members list', failing, failing, '--max-wait 0')).stderr).not.toContain('carried out');
});

it('gives no advice about pages for the answer to a write that is too large', async () => {
  const huge: Answer = { body: ' '.repeat(65 * 1024 * 1024) };
  // However long so much takes to come: the clock of these tests is a hundred times faster than the machine.
  const { stderr } = await tell(APPROVE, huge, { body: onePage([]) }, '--timeout 100000');
  expect(stderr).toContain('is too large');
  expect(stderr).not.toContain('--per-page');
});
