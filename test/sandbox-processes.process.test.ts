import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BIN, finished } from './support/process.ts';
import { useCli } from './support/use-cli.ts';
import { type HookReceiver, post, signedHeaders, startListener, startReceiver } from './support/webhooks.ts';

/** The embedded sandbox under several processes, one that is killed, and its webhooks on their way to others. */

const t = useCli({ sandbox: 'demo' });
let receiver: HookReceiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const names = ['Ada', 'Bo', 'Cy', 'Di', 'Eva'];

it.skipIf(process.platform === 'win32')(
  'a run that is killed has done what it says, and goes on',
  async () => {
    /** How much was added to the state since it was written whole. */
    const changes = () => {
      const text = readFileSync(`${t.state}/sandbox/world.json`, 'utf8');
      return text.length - text.split('\n', 1).join('').length;
    };
    for (const size of [2_000, 20_000]) {
      await t.read('sandbox reset --seed month-end');
      const child = t.start('timesheets approve --all --yes --quiet --json');
      const ended = finished(child);
      await expect.poll(changes, { interval: 5, timeout: 60_000 }).toBeGreaterThan(size);
      child.kill('SIGKILL');
      await ended;
      expect(changes()).toBeGreaterThan(0);
      const [job] = await t.rows('jobs list');
      const results = await t.rows(`jobs show ${job?.['id']}`);
      const done = results.filter(({ status }) => status === 'done').map(({ target }) => target);
      const approved = (await t.rows('timesheets list --status approved')).map(({ id }) => id);
      expect(done.length).toBeGreaterThan(0);
      expect(approved).toEqual(expect.arrayContaining(done));
      expect((await t.run(`jobs resume ${job?.['id']} --yes --quiet`)).exit).toBe(0);
      expect(await t.json('timesheets list --status submitted')).toEqual([]);
    }
  },
);

it('several at once lose nothing: each record has the id that was said, each event is delivered once', async () => {
  await t.read(`webhooks create --event project.created --url ${receiver.url}`);
  const made = await Promise.all(
    names.map(async (name) => {
      const ids: string[] = [];
      for (const n of [1, 2]) {
        const { stdout } = await t.process(`projects create --name "${name} ${n}" -o ids`);
        ids.push(`${stdout.trim()} ${name} ${n}`);
      }
      return ids;
    }),
  );
  const listed = (await t.rows('projects list')).map(({ id, name }) => `${id} ${name}`);
  expect(made.flat()).toHaveLength(10);
  expect(listed).toEqual(expect.arrayContaining(made.flat()));
  const got = receiver.received.map(({ body }) => JSON.parse(body));
  expect(got.map(({ data }) => `${data.id} ${data.name}`).sort()).toEqual(made.flat().sort());
  expect(new Set(got.map(({ id }) => id)).size).toBe(10);
  const rows = await t.rows('sandbox webhooks deliveries');
  expect(rows.every(({ status, attempts }) => status === 'delivered' && attempts === 1)).toBe(true);
});

it('sandbox exec ends after what its command did has been delivered', async () => {
  const create = `webhooks create --event project.created --url ${receiver.url}`;
  const script = `"$0" "$1" ${create} && exec "$0" "$1" projects create --name Quay`;
  const exec = ['sandbox', 'exec', '--', 'sh', '-c', script, process.execPath, BIN];
  const { exit, stderr } = await t.process(exec);
  expect(exit, stderr).toBe(0);
  expect(receiver.events()).toEqual(['project.created']);
});

describe('to a listener, which knows nothing of it', () => {
  const own = ['--create', '--event', 'project.created', '--require-signature', '--limit', '1'];

  it('an event of a command arrives, signed with the token of the webhook, wherever the clock was moved', async () => {
    await t.read('sandbox clock advance 15d');
    const { ended } = await startListener(own, t.processEnv());
    await t.process(['projects', 'create', '--name', 'Brücke']);
    const { stdout, exit } = await ended;
    expect(exit).toBe(0);
    const payload = { event: 'project.created', data: { name: 'Brücke' } };
    expect(JSON.parse(stdout)).toMatchObject({ event: 'project.created', signature: 'valid', payload });
    expect(await t.read('webhooks list --json')).not.toContain('project.created');
  });

  it('S10 with --create what is not signed is refused, and what is signed in another format is not', async () => {
    const { url, ended } = await startListener(['--create', '--limit', '2'], t.processEnv());
    expect((await post(url, '{}')).status).toBe(401);
    const forged = signedHeaders('{}', { id: 'x', key: 'another', seconds: Math.floor(Date.now() / 1000) });
    expect((await post(url, '{}', forged)).status).toBe(401);
    expect((await post(url, '{"n":1}', { 'x-signature': 'abc' })).status).toBe(200);
    await t.process('projects create --name Quay');
    const { stdout, exit, stderr } = await ended;
    expect(exit, stderr).toBe(0);
    const rows = stdout.trim().split('\n');
    expect(rows.map((row) => JSON.parse(row).signature)).toEqual(['none', 'valid']);
  });
});
