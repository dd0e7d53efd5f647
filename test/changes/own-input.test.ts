import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { useCli } from '../support/use-cli.ts';

/** What a run writes over, or adds to, is of its own kind: never a file that it reads. */

const sandbox = useCli({ sandbox: 'demo' });
const ROWS = 'id,weekly_hours_limit\n1,20\n';

let folder: string;
let list: string;
beforeEach(() => {
  folder = join(dirname(sandbox.file('')), `own-${Math.random()}`);
  mkdirSync(folder);
  list = join(folder, 'list.csv');
  writeFileSync(list, ROWS);
});

const refused = async (line: string, message: string) => {
  const { exit, stderr, stdout } = await sandbox.run(line);
  expect([exit, stderr, stdout]).toEqual([2, expect.stringContaining(`error: ${message}`), '']);
  expect(readFileSync(list, 'utf8')).toBe(ROWS);
  expect(existsSync(join(sandbox.state, 'sandbox'))).toBe(false);
};

const FROM_LIST = 'members update --from-file';

it.each([
  ['by its name', () => {}],
  ['through a symbolic link', symlinkSync],
  ['through a hard link', linkSync],
] as const)('an output that is an input is refused %s', async (how, link) => {
  const output = how === 'by its name' ? list : `${list}.other`;
  link(list, output);
  await refused(`${FROM_LIST} ${list} --plan ${output}`, `refusing to write to ${output}: it is not a plan`);
  await refused(
    `${FROM_LIST} ${list} --yes --log ${output}`,
    `cannot write the log to ${output}: it is not a log`,
  );
});

it('two outputs are not one file', async () => {
  const output = join(folder, 'new');
  const line = `${FROM_LIST} ${list} --plan ${output} --log ${output}`;
  expect(await sandbox.run(line)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(`refusing to write to ${output}: it is not a plan`),
  });
});
