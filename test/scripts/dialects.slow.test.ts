import { describe, expect, it } from 'vitest';
import { DIALECT_CHOICES } from '../../src/sandbox/dialect.ts';
import { readSession, runSession } from '../support/session-runner.ts';
import { openCli } from '../support/use-cli.ts';

/** The client against every reading of what the documentation leaves open, every two of them together. */

describe.concurrent('a service that answers with', () => {
  const steps = [...readSession('generations').steps, ...readSession('timesheets').steps];

  it.each(pairwise(DIALECT_CHOICES))('%s', async (dialect) => {
    const t = await openCli({ sandbox: { flags: ['--dialect', dialect], recorded: true } });
    const { stdout } = await t.process('timesheets list --status submitted --json');
    // Every field as it came, also those that no documentation names.
    expect(JSON.parse(stdout)).toEqual(JSON.parse(t.exchanges[0]?.body ?? '').data);
    const cells = await t.process('timesheets list --status submitted --columns status,total_hours');
    const newer = dialect.includes('timesheets=newer');
    expect(JSON.parse(stdout)[0].total_hours === undefined).toBe(newer);
    expect(cells.stdout).toMatch(/^submitted +\d+:\d\d$/m);
    await runSession(steps, t);
    await t.close();
  });
});

/**
 * Few combinations in which every two values of different names meet: to a row that has two which have not met yet, the
 * value of each other name is added that meets most of it for the first time. @returns `pagination=top,created=200`
 */
function pairwise(choices: Readonly<Record<string, readonly string[]>>): string[] {
  const values = Object.entries(choices).map(([name, all]) => all.map((value) => `${name}=${value}`));
  const pairs = values.flatMap((own, n) =>
    own.flatMap((a) => values.slice(n + 1).flatMap((others) => others.map((b) => [a, b] as const))),
  );
  const met = new Set<string>();
  const isNew = (a: string, b: string) => a !== b && !met.has(`${a} ${b}`);
  const rows: string[] = [];
  for (const [a, b] of pairs) {
    if (!isNew(a, b)) continue;
    const row = values.map((all) => all.find((value) => value === a || value === b));
    for (const [at, all] of values.entries()) {
      const news = (value: string) => row.filter((other) => other && isNew(value, other)).length;
      row[at] ??= all.toSorted((one, other) => news(other) - news(one))[0];
    }
    for (const one of row) for (const other of row) met.add(`${one} ${other}`);
    rows.push(row.join(','));
  }
  return rows;
}
