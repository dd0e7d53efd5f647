import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { runInProcess, words } from '../support/in-process.ts';
import {
  type Answer,
  envelope,
  onePage,
  type Recorder,
  serviceEnv,
  startRecorder,
} from '../support/service.ts';

/** What is so already, because somebody was faster, is `unchanged` (R3); a read-only profile refuses first (R5). */

const folder = makeFolder();
let recorder: Recorder;
afterEach(() => recorder.close());

const refused: Answer = { status: 422, body: { success: false, message: 'already taken', meta: {} } };
const start = async (answer: Parameters<typeof startRecorder>[0]) => {
  recorder = await startRecorder(answer);
  const env = serviceEnv(recorder, { TTCTL_STATE_DIR: mkdtempSync(join(folder, 'state-')) });
  return async (line: string, more: Readonly<Record<string, string>> = {}) => {
    const ended = await runInProcess([...words(line), '--json'], { env: { ...env, ...more } });
    const results = ended.stdout === '' ? [] : [JSON.parse(ended.stdout)].flat();
    return { ...ended, statuses: results.map(({ status }: { status?: string }) => status) };
  };
};

it('the second of two copies of a run over --all fails at nothing', async () => {
  const approved = new Set<string>();
  const shown = new Map<string, Answer>();
  const run = await start(({ line }) => {
    const [, id] = /^PUT \/timesheets\/(t\d)/.exec(line) ?? [];
    if (id === undefined) {
      const rows = ['t1', 't2', 't3', 't4', 't5'].map((sheet) => ({
        id: sheet,
        status: approved.has(sheet) ? 'approved' : 'submitted',
      }));
      // Both copies choose from what was there before either wrote.
      if (!/[?&]id=/.test(line))
        return shown.get('all') ?? shown.set('all', { body: onePage(rows) }).get('all') ?? {};
      return {
        body: onePage(rows.filter((row) => line.includes(`&id=${row.id}`) || line.includes(`?id=${row.id}`))),
      };
    }
    if (approved.has(id)) return { ...refused, status: 400 };
    approved.add(id);
    return { body: envelope(null) };
  });
  const copies = await Promise.all([1, 2].map(() => run('timesheets approve --all --yes')));
  expect(copies.map(({ exit }) => exit)).toEqual([0, 0]);
  const all = copies.flatMap(({ statuses }) => statuses).sort();
  expect(all).toEqual([...Array(5).fill('done'), ...Array(5).fill('unchanged')]);
});

const INVITE = 'viewers invite eve@c.example --firstname Eve --lastname Oka';

describe('--if-missing', () => {
  it('looks again where the service says that it is there already', async () => {
    const viewers: object[] = [];
    const run = await start(({ line }) => {
      if (line.startsWith('GET /project-viewers/')) return { body: envelope(viewers[0]) };
      if (line.startsWith('GET')) return { body: onePage(viewers) };
      viewers.push({ id: 31, email: 'eve@c.example', status: 'active' });
      return refused;
    });
    const ended = await run(`${INVITE} --if-missing`);
    expect([ended.exit, JSON.parse(ended.stdout)]).toMatchObject([0, { id: 31 }]);
    viewers.length = 0;
    expect((await run(INVITE)).exit).toBe(6);
  });

  it('of several processes one makes the record', async () => {
    const viewers: object[] = [];
    const run = await start(({ line }) => {
      if (line.startsWith('GET /project-viewers/')) return { body: envelope(viewers[0]) };
      if (line.startsWith('GET')) return { body: onePage(viewers), delayMs: 20 };
      viewers.push({ id: 31 + viewers.length, email: 'eve@c.example', status: 'active' });
      return { body: envelope(viewers.at(-1)), delayMs: 20 };
    });
    const ended = await Promise.all([1, 2, 3].map(() => run(`${INVITE} --if-missing`)));
    expect([ended.map(({ exit }) => exit), viewers.length]).toEqual([[0, 0, 0], 1]);
  });
});

it('a plan that was applied elsewhere already has nothing to do', async () => {
  const viewers: object[] = [];
  const run = await start(({ line }) => {
    if (line.startsWith('GET /workspaces')) return { body: envelope([{ id: 7, user_id: 1 }]) };
    if (line.startsWith('GET')) return { body: onePage(viewers) };
    return refused;
  });
  const plan = join(folder, 'invite.ndjson');
  expect((await run(`${INVITE} --plan ${plan}`)).exit).toBe(0);
  viewers.push({ id: 31, email: 'eve@c.example', status: 'active' });
  const ended = await run(`plan apply ${plan} --yes`);
  expect([ended.exit, ended.statuses], ended.stderr).toEqual([0, ['unchanged']]);
});

describe('a read-only profile', () => {
  const csv = join(folder, 'ids.csv');
  writeFileSync(csv, 'id\nt1\nt2\n');
  const config = join(folder, 'config');
  it.each([
    'timesheets approve --all --yes',
    `timesheets approve --from-file ${csv} --yes`,
    'members update 17 --weekly-hours-limit 3',
    'inbox decide --rules rules.json --yes --max-changes 3',
    `workspaces apply ${folder} --yes`,
    'plan apply plan.ndjson --yes',
    'undo 20260101-0900-abc --yes',
    'jobs resume 20260101-0900-abc',
  ])('refuses %s before anything is read', async (line) => {
    const run = await start(() => ({ body: onePage([]) }));
    const env = { TTCTL_CONFIG_DIR: config };
    await run('profile set --read-only', env);
    const ended = await run(line, env);
    expect([ended.exit, JSON.parse(ended.stderr).error.code], ended.stderr).toEqual([2, 'read_only_profile']);
    expect([recorder.lines(), existsSync(join(folder, 'runs'))]).toEqual([[], false]);
  });
});
