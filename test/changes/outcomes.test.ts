import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';
import {
  type Answer,
  envelope,
  onePage,
  type Recorded,
  type Recorder,
  serviceEnv,
  startRecorder,
} from '../support/service.ts';
import { ask } from '../support/use-cli.ts';

/** Each cell of the table: what becomes of a write by its answer and by what looking for it shows (R1, R2, R4). */

type Shown = 'none' | 'alike' | 'done' | 'not-done' | 'unclear' | 'unread' | 'interrupted';
/** `creation`: a second one would make a second record. */
type WriteKind = 'creation' | 'change';
interface OutcomeRule {
  readonly status: 'done' | 'unchanged' | 'failed' | 'unknown';
  /** Of a write alone. `own`: the failure's. */
  readonly exit: 0 | 6 | 7 | 'own';
  readonly hint: 'none' | 'own' | 'exists' | 'resume' | 'check';
  readonly fedBack: boolean;
  /** What `jobs resume` does: `look` waits for the rest of `settle`, looks, and sends what is shown not done. */
  readonly resume: 'nothing' | 'send' | 'look';
}

const DONE: OutcomeRule = { status: 'done', exit: 0, hint: 'none', fedBack: false, resume: 'nothing' };
const ALIKE: OutcomeRule = { ...DONE, status: 'unchanged' };
const WRONG: OutcomeRule = { status: 'failed', exit: 'own', hint: 'own', fedBack: true, resume: 'nothing' };
const LATER: OutcomeRule = { ...WRONG, fedBack: false, resume: 'send' };
const OPEN: OutcomeRule = { status: 'unknown', exit: 7, hint: 'resume', fedBack: false, resume: 'look' };
const SILENCE = {
  ...{ done: DONE, 'not-done': OPEN, unclear: { ...OPEN, hint: 'check' }, unread: OPEN, interrupted: OPEN },
} as const;
const OUTCOMES = {
  accepted: { creation: { none: DONE }, change: { none: DONE } },
  other_state: { change: { none: { ...WRONG, exit: 6 } } },
  rate_dropped: {
    creation: { none: { ...WRONG, exit: 6, hint: 'exists', fedBack: false } },
    change: { none: { ...WRONG, exit: 6 } },
  },
  refused: { creation: { none: WRONG, alike: ALIKE }, change: { none: WRONG, alike: ALIKE } },
  not_allowed: { creation: { none: LATER }, change: { none: LATER } },
  rate_limited: { creation: { none: LATER }, change: { none: LATER } },
  not_sent: { creation: { none: LATER }, change: { none: LATER } },
  silence: { creation: SILENCE, change: SILENCE },
} as const;

const folder = makeFolder();
let recorder: Recorder | undefined;
afterEach(async () => {
  await recorder?.close();
  recorder = undefined;
});

const refusal = (status: number, meta = {}): Answer => ({
  status,
  body: { success: false, message: 'No.', meta },
});
const html: Answer = { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' };

/** The forms that an answer takes on the wire. `closed`: nobody listens. */
const ANSWERS: Readonly<Record<keyof typeof OUTCOMES, readonly (Answer | 'closed')[]>> = {
  accepted: [
    ...[{ body: envelope(null) }, { status: 201, body: envelope(null) }, { status: 202, body: '' }],
    ...[{ status: 204 }, { body: '' }, { body: {} }, { body: [] }, { body: { id: 't1' } }],
    { body: envelope({ id: 'other', status: 'rejected' }) },
  ],
  other_state: [{ body: envelope({ id: 't1', status: 'rejected' }) }],
  rate_dropped: [{ body: envelope({ id: 40, rate: 1 }) }],
  refused: [400, 404, 409, 418, 422, 200].map((status) => refusal(status)),
  not_allowed: [refusal(401), refusal(403), refusal(403, { required_scope: ['write'] })],
  rate_limited: [refusal(429)],
  not_sent: ['closed'],
  silence: [
    { cut: true },
    { silent: true },
    refusal(500),
    refusal(503),
    html,
    { ...html, status: 200 },
    { body: '{"success": tr' },
  ],
};

/** One row whose answer is that of the cell, and one that goes well; each by its key. */
const WRITES: Readonly<
  Record<WriteKind, { readonly run: string; readonly one: string; readonly first: string }>
> = {
  creation: {
    run: `expenses create --from-file ${join(folder, 'expenses.csv')}`,
    one: 'expenses create --name Train --date 2026-11-20 --amount 48.60 --category 4',
    first: 'Train',
  },
  change: { run: 'timesheets approve t1 t2', one: 'timesheets approve t1', first: 't1' },
};
const RATES: typeof WRITES = {
  creation: {
    run: `contracts create --from-file ${join(folder, 'contracts.csv')}`,
    one: 'contracts create --project 5 --member 12 --rate 75',
    first: '12',
  },
  change: {
    run: `contracts update --from-file ${join(folder, 'rates.csv')}`,
    one: 'contracts update 40 --rate 75',
    first: '40',
  },
};
writeFileSync(
  join(folder, 'expenses.csv'),
  'name,date,amount,category\nTrain,2026-11-20,48.60,4\nBus,2026-11-20,3,4\n',
);
writeFileSync(join(folder, 'contracts.csv'), 'project,member,rate\n5,12,75\n5,13,75\n');
writeFileSync(join(folder, 'rates.csv'), 'id,rate\n40,75\n41,75\n');

interface Cell {
  readonly answer: keyof typeof OUTCOMES;
  readonly effect: WriteKind;
  readonly shown: Shown;
  readonly rule: OutcomeRule;
}
const CELLS: readonly Cell[] = Object.entries(OUTCOMES).flatMap(([answer, effects]) =>
  Object.entries(effects).flatMap(([effect, rules]) =>
    Object.entries(rules).map(([shown, rule]) => ({ answer, effect, shown, rule }) as Cell),
  ),
);

/** A service in which the first write of a cell is answered so, with the records as that cell has them. */
const world = async ({ answer, effect, shown }: Cell, form: Answer | 'closed') => {
  const { first } = (answer === 'rate_dropped' ? RATES : WRITES)[effect];
  const expenses: { id: string; expense_name: string; amount: string; expense_date: string }[] = [];
  const approved = new Set<string>();
  const sent: string[] = [];
  const interrupt = new AbortController();
  let healthy = false;
  const add = (name: string) =>
    expenses.push({
      id: `e${expenses.length}`,
      expense_name: name,
      amount: name === 'Train' ? '48.6' : '3',
      expense_date: 'Nov 20, 2026',
    });
  const apply = (key: string) => (effect === 'creation' ? add(key) : approved.add(key));
  if (shown === 'alike') apply(first);
  const read = (line: string): Answer => {
    const isSent = sent.includes(first);
    if (!healthy && shown === 'unread' && isSent) return { cut: true };
    // What was there before is not known.
    if (!healthy && shown === 'unclear' && effect === 'creation' && !isSent) return refusal(403);
    if (/^GET \/contracts\/4\d/.test(line))
      return { body: envelope({ id: Number(line.slice(15, 17)), rate: line.includes('/40') ? 1 : 60 }) };
    if (!line.startsWith('GET /timesheets'))
      return { body: onePage(line.startsWith('GET /expenses?') ? expenses : []) };
    const odd = shown === 'unclear' && isSent;
    const rows = ['t1', 't2'].map((id) => ({
      id,
      status: approved.has(id) ? 'approved' : odd ? 'odd' : 'submitted',
    }));
    return { body: onePage(rows) };
  };
  const answerTo = ({ line, body }: Recorded): Answer => {
    if (line.startsWith('GET')) return read(line);
    const values = body as { expense_name?: string; user_id?: number };
    const key =
      values.expense_name ??
      (line.startsWith('POST') ? String(values.user_id) : (/\/(t?\d+)/.exec(line)?.[1] ?? ''));
    sent.push(key);
    const isFirst = key === first && !healthy;
    if (!isFirst || shown === 'done') apply(key);
    if (isFirst && shown === 'interrupted') interrupt.abort();
    if (isFirst && form !== 'closed') return form;
    return { body: envelope(answer === 'rate_dropped' ? { id: 41, rate: 75 } : null) };
  };
  const service = await startRecorder(answerTo);
  recorder = service;
  if (form === 'closed') await service.close();
  const state = mkdtempSync(join(folder, 'state-'));
  const env = serviceEnv(service, { TTCTL_STATE_DIR: state, TTCTL_MAX_WAIT: '0', TTCTL_SETTLE: '0' });
  const run = (line: string) => {
    const interrupted = healthy ? {} : { interrupted: interrupt.signal };
    const timeout = form !== 'closed' && form.silent ? '15' : '500';
    return runInProcess([...words(line), '--timeout', timeout], {
      env,
      machine: { clock: quickClock },
      ...interrupted,
    });
  };
  /** The service is there again, and well. */
  const heal = async () => {
    healthy = true;
    if (form !== 'closed') return;
    const port = Number(new URL(service.baseUrl).port);
    recorder = await startRecorder(answerTo, port);
  };
  return {
    run,
    heal,
    first,
    sent,
    service,
    applied: () => (effect === 'creation' ? expenses.map((one) => one.expense_name) : [...approved]),
  };
};

type World = Awaited<ReturnType<typeof world>>;

const errorOf = (stderr: string) =>
  JSON.parse(stderr.trim().split('\n').at(-1) ?? '{}').error as Record<string, unknown>;
const nameOf = ({ cut, silent, status = 200, body }: Exclude<Answer, string>) =>
  cut ? 'cut' : silent ? 'silent' : `${status} ${JSON.stringify(body ?? '').slice(0, 60)}`;
/** What is not found is not there already. */
const formsOf = ({ answer, shown }: Cell) =>
  ANSWERS[answer].filter((form) => shown !== 'alike' || (form as { status?: number }).status !== 404);
const FORMS = CELLS.flatMap((cell) =>
  formsOf(cell).map((form): [string, Cell, Answer | 'closed'] => [
    `${cell.answer}, ${cell.effect}, ${cell.shown}: ${form === 'closed' ? form : nameOf(form)}`,
    cell,
    form,
  ]),
);

describe('a write of a run', () => {
  it.each(FORMS)('%s', async (_name, cell, form) => {
    const { answer, effect, shown, rule } = cell;
    const { run: line } = (answer === 'rate_dropped' ? RATES : WRITES)[effect];
    const service = await world(cell, form);
    const { run, sent, first } = service;
    const isAlike = shown === 'alike' && effect === 'creation' ? ' --if-missing' : '';
    const ended = await run(`${line} --yes --json${isAlike}`);
    const [result] = JSON.parse(ended.stdout) as { status: string; error?: { hint?: string } }[];
    expect(result?.status, ended.stderr).toBe(rule.status);
    if (answer === 'silence') expect(ended.stdout + ended.stderr).not.toMatch(/safe to send|try again/i);
    const error = ended.exit === 0 ? {} : errorOf(ended.stderr);
    expect([ended.exit, existsSync(String(error.failed_file))]).toEqual([expect.any(Number), rule.fedBack]);
    if (rule.fedBack) expect(readFileSync(String(error.failed_file), 'utf8').split('\r\n')).toHaveLength(3);
    expect(sent.filter((key) => key === first)).toHaveLength(form === 'closed' || isAlike !== '' ? 0 : 1);
    if (ended.exit === 0) return expect(rule.resume).toBe('nothing');
    return checkResume(cell, service);
  });

  /** What was done all the same is only found; of what nobody can tell nothing is sent. */
  const checkResume = async (
    { answer, effect, shown, rule }: Cell,
    { run, heal, sent, applied, first }: World,
  ) => {
    const [job] = JSON.parse((await run('jobs list --json')).stdout) as { id: string }[];
    await heal();
    const before = sent.length;
    const further = await run(`jobs resume ${job?.id} --json`);
    const isSentAgain = rule.resume === 'send' || (rule.resume === 'look' && shown !== 'unclear');
    expect(sent.slice(before).includes(first), further.stderr).toBe(isSentAgain);
    expect(sent.filter((key) => key === first).length).toBeLessThanOrEqual(2);
    if (effect === 'creation' && answer === 'silence')
      expect(applied().filter((key) => key === first).length).toBeLessThan(2);
  };
});

describe('a write alone', () => {
  it.each(FORMS.filter(([, { shown }]) => shown !== 'interrupted'))('%s', async (_name, cell, form) => {
    const { answer, effect, shown, rule } = cell;
    const { one } = (answer === 'rate_dropped' ? RATES : WRITES)[effect];
    const { run } = await world(cell, form);
    const isAlike = shown === 'alike' && effect === 'creation' ? ' --if-missing' : '';
    const ended = await run(
      `${one} --json${effect === 'change' && answer !== 'rate_dropped' ? ' --yes' : ''}${isAlike}`,
    );
    if (rule.exit === 'own') expect([3, 4, 5, 6, 7]).toContain(ended.exit);
    else expect(ended.exit, ended.stderr).toBe(rule.exit);
    const hint = ended.exit === 0 ? '' : String(errorOf(ended.stderr).hint ?? '');
    if (rule.hint === 'none') expect(hint).toBe('');
    if (rule.hint === 'exists') expect(hint).toContain('Do not create it again');
    if (rule.hint === 'resume') expect(hint).toMatch(/only if it was not done: ttctl jobs resume \S+$/);
    if (rule.hint === 'check') expect(hint).toMatch(/Check before sending it again: ttctl \S+ list/);
    if (rule.status === 'unknown')
      expect(JSON.parse(ended.stdout)).toMatchObject(
        effect === 'creation' ? { status: 'unknown' } : [{ status: 'unknown' }],
      );
  });
});

/** What a person is told to do after a write whose answer was lost. */

const welcome: Answer = { headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' };
const failing: Answer = { status: 500, body: { success: false, message: 'boom' } };

/** Without a history nothing could be gone on with: how to look by hand is said. */
const tell = (line: string, write: Answer, read: Answer, more = '--no-history') =>
  ask(`${line} ${more}`, ({ line: sent }) => (sent.startsWith('GET') ? read : write), { clock: quickClock });

const sheets = (status: string): Answer => ({ body: onePage([{ id: 'a1', status }]) });
const APPROVE = 'timesheets approve a1 --yes';

describe('a write of which nobody knows', () => {
  it.each([
    [APPROVE, failing, 'ttctl timesheets list --id a1'],
    [APPROVE, welcome, 'ttctl timesheets list --id a1'],
    ['expenses delete e1 --yes', failing, 'ttctl expenses list --id e1'],
    ['members restore 17', failing, 'ttctl members get 17'],
    ['viewers assign 17 --project 5', failing, 'ttctl viewers get 17'],
    ['tasks assign 3 --project 5 --member 17', failing, 'ttctl tasks assignees 3 --project 5'],
  ])('%s: how to look is said where the look-up failed too', async (line, answer, look) => {
    const { stderr, exit, stdout } = await tell(line, answer, answer);
    expect([exit, stdout]).toEqual([7, expect.stringContaining('unknown')]);
    expect(stderr).toContain(
      `\nhint: It may have been carried out: the records could not be read either. Check before sending it again: ${look}\n`,
    );
  });

  it('tells it in JSON too, with the result', async () => {
    const { stderr, stdout } = await tell(APPROVE, failing, failing, '--json');
    const hint = expect.stringContaining('send it only if it was not done: ttctl jobs resume ');
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'unknown', error: { hint } }]);
    expect(JSON.parse(stderr).error).toMatchObject({ exit: 7, hint });
  });

  it('quotes what was named, in the command to look with', async () => {
    const { stderr } = await tell("timesheets approve 'a 1; x' --yes", failing, failing);
    expect(stderr).toContain(": ttctl timesheets list --id 'a 1; x'\n");
  });

  it('is a state that tells nothing', async () => {
    const { stderr } = await tell(
      'timesheets approve 5 --yes',
      { cut: true },
      { body: onePage([{ id: 5, status: 'odd' }]) },
    );
    expect(stderr).toContain('It may have been carried out: the records do not show the outcome.');
  });

  it('is an invitation of somebody who was a member before', async () => {
    const invite = 'members invite p3@x.example --firstname P --lastname Three --role regular-user';
    const there = { body: onePage([{ id: 3, email: 'P3@x.example' }]) };
    const { stdout, stderr, exit } = await tell(invite, failing, there);
    expect([exit, stdout]).toEqual([7, '? p3@x.example  unknown\n']);
    expect(stderr).toContain('Check before sending it again: ttctl members list\n');
  });

  it('is not one of a viewer, who becomes a member', async () => {
    const invite = 'members invite p3@x.example --firstname P --lastname Three --role regular-user';
    const viewer = { id: 3, email: 'p3@x.example', current_role: 'Project viewer' };
    let role = viewer.current_role;
    const done = await ask(`${invite} --json`, ({ line }) => {
      if (line.startsWith('GET')) return { body: onePage([{ ...viewer, current_role: role }]) };
      role = 'Regular User';
      return { cut: true };
    });
    expect([done.exit, JSON.parse(done.stdout)]).toMatchObject([0, { user_id: 3 }]);
    const { stdout } = await tell(invite, { cut: true }, { body: onePage([viewer]) }, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ status: 'unknown' });
  });
});

it('tells nothing of a look-up for a refusal, or a read', async () => {
  const refused: Answer = { status: 422, body: { success: false, message: 'No.' } };
  const { stderr } = await tell(APPROVE, refused, sheets('open'));
  expect(stderr).not.toMatch(/records|carried out/);
  expect((await tell('members list', failing, failing, '--max-wait 0')).stderr).not.toContain('carried out');
});

it('gives the advice once for many, in one line', async () => {
  const { stdout, exit } = await tell('timesheets approve a1 a2 --yes', failing, failing);
  expect(exit).toBe(7);
  expect(stdout.match(/Check before/g)).toHaveLength(1);
  expect(stdout).not.toContain('\\n');
});

it('is told of a raw write as well', async () => {
  for (const answer of [failing, welcome, { cut: true } as const]) {
    const { stderr } = await tell('api PUT /members/17 --field firstname=Ana', answer, failing, '');
    expect(stderr).toContain(
      '\nhint: It is not known whether the request was carried out: check before sending it again.\n',
    );
  }
});

it('gives no advice about pages for the answer to a write', async () => {
  const huge: Answer = { body: ' '.repeat(65 * 1024 * 1024) };
  // However long so much takes to come: the clock of these tests is a hundred times faster than the machine.
  const { stderr } = await tell(APPROVE, huge, sheets('submitted'), '--timeout 100000');
  expect(stderr).toContain('is too large');
  expect(stderr).not.toContain('--per-page');
});
