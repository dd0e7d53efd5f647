import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
    expect(complete('sandbox token create --as ')).toEqual([]);
  });

  it('is the source of its own records, each kind as its list has it', async () => {
    const lists: readonly (readonly [string, string])[] = [
      ['timesheets list', 'timesheets list --id '],
      ['leaves list', 'leaves list --id '],
      ['time-requests list', 'time-requests list --id '],
      ['expenses list', 'expenses list --id '],
      ['expenses categories', 'expenses categories --id '],
      ['leaves policies', 'leaves policies --id '],
      ['contracts list', 'contracts get '],
      ['webhooks list', 'webhooks get '],
    ];
    for (const [list, line] of lists) {
      const wanted = await ids(list);
      const known = offers(`--profile sandbox ${line}`.split(' '), env);
      const found = known.map(({ value, about }) => / id (\S+)$/.exec(` ${about}`)?.[1] ?? value);
      expect(found.toSorted(), list).toEqual(wanted.toSorted());
    }
    expect((await ids('timesheets list')).length).toBeGreaterThan(3);
  });

  it('offers people by address, projects by name, and only what can be decided', async () => {
    const emails = JSON.parse(await run('--profile sandbox members list --query [].email'));
    expect(emails).toContain('nora@lindenhof.example');
    expect(emails).toEqual(expect.arrayContaining([...complete('-p sandbox members update ')]));
    const submitted = await ids('timesheets list --status submitted');
    expect(complete('-p sandbox timesheets approve ').toSorted()).toEqual(submitted.toSorted());
    const names = JSON.parse(await run('--profile sandbox projects list --query [].name'));
    expect(complete('-p sandbox contracts list --project ')).toEqual(
      expect.arrayContaining(names.slice(0, 1)),
    );
    for (const { about } of offers(['-p', 'sandbox', 'expenses', 'delete', ''], env))
      expect(about).toMatch(/^\w.+, \d{4}-\d\d-\d\d$/);
    expect(complete('sandbox token create --as no')).toContain('nora@lindenhof.example');
    expect(complete('sandbox start --auto-approve ')).toContain('nora@lindenhof.example');
  });

  it('offers what it sends to webhooks, the latest first', async () => {
    await run('-p sandbox webhooks create --url http://127.0.0.1:9/hook --event project.created');
    for (const name of ['One', 'Two']) await run(`-p sandbox projects create --name ${name}`);
    const sent = await ids('sandbox webhooks deliveries');
    expect(sent).toHaveLength(2);
    expect(complete('sandbox webhooks show ')).toEqual(sent);
    expect(complete(`sandbox webhooks redeliver ${sent[0]} `)).toEqual([sent[1]]);
  });

  it('offers its tokens by name, those of one name by id, and none that was revoked', async () => {
    const create = async (name: string): Promise<string> =>
      JSON.parse(
        await run(
          `-p sandbox sandbox token create --as nora@lindenhof.example --scope read --name ${name} --query id`,
        ),
      );
    const [, two, three, gone] = [
      await create('nightly'),
      await create('twice'),
      await create('twice'),
      await create('gone'),
    ];
    await run(`-p sandbox sandbox token revoke ${gone}`);
    const offered = offers(['sandbox', 'token', 'revoke', ''], env);
    expect(offered).toContainEqual({ value: 'nightly', about: 'nora@lindenhof.example, read' });
    expect(offered.map(({ value }) => value)).toEqual(expect.arrayContaining([`${two}`, `${three}`]));
    expect(offered.map(({ value }) => value)).not.toEqual(expect.arrayContaining(['twice']));
    for (const word of [`${gone}`, 'gone']) expect(offered.map(({ value }) => value)).not.toContain(word);
  });

  it('leaves nothing in the cache', async () => {
    await run('--profile sandbox members list');
    expect(() => rmSync(join(folder, 'cache'), { recursive: true })).toThrow('ENOENT');
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

describe('deliveries', () => {
  it('are offered where they are kept, and not for webhooks', () => {
    const write = (below: string, id: string) => {
      mkdirSync(join(folder, below), { recursive: true });
      const text = JSON.stringify({
        version: 1,
        id,
        event: 'tracker.started',
        received_at: '2026-11-20T09:00:00Z',
      });
      writeFileSync(join(folder, below, `delivery.${'0'.repeat(32)}.json`), text);
    };
    write('state/webhooks', 'msg_1');
    write('elsewhere', 'msg_2');
    writeFileSync(join(folder, 'state/webhooks', `delivery.${'1'.repeat(32)}.json`), '{');
    const about = 'tracker.started, 2026-11-20T09:00:00Z';
    const [delivery, verb] = offers(['webhooks', 'received', ''], env);
    expect([delivery, verb?.value]).toEqual([{ value: 'msg_1', about }, 'prune']);
    expect(complete('webhooks received prune --')).toEqual(
      expect.arrayContaining(['--older-than', '--state']),
    );
    expect(complete('webhooks received msg_1 ')).not.toContain('prune');
    expect(complete('webhooks replay ')).toEqual(['msg_1']);
    const args = ['webhooks', 'replay', '--store', join(folder, 'elsewhere'), ''];
    expect(values(args, env)).toEqual(['msg_2']);
    expect(complete('webhooks get ')).not.toContain('msg_1');
  });
});

describe('the history', () => {
  it('is offered by entry and by run, single writes too, the latest first', async () => {
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
    expect(entries.map(({ about }) => about)).toEqual([
      'members restore 19',
      '17',
      '18',
      'members restore 17 18 --yes',
    ]);
    const [single, first, second, bulk] = entries.map(({ value }) => value);
    expect([first, second]).toEqual([`${bulk}-1`, `${bulk}-2`]);
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
