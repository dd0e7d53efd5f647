import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { offers, values } from '../support/completing.ts';
import { makeFolder } from '../support/folder.ts';
import { runInProcess } from '../support/in-process.ts';

/** What is on this machine: the embedded sandbox, profiles. */

let folder: string;
let env: Readonly<Record<string, string>>;

beforeAll(() => {
  folder = makeFolder();
  env = {
    TTCTL_CACHE_DIR: join(folder, 'cache'),
    TTCTL_CONFIG_DIR: join(folder, 'config'),
    TTCTL_STATE_DIR: join(folder, 'state'),
  };
});

const run = async (line: string, more: Readonly<Record<string, string>> = {}) => {
  const outcome = await runInProcess(line.split(' '), { env: { ...more, ...env } });
  return outcome.stdout;
};
const complete = (line: string, more: Readonly<Record<string, string>> = {}) =>
  values(line.split(' '), { ...env, ...more });

describe('the embedded sandbox', () => {
  const ids = async (line: string): Promise<readonly string[]> =>
    (await run(`--profile sandbox ${line} -o ids`)).split('\n').filter(Boolean);

  it('has nothing to offer before its first use, and is not made by asking', () => {
    expect(complete('--profile sandbox contracts list --member ')).toEqual([]);
    expect(existsSync(join(folder, 'state'))).toBe(false);
  });

  it('offers what was listed, as any other service, until it is reset', async () => {
    // Somebody has worked here at a terminal before.
    mkdirSync(join(folder, 'cache', 'completion'), { recursive: true, mode: 0o700 });
    await run('--profile sandbox members list');
    const submitted = await ids('timesheets list --status submitted');
    expect(submitted.length).toBeGreaterThan(3);
    expect(complete('-p sandbox timesheets approve ').toSorted()).toEqual(submitted.toSorted());
    expect(complete('-p sandbox members update ')).toContain('nora@lindenhof.example');
    expect(complete('members update ')).not.toContain('nora@lindenhof.example');
    await run('--profile sandbox sandbox reset');
    expect(complete('-p sandbox contracts list --member ')).toEqual([]);
  });
});

describe('profiles', () => {
  it('are offered with their address', async () => {
    await run('profile set --profile work --base-url https://api.example.com/api/v2');
    expect(offers(['profile', 'use', ''], env)).toEqual([
      { value: 'work', about: 'https://api.example.com/api/v2' },
      { value: 'sandbox', about: 'run the whole service locally, for trials and tests' },
    ]);
    expect(complete('-p ')).toContain('work');
    expect(complete('--profile=w')).toContain('work');
  });
});
