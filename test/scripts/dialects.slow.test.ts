import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { DIALECT_CHOICES } from '../../src/sandbox/dialect.ts';
import { type Finished, finished } from '../support/process.ts';
import { startSandboxServer } from '../support/sandbox-server.ts';
import { type Place, readSession, runSession, sessionPlace } from '../support/session-runner.ts';

/** The client against every reading of what the documentation leaves open, every two of them together. */

const steps = [...readSession('generations').steps, ...readSession('timesheets').steps];

const run = (command: string, { folder, env }: Place): Promise<Finished> =>
  finished(spawn('sh', ['-c', command], { cwd: folder, env: { ...env } }));

describe.concurrent('a service that answers with', () => {
  const cases = pairwise(DIALECT_CHOICES).map((row) =>
    Object.entries(row).map(([name, value]) => `${name}=${value}`),
  );
  it.each(cases.map((parts) => parts.join(',')))('%s', async (dialect) => {
    const server = await startSandboxServer({ flags: ['--dialect', dialect] });
    const place = sessionPlace(server.env);
    try {
      const json = await run('ttctl timesheets list --status submitted --json', place);
      // Every field as it came, also those that no documentation names.
      expect(JSON.parse(json.stdout)).toEqual(JSON.parse(server.exchanges[0]?.body ?? '').data);
      const cells = await run('ttctl timesheets list --status submitted --columns status,total_hours', place);
      const newer = dialect.includes('timesheets=newer');
      expect(JSON.parse(json.stdout)[0].total_hours === undefined).toBe(newer);
      expect(cells.stdout).toMatch(/^submitted +\d+:\d\d$/m);
      await runSession(steps, place);
    } finally {
      place.remove();
      await server.close();
    }
  });
});

type Combination = Readonly<Record<string, string>>;

function pairsOf(row: Combination): string[] {
  const parts = Object.entries(row).map(([name, value]) => `${name}=${value}`);
  return parts.flatMap((one, index) => parts.slice(index + 1).map((other) => `${one} ${other}`));
}

/** Few combinations in which every two values of different names meet: each row takes what adds most pairs. */
function pairwise(choices: Readonly<Record<string, readonly string[]>>): Combination[] {
  const names = Object.keys(choices);
  const withEach = (rows: Combination[], name: string) =>
    rows.flatMap((row) => (choices[name] ?? []).map((value) => ({ ...row, [name]: value })));
  const missing = new Set(
    names.flatMap((one, n) =>
      names.slice(n + 1).flatMap((other) => withEach(withEach([{}], one), other).flatMap(pairsOf)),
    ),
  );
  const gain = (row: Combination): number => pairsOf(row).filter((pair) => missing.has(pair)).length;
  const rows: Combination[] = [];
  for (let [first] = missing; first !== undefined; [first] = missing) {
    const begun = Object.fromEntries(first.split(' ').map((part) => part.split('=')));
    let row: Combination = {};
    for (const name of names) {
      const options = begun[name] === undefined ? withEach([row], name) : [{ ...row, [name]: begun[name] }];
      row = options.reduce((best, next) => (gain(next) > gain(best) ? next : best));
    }
    for (const pair of pairsOf(row)) missing.delete(pair);
    rows.push(row);
  }
  return rows;
}
