import { spawnSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { BIN } from '../support/binary.ts';
import { ownSandbox } from './own-sandbox.ts';

/** What a run writes is nothing that it reads, by whatever name. */

const sandbox = ownSandbox();
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
  expect(existsSync(join(sandbox.env()['TTCTL_STATE_DIR'] ?? '', 'sandbox'))).toBe(false);
};

const FROM_LIST = 'members update --from-file';

describe('an output that is an input', () => {
  it.each([
    ['by its name', () => {}],
    ['through a symbolic link', symlinkSync],
    ['through a hard link', linkSync],
  ] as const)('is refused %s', async (how, link) => {
    const output = how === 'by its name' ? list : `${list}.other`;
    link(list, output);
    await refused(
      `${FROM_LIST} ${list} --plan ${output}`,
      `--plan and --from-file are the same file: ${output}`,
    );
    await refused(
      `${FROM_LIST} ${list} --yes --log ${output}`,
      `--log and --from-file are the same file: ${output}`,
    );
  });

  it.each([
    ['--base', (file: string) => `${FROM_LIST} other.csv --base ${file} --plan ${file}`],
    ['--rules', (file: string) => `inbox decide --rules ${file} --plan ${file}`],
    ['--input', (file: string) => `projects create --name x --input ${file} --plan ${file}`],
    ['<file>', (file: string) => `plan apply ${file} --yes --log ${file}`],
    ['--seed', (file: string) => `sandbox reset --yes --seed ${file} --log ${file}`],
    ['--typed-field', (file: string) => `api POST /projects -F notes=@${file} --log ${file}`],
    ['list.csv', (file: string) => `workspaces apply ${dirname(file)} --yes --plan ${file}`],
  ])('%s', async (where, line) => {
    const output = line(list).includes('--plan') ? '--plan' : '--log';
    await refused(line(list), `${output} and ${where} are the same file: ${list}`);
  });

  it.skipIf(process.platform === 'win32')('is refused on stdin', () => {
    const { status, stderr } = spawnSync(
      '/bin/sh',
      ['-c', 'exec "$0" "$@" < "$LIST"', process.execPath, BIN, ...`${FROM_LIST} - --plan`.split(' '), list],
      { env: { ...process.env, ...sandbox.env(), LIST: list }, encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([2, expect.stringContaining('--plan and stdin are the same file')]);
    expect(readFileSync(list, 'utf8')).toBe(ROWS);
  });
});

it('two outputs are not one file', async () => {
  const output = join(folder, 'new');
  await refused(
    `${FROM_LIST} ${list} --plan ${output} --log ${output}`,
    `--plan and --log are the same file: ${output}`,
  );
});

it('a device is read and written', async () => {
  const { stderr } = await sandbox.run(`${FROM_LIST} /dev/null --plan /dev/null --log /dev/null`);
  expect(stderr).not.toContain('same file');
});
