import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { DIALECT_CHOICES } from '../../src/sandbox/dialect.ts';
import { type Finished, finished } from '../support/binary.ts';
import { allPairs, pairsOf, pairwise } from '../support/pairwise.ts';
import { startSandboxServer } from '../support/sandbox-server.ts';
import { type Place, readSession, runSession, sessionPlace } from '../support/session-runner.ts';

/** The client against every reading of what the documentation leaves open, every two of them together. */

const rows = pairwise(DIALECT_CHOICES);

describe('the combinations', () => {
  it('cover all pairs, and are few', () => {
    const covered = new Set(rows.flatMap((row) => pairsOf(DIALECT_CHOICES, row)));
    expect(allPairs(DIALECT_CHOICES).filter((pair) => !covered.has(pair))).toEqual([]);
    expect(rows.length).toBeLessThan(16);
  });
});

const steps = [...readSession('generations').steps, ...readSession('timesheets').steps];

const run = (command: string, { folder, env }: Place): Promise<Finished> =>
  finished(spawn('sh', ['-c', command], { cwd: folder, env: { ...env } }));

describe.concurrent('a service that answers with', () => {
  const cases = rows.map((row) => Object.entries(row).map(([name, value]) => `${name}=${value}`));
  it.each(cases.map((parts) => parts.join(',')))('%s', async (dialect) => {
    const server = await startSandboxServer(['--dialect', dialect]);
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
