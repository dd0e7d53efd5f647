import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { offers, values } from '../support/completing.ts';
import { makeFolder } from '../support/folder.ts';
import { runInProcess } from '../support/in-process.ts';
import { envelope, onePage, serviceEnv, startRecorder } from '../support/recorder.ts';
import { bulkFiles, copyRun, runFile } from '../support/runs.ts';

/** What is on this machine: the embedded sandbox, profiles, jobs. */

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

describe('snapshots of a sandbox', () => {
  it('are offered where one is meant that is there: of the server that runs, else of the embedded one', async () => {
    await run('--profile sandbox sandbox reset --seed demo --yes');
    for (const name of ['before', 'after']) await run(`sandbox snapshot save ${name}`);
    expect(complete('sandbox snapshot restore ')).toEqual(['after', 'before']);
    expect(complete('sandbox snapshot remove b')).toContain('before');
    expect(complete('sandbox snapshot diff before ')).toEqual(['after', 'before']);
    expect(complete('sandbox snapshot save ')).not.toContain('before');
    const folderOfServer = join(folder, 'state/sandbox-snapshots');
    mkdirSync(folderOfServer, { recursive: true });
    writeFileSync(join(folderOfServer, 'served.snapshot'), 'damaged');
    writeFileSync(join(folder, 'state/sandbox.json'), '{}');
    expect(complete('sandbox snapshot restore ')).toEqual(['served']);
    expect(complete('-p sandbox sandbox snapshot restore ')).toEqual(['after', 'before']);
    rmSync(join(folder, 'state/sandbox.json'));
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

describe('the history', () => {
  it('is offered by run, single writes too, the latest first', async () => {
    const recorder = await startRecorder(({ line }) => ({
      body: line.startsWith('GET') ? onePage([]) : envelope(null),
    }));
    const state = mkdtempSync(join(folder, 'history-'));
    const own = { ...env, TTCTL_STATE_DIR: state };
    try {
      for (const line of ['members restore 17 18 --yes', 'members restore 19'])
        await runInProcess(line.split(' '), { env: { ...serviceEnv(recorder), ...own } });
    } finally {
      await recorder.close();
    }
    const entries = offers(['undo', ''], own);
    expect(entries.map(({ about }) => about)).toEqual(['members restore 19', 'members restore 17 18 --yes']);
    const [single, bulk] = entries.map(({ value }) => value);
    expect(single).toMatch(/^\d{8}-\d{4}-[a-z]+-1$/);
    expect(offers(['history', 'show', ''], own)).toEqual(entries);
    expect(offers(['history', 'list', '--run', ''], own).map(({ value }) => value)).toEqual([single, bulk]);
  });
});

describe('jobs', () => {
  it('are offered the latest first, with what they were; to be gone on with, only those that are not settled', async () => {
    const recorder = await startRecorder(({ line }) => ({
      body: line.startsWith('GET') ? onePage([]) : envelope(null),
    }));
    try {
      await run('members restore 17 18 --yes', serviceEnv(recorder));
    } finally {
      await recorder.close();
    }
    const open = '20200101-0900-kfm';
    const state = join(folder, 'state');
    const [done = ''] = bulkFiles(state);
    const head = { created_at: '2020-01-01T09:00:00.000Z', command: 'members archive 1 2' };
    copyRun(done, runFile(state, open), { steps: 0, head });
    appendFileSync(runFile(state, open), 'torn');
    const shown = offers(['jobs', 'show', ''], env);
    expect(shown.map(({ about }) => about)).toEqual(['members restore 17 18 --yes', 'members archive 1 2']);
    expect(complete('jobs resume ')).toEqual([open]);
  });
});
