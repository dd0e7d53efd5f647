import { describe, expect, it } from 'vitest';
import { envelope } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** Short flags stand together in any order, those of a command and those that all commands have. */

const { run, lines } = useCli({ service: () => ({ body: envelope([]) }) });

describe('short flags together', () => {
  it.each([
    ['-n -i -X POST', '-in -X POST', '-inX POST', '-niXPOST', '-inXPOST'],
    ['-i -w 8', '-iw8', '-iw 8', '-qiw8'],
    ['-X POST -n -q -f a=b', '-nqXPOST -fa=b', '-XPOST -qnfa=b'],
  ])('mean what %s means', async (apart, ...together) => {
    const { exit, stdout } = await run(`api /members ${apart}`);
    const date = /^date: .*$/m;
    const sent = lines().at(-1);
    expect(exit).toBe(0);
    for (const flags of together) {
      const outcome = await run(`api ${flags} /members`);
      expect([outcome.exit, outcome.stdout.replace(date, '')], flags).toEqual([0, stdout.replace(date, '')]);
      expect(lines().at(-1)).toBe(sent);
    }
  });

  it('are not given twice unseen, and an unknown one is told', async () => {
    const twice = await run('api -iw8 -w 9 /members');
    expect([twice.exit, twice.stderr]).toEqual([
      2,
      expect.stringContaining('--workspace was given more than once'),
    ]);
    const unknown = await run('api -iqz /members');
    expect([unknown.exit, unknown.stderr]).toEqual([2, expect.stringContaining('unknown option')]);
    expect(lines()).toEqual([]);
  });
});
