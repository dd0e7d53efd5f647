import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findWriteProblem, replaceNamed } from '../../src/storage/own-files.ts';
import { makeFolder } from '../support/folder.ts';
import { BIN } from '../support/process.ts';

/** Files that somebody named: only a file is replaced, and what is none keeps its place. */

let folder: string;
let file: string;
beforeEach(() => {
  folder = makeFolder();
  file = join(folder, 'plan');
});

describe.skipIf(process.platform === 'win32')('a link', () => {
  it('stays, and its target is written', () => {
    mkdirSync(join(folder, 'elsewhere'));
    const target = join(folder, 'elsewhere', 'target');
    writeFileSync(target, 'old');
    symlinkSync('elsewhere/target', join(folder, 'between'));
    symlinkSync('between', file);
    expect(findWriteProblem(file)).toBeUndefined();
    replaceNamed(file, 'new');
    replaceNamed(file, 'newer');
    expect([readlinkSync(file), readFileSync(target, 'utf8')]).toEqual(['between', 'newer']);
    expect(lstatSync(target).isSymbolicLink()).toBe(false);
  });
});

it.skipIf(process.platform === 'win32')('a pipe is refused, and stays', () => {
  execFileSync('mkfifo', [file]);
  expect(() => replaceNamed(file, 'new')).toThrow(`cannot write to ${file}: it is not a file`);
  expect(lstatSync(file).isFIFO()).toBe(true);
});

const stat = () => {
  return { mode: statSync(file).mode & 0o7777 };
};

describe.skipIf(process.platform === 'win32')('a file that is there', () => {
  it('keeps its mode; a new one is private', () => {
    replaceNamed(file, 'first');
    expect(stat()).toMatchObject({ mode: 0o600 });
    chmodSync(file, 0o640);
    replaceNamed(file, 'new');
    expect([stat(), readFileSync(file, 'utf8')]).toEqual([expect.objectContaining({ mode: 0o640 }), 'new']);
    replaceNamed(file, 'newer', { mode: 0o600 });
    expect(stat()).toMatchObject({ mode: 0o600 });
  });

  it.runIf(process.platform === 'linux' || process.geteuid?.() !== 0)(
    'is refused where it may not be written',
    () => {
      writeFileSync(file, 'old');
      chmodSync(file, 0o444);
      // Root may write everything, unless that is taken from him.
      const mortal = process.geteuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];
      const own = { TTCTL_STATE_DIR: join(folder, 'state'), TTCTL_CONFIG_DIR: join(folder, 'config') };
      const [program = '', ...args] = [...mortal, process.execPath, BIN, '--profile', 'sandbox', '--json'];
      const run = (...line: readonly string[]) => {
        const env = { ...process.env, ...own };
        const { status, stderr } = spawnSync(program, [...args, ...line], { env, encoding: 'utf8' });
        return [status, JSON.parse(stderr).error.message];
      };
      const refusal = `cannot write to ${file}: no permission to write there`;
      const update = ['members', 'update', '1', '--weekly-hours-limit', '1'];
      expect(run(...update, '--plan', file)).toEqual([2, `--plan: ${refusal}`]);
      expect(readFileSync(file, 'utf8')).toBe('old');
    },
  );
});
