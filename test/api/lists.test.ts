import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { Api, ApiCall } from '../../src/api/client.ts';
import { Lists } from '../../src/api/lists.ts';
import { operations } from '../../src/api/operations.ts';
import type { Row } from '../../src/api/page.ts';
import { Failure } from '../../src/errors.ts';
import { realClock } from '../../src/platform/machine.ts';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { envelope, onePage, type Recorder, serviceEnv, startRecorder } from '../support/service.ts';

/** The lists of a run: each is read once, and again only where that is asked for. */

const PAGE = 100;

/** A list of members that counts its requests. @param told whether the service tells how many there are */
const service = (count: number, told = true) => {
  const state = { requests: 0, fails: false };
  const list = (values: Row = {}) =>
    ({
      operation: operations.members.list,
      values,
      async *pages() {
        for (let from = 1; from <= count; from += PAGE) {
          state.requests += 1;
          if (state.fails) throw new Failure('Busy.', { code: 'failed', exit: 7 });
          const rows = Array.from({ length: Math.min(PAGE, count - from + 1) }, (_, i) => ({ id: from + i }));
          yield { rows, total: told ? count : undefined };
        }
      },
    }) as unknown as ApiCall;
  let now = 0;
  const lists = new Lists({} as Api, () => now);
  const wait = (ms: number) => {
    now += ms;
  };
  return { state, list, lists, wait };
};

const ids = (count: number, step = 1) =>
  new Set(Array.from({ length: count }, (_, i) => String(1 + i * step)));

it('readers share the pages of a list, and each other filter is another list', async () => {
  const { state, list, lists } = service(250);
  const [first, second] = await Promise.all([lists.rows(list()), lists.rows(list())]);
  for await (const _ of lists.pages(list())) break;
  expect([first.length, second.length, state.requests]).toEqual([250, 250, 3]);
  expect(lists.find(list(), '250')).toEqual({ id: 250 });
  await lists.rows(list({ role: 'Owner' }));
  expect(state.requests).toBe(6);
});

it('what was read before a time is read again, and so is what failed', async () => {
  const { state, list, lists, wait } = service(50);
  state.fails = true;
  await expect(lists.rows(list())).rejects.toThrow('Busy.');
  state.fails = false;
  await lists.rows(list());
  wait(10);
  expect(lists.find(list(), '1', 10)).toBeUndefined();
  await lists.rows(list(), 10);
  await lists.rows(list(), 10);
  expect([state.requests, lists.find(list(), '1', 10)]).toEqual([3, { id: 1 }]);
});

it.each([
  ['few of a long list that tells its length', 5_000, 10, 500, true],
  ['many of a long list that tells its length', 5_000, 100, 50, true],
  ['many of a short list that does not', 300, 200, 1, false],
  ['few of a long list that does not', 5_000, 20, 250, false],
  ['none of a long list that does not', 5_000, 20, 10_000, false],
])('R13: looking for %s takes no more than the least', async (_name, count, wanted, step, told) => {
  const { state, list, lists } = service(count, told);
  const { rows } = await lists.search([list()], ids(wanted, step));
  const least = Math.min(count / PAGE, wanted);
  expect(state.requests + wanted - rows.size).toBeLessThanOrEqual(1.05 * least + 3);
});

const folder = makeFolder();
let recorder: Recorder | undefined;
afterEach(async () => {
  await recorder?.close();
  recorder = undefined;
});

/** Applies a plan of 90 updates to a service in which a record changes, and the time goes on, while they are sent. */
const applyWhileItChanges = async (ms: number) => {
  const hours = new Map(Array.from({ length: 90 }, (_, i) => [17 + i, 40]));
  let waited = 0;
  const clock = { ...realClock, now: () => realClock.now() + waited };
  const file = join(folder, `plan-${ms}.ndjson`);
  const rows = join(folder, 'rows.csv');
  writeFileSync(rows, `id,weekly_hours_limit\n${[...hours.keys()].map((id) => `${id},32`).join('\n')}\n`);
  const toMember = (id: number) => ({ id, weekly_hours_limit: hours.get(id), status: 'active' });
  let applying = false;
  recorder = await startRecorder(({ line, body }) => {
    const id = Number(/^\w+ \/members\/(\d+)/.exec(line)?.[1]);
    if (line.startsWith('GET'))
      return { body: id > 0 ? envelope(toMember(id)) : onePage([...hours.keys()].map(toMember)) };
    if (applying && id === 27) {
      waited = ms;
      hours.set(106, 12);
    }
    hours.set(id, (body as { weekly_hours_limit: number }).weekly_hours_limit);
    return { body: envelope(null) };
  });
  const env = serviceEnv(recorder, { TTCTL_STATE_DIR: join(folder, `state-${ms}`), TTCTL_RATE_LIMIT: 'off' });
  const run = (line: string) => runInProcess(words(line), { env, machine: { clock } });
  await run(`members update --from-file ${rows} --plan ${file}`);
  applying = true;
  const before = recorder.lines().length;
  const { exit, stdout } = await run(`plan apply ${file} --yes --json`);
  const moved = JSON.parse(stdout).filter(({ error }: { error?: Row }) => error?.['code'] === 'moved');
  return { exit, moved, lines: recorder.lines().slice(before) };
};

it('a plan looks at all its records by list pages when it begins, and again at those left after a minute', async () => {
  const soon = await applyWhileItChanges(50_000);
  expect([soon.exit, soon.moved]).toEqual([0, []]);
  expect(soon.lines.filter((line) => line.startsWith('GET /members'))).toEqual([
    expect.stringMatching(/^GET \/members\?/),
  ]);
  await recorder?.close();
  const late = await applyWhileItChanges(61_000);
  expect(late.exit).toBe(8);
  expect(late.moved).toMatchObject([
    { target: '106', status: 'skipped', message: 'changed since: hours a week: 40 → 12' },
  ]);
  expect(late.lines.filter((line) => line.startsWith('GET /members'))).toHaveLength(2);
  expect(late.lines.filter((line) => line.startsWith('PUT /members/106'))).toEqual([]);
});
