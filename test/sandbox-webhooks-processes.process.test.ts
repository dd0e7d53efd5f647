import { afterEach, beforeEach, expect, it } from 'vitest';
import { BIN, cleanHome, type Home, runBinary } from './support/process.ts';
import { type HookReceiver, startReceiver } from './support/webhooks.ts';

/** Webhooks of the sandbox, from the built program to a real receiver. */

let home: Home;
let receiver: HookReceiver;
beforeEach(async () => {
  home = cleanHome({ TTCTL_RATE_LIMIT: 'off' });
  receiver = await startReceiver();
});
afterEach(async () => {
  await receiver.close();
  home.remove();
});

const embedded = (...args: string[]) => runBinary(args, { env: { ...home.env, TTCTL_PROFILE: 'sandbox' } });
const create = ['webhooks', 'create', '--event', 'project.created', '--url'];

it('the embedded sandbox delivers after the output, and each event once when several processes make some', async () => {
  await embedded(...create, receiver.url);
  const names = Array.from({ length: 5 }, (_, n) => `Quay ${n}`);
  const made = await Promise.all(
    names.map((name) => embedded('projects', 'create', '--name', name, '--output', 'ids')),
  );
  expect(made.map(({ exit }) => exit)).toEqual(names.map(() => 0));
  const got = receiver.received.map(({ body }) => JSON.parse(body));
  expect(got.map(({ data }) => data.name).sort()).toEqual(names);
  expect(new Set(got.map(({ id }) => id)).size).toBe(5);
  const { stdout } = await embedded('sandbox', 'webhooks', 'deliveries', '--json');
  expect(JSON.parse(stdout)).toMatchObject(names.map(() => ({ status: 'delivered', attempts: 1 })));
});

it('sandbox exec ends after what its command did has been delivered', async () => {
  const script = `"$0" "$1" ${create.join(' ')} "$2" && exec "$0" "$1" projects create --name Quay`;
  const { exit, stderr } = await runBinary(
    ['sandbox', 'exec', '--', 'sh', '-c', script, process.execPath, BIN, receiver.url],
    { env: home.env },
  );
  expect(exit, stderr).toBe(0);
  expect(receiver.events()).toEqual(['project.created']);
});
