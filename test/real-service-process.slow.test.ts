import { describe, expect, it, vi } from 'vitest';
import type { ProxyFaults } from './support/sandbox-server.ts';
import { useCli } from './support/use-cli.ts';

/** The built program before a served sandbox, with a gateway between them that is late, cached, or cut off. */

const faults: ProxyFaults = {};
const t = useCli({ sandbox: { proxy: faults }, shared: true, env: { TTCTL_SETTLE: '2' } });
const run = (line: string) => t.process(line);
const firstId = async (line: string): Promise<string> =>
  (await run(`${line} -o ids`)).stdout.split('\n')[0] ?? '';
const hintsIn = (text: string): readonly string[] =>
  [...text.matchAll(/: ttctl ([^\n`]*)/g)].map(([, line = '']) => line);

const WRITES: Readonly<Record<string, () => Promise<string>>> = {
  'expenses create': async () =>
    `expenses create --name Taxi${hours++} --date 2026-11-02 --amount 5 --category ${await firstId('expenses categories')}`,
  'members update': async () =>
    `members update ${await firstId('members list --role regular-user')} --weekly-hours-limit ${hours++}`,
  'timesheets approve': async () =>
    `timesheets approve ${await firstId('timesheets list --status submitted')} --yes`,
};
/** No two writes are alike. */
let hours = 11;

describe.each([
  ['reads are stale', { staleMs: 1000 }],
  ['it is done after the 504 of a gateway', { lost: '504' }],
  ['it is done after a reset', { lost: 'reset' }],
  ['reads are stale, and the answer is lost', { lost: 'reset', staleMs: 1000 }],
] as const)('where %s', (_, fault) => {
  it.each(Object.keys(WRITES))('%s is done once, whatever hint is followed', async (name) => {
    const line = (await WRITES[name]?.()) ?? '';
    const before = t.exchanges.length;
    Object.assign(faults, fault);
    let last = await run(line);
    for (let round = 0; round < 3 && last.exit !== 0; round += 1) {
      expect(last.stderr).toMatch(/may (?:still be|have been) carried out/);
      for (const hint of hintsIn(last.stderr)) last = await run(hint);
    }
    Object.assign(faults, { lost: undefined, staleMs: 0 });
    const writesOf = () => t.exchanges.slice(before).filter(({ sent }) => !sent.startsWith('GET'));
    await vi.waitFor(() => expect(writesOf()).not.toEqual([]));
    const writes = writesOf();
    expect([last.exit, writes.map(({ status }) => status < 300)], last.stderr).toEqual([0, [true]]);
  });
});

it('R3: two processes that create with --if-missing make one', async () => {
  const before = t.exchanges.length;
  const line = 'projects create --name Quayside --if-missing -o ids';
  const ended = await Promise.all([run(line), run(line), run(line)]);
  const ids = ended.map(({ stdout, stderr }) => stdout || stderr);
  expect(new Set(ids).size, ids.join('')).toBe(1);
  expect(t.exchanges.slice(before).filter(({ sent }) => sent.startsWith('POST'))).toHaveLength(1);
});
