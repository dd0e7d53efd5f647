import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { allOperations } from '../../src/api/operations.ts';
import { findRecordFacts } from '../../src/api/records.ts';
import type { Run } from '../../src/run.ts';
import { DeliveryStore, toDelivery } from '../../src/webhooks/delivery.ts';
import { envelope, onePage } from '../support/service.ts';
import { useCli } from '../support/use-cli.ts';

/** The beginning of an id as a target: tables on a terminal show no more of it. */

const IDS = [
  '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b',
  '8c1f2b3a-5d6e-4f70-8a9b-ffffffffffff',
  '0d9be1d5-3c5f-4b5c-9c55-2a3f0f6f8a11',
];
const ROWS = IDS.map((id) => ({
  ...{ id, status: 'submitted', url: 'https://h.example', events: [] },
  ...{ member: 'Ana Sousa', expense_name: 'Taxi', expense_date: 'Nov 12, 2026', amount: 20 },
}));

const t = useCli({
  service: ({ line }) => ({
    body: / \/\w[\w-]*\?/.test(line) ? onePage(ROWS) : envelope({ ...ROWS[2] }),
  }),
});
/** What a person at a terminal sends, without queries, bodies and decisions. */
const sit = async (line: string) => {
  const before = t.requests.length;
  const { exit, screen } = await t.sit(line, () => '');
  const sent = t.requests.slice(before).map((one) => one.line.replace(/(\/(approve|reject))?\?.*$/, ''));
  return { exit, sent, screen: stripVTControlCharacters(screen).replace(/\s+/g, ' ') };
};

describe('a shortened id at a terminal', () => {
  it.each([
    ...allOperations
      .filter((operation) => findRecordFacts(operation.noun)?.fields.id?.type === 'string')
      .filter(({ method, path }) => method === 'GET' && path.endsWith('}'))
      .map(({ id, path }) => [id.replace('.', ' '), `GET ${path.replace(/\{.*/, '')}`]),
    ['timesheets approve --yes', 'PUT /timesheets/'],
    ['leaves reject --reason no --yes', 'PUT /leaves/'],
    ['expenses delete --yes', 'DELETE /expenses/'],
    ['webhooks delete --yes', 'DELETE /webhooks/'],
    ['expenses update --name Train --date 2026-11-20 --amount 1 --category 4', 'PUT /expenses/'],
    ['webhooks update --url https://h.example --event tracker.stopped', 'PUT /webhooks/'],
  ])('is understood by %s', async (command = '', start?: string) => {
    const [noun = '', verb = '', ...flags] = command.split(' ');
    const { sent } = await sit([noun, verb, '0d9be1d5', ...flags].join(' '));
    expect(sent).toContain(`${start}${IDS[2]}`);
  });

  it.each(['0d9be1d5', '0d9', '0'])('however short, where one alone begins so: %s', async (text) => {
    expect((await sit(`webhooks get ${text}`)).sent.at(-1)).toBe(`GET /webhooks/${IDS[2]}`);
  });

  it.each(['8', '8123'])('is not found in a number, which is an id: %s', async (text) => {
    const rows = [{ ...ROWS[0], id: 81234567890 }, ...ROWS.slice(2)];
    t.answer = () => ({ body: onePage(rows) });
    const { sent } = await sit(`webhooks delete ${text} --yes`);
    expect(sent.at(-1)).toBe(`DELETE /webhooks/${text}`);
  });

  it('that begins several ids is refused, and they are shown', async () => {
    const { exit, screen } = await sit('timesheets approve 8c1f2b3a --yes');
    expect([exit, t.sent()]).toEqual([2, []]);
    expect(screen).toContain(`"8c1f2b3a" matches 2 ids ${IDS[0]} ${IDS[1]} hint: Type`);
  });

  it('that is nothing is left to the service, and a whole id is looked up nowhere', async () => {
    expect((await sit('webhooks get 00000000')).sent.at(-1)).toBe('GET /webhooks/00000000');
    expect((await sit(`webhooks get ${IDS[2]}`)).sent).toHaveLength(1);
  });
});

describe('a shortened id of --except at a terminal', () => {
  it('spares what it means, and is found among what --all finds, without another request', async () => {
    const { sent: all } = await sit('timesheets approve --all --yes');
    const { sent } = await sit('timesheets approve --all --except 0d9be1d5 --yes');
    expect(sent).toEqual(all.filter((line) => line !== `PUT /timesheets/${IDS[2]}`));
    expect(sent.slice(-2)).toEqual([`PUT /timesheets/${IDS[0]}`, `PUT /timesheets/${IDS[1]}`]);
  });

  it('is refused where it begins several ids, and nothing is sent', async () => {
    const { exit, screen } = await sit('timesheets approve --all --except 8c1 --yes');
    expect([exit, t.sent()]).toEqual([2, []]);
    expect(screen).toContain('"8c1" matches 2 ids');
  });
});

describe('ids of what is on this machine', () => {
  const sandbox = useCli({ sandbox: 'demo' });
  const at = (line: string) => sandbox.sit(line, () => 'y\r', { columns: 200 });
  /** As a terminal of 200 columns shows them, in the last column of a table. */
  const listIds = async (line: string): Promise<readonly string[]> => {
    const table = await sandbox.read(line, { machine: { width: 200 } });
    const rows = table.trim().split('\n').slice(1);
    return rows.map((row) => row.split(/ {2,}/).at(-1) ?? '');
  };

  it('O6: entries of the history are whole, and the beginning of a run is enough', async () => {
    for (const id of [105, 106]) await sandbox.read(`members update ${id} --weekly-hours-limit 11`);
    const [latest = '', first = ''] = await listIds('history list');
    const [{ id = '' } = {}, earlier] = await sandbox.entries();
    expect(latest).toBe(id);
    const start = first.slice(0, -4);
    const { stdout } = await at(`history show ${start} --json`);
    expect(JSON.parse(stdout)).toEqual(earlier);
    expect((await at(`undo ${latest}`)).exit).toBe(0);
    expect((await sandbox.entries())[0]).toMatchObject({ operation: 'members.update', target: '106' });
    const { exit, screen } = await at('undo 2');
    expect(exit).toBe(2);
    expect(screen).toMatch(/matches 3 ids\r?\n/);
    expect((await sandbox.run(`undo ${start}`)).exit).toBe(2);
  });

  it('a run that was begun so stays the run, never one of its writes', async () => {
    await sandbox.run('members archive 105 106 --yes');
    const [{ run } = {}] = await sandbox.entries();
    expect(await listIds('history list')).toEqual([`${run}-2`, `${run}-1`]);
    const shown = await at(`history show ${run} --json`);
    expect(JSON.parse(shown.stdout)).toMatchObject([{ target: '105' }, { target: '106' }]);
    const start = String(run).slice(0, -1);
    const { stdout } = await at(`history list --run ${start} --output ids`);
    expect(stdout).toBe(`${run}-2\n${run}-1\n`);
    expect((await sandbox.run(`history list --run ${start}`)).exit).toBe(2);
    await sandbox.run('members archive 107 108 --yes');
    const several = await at(`history list --run ${String(run).slice(0, 8)}`);
    expect(several.exit).toBe(2);
    expect(several.screen).toContain('matches 2 ids');
  });

  it('jobs', async () => {
    await sandbox.run('members archive 105 106 --yes');
    const [{ id = '' } = {}] = await sandbox.rows('jobs list');
    expect(await listIds('jobs list')).toEqual([id]);
    for (const one of [String(id).slice(0, 8), `${id}-2`]) {
      const { stdout } = await at(`jobs show ${one} --json`);
      expect(JSON.parse(stdout)).toMatchObject([{ target: '105' }, { target: '106' }]);
    }
  });

  it('deliveries', async () => {
    const store = new DeliveryStore(
      { directories: {}, output: {}, machine: { redactor: {} } } as unknown as Run,
      join(sandbox.state, 'webhooks'),
    );
    store.prepare();
    for (const id of ['msg_2aaaaaaaaaaaaaaa', 'msg_2aabaaaaaaaaaaaa']) {
      const headers = [['webhook-id', id]] as const;
      const arrival = { method: 'POST', target: '/', headers, body: Buffer.from('{}') };
      store.keep(toDelivery(arrival, 1, { state: 'none' }));
    }
    expect([...(await listIds('webhooks received'))].sort()).toEqual(['msg_2aaa', 'msg_2aab']);
    const { stdout } = await at('webhooks received msg_2aab --json');
    expect(JSON.parse(stdout)).toMatchObject({ id: 'msg_2aabaaaaaaaaaaaa' });
    expect((await at('webhooks replay msg_2aa --exec true')).stderr).toContain('matches 2 ids');
    expect((await sandbox.run('webhooks received msg_2aab')).exit).toBe(2);
  });
});
