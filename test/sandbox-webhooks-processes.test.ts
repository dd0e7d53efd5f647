import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BIN, cleanHome, type Finished, type Home, runBinary } from './support/binary.ts';
import { type HookReceiver, startReceiver } from './support/hook-receiver.ts';
import { until } from './support/turned-clock.ts';

/** Webhooks of the sandbox, from the built program to a real receiver. */

let home: Home;
let receiver: HookReceiver;
const servers: number[] = [];

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

beforeEach(async () => {
  home = cleanHome({ TTCTL_RATE_LIMIT: 'off' });
  receiver = await startReceiver();
});
afterEach(async () => {
  await ttctl(['sandbox', 'stop']);
  // A server in the background writes in its home until it has gone.
  await until(() => servers.every((pid) => !alive(pid)));
  servers.length = 0;
  await receiver.close();
  home.remove();
});

const ttctl = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> =>
  runBinary(args, { env: { ...home.env, ...env } });
const embedded = (...args: string[]): Promise<Finished> => ttctl(args, { TTCTL_PROFILE: 'sandbox' });
const json = ({ stdout, stderr }: Finished) => {
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
};
/** Starts a server in the background. */
const start = async (): Promise<{ url: string; pid: number }> => {
  const place = json(await ttctl(['sandbox', 'start', '--port', '0', '--detach', '--json']));
  servers.push(place.pid);
  return place;
};
const create = ['webhooks', 'create', '--event', 'project.created', '--url'];

describe('the embedded sandbox', () => {
  it('delivers after the output, and each event once when several processes make some at once', async () => {
    await embedded(...create, receiver.url);
    const names = Array.from({ length: 5 }, (_, n) => `Quay ${n}`);
    const made = await Promise.all(
      names.map((name) => embedded('projects', 'create', '--name', name, '--output', 'ids')),
    );
    expect(made.map(({ exit }) => exit)).toEqual(names.map(() => 0));
    const got = receiver.received.map(({ body }) => JSON.parse(body));
    expect(got.map(({ data }) => data.name).sort()).toEqual(names);
    expect(new Set(got.map(({ id }) => id)).size).toBe(5);
    const rows = json(await embedded('sandbox', 'webhooks', 'deliveries', '--json'));
    expect(rows.map(({ status, attempts }: Record<string, unknown>) => [status, attempts])).toEqual(
      names.map(() => ['delivered', 1]),
    );
  });
});

describe('a server', () => {
  it('in the background delivers what commands do, and is asked by its locator', async () => {
    const { url } = await start();
    const env = json(await ttctl(['sandbox', 'env', '--json']));
    await ttctl([...create, receiver.url], env);
    await ttctl(['projects', 'create', '--name', 'Quay'], env);
    await until(() => receiver.received.length === 1);
    const list = ['sandbox', 'webhooks', 'deliveries', '--json'];
    await until(async () => json(await ttctl(list))[0].status === 'delivered');
    expect(json(await ttctl([...list, '--url', url]))).toMatchObject([{ event: 'project.created' }]);
    const { stdout } = await ttctl(['sandbox', 'webhooks', 'trigger', 'project.created', '-o', 'csv'], env);
    expect(stdout).toContain(',delivered,1,200,');
    expect(receiver.received).toHaveLength(2);
  });
});

describe('sandbox exec', () => {
  it('ends after what its command did has been delivered', async () => {
    const script = `"$0" "$1" ${create.join(' ')} "$2" && exec "$0" "$1" projects create --name Quay`;
    const { exit, stderr } = await ttctl([
      ...['sandbox', 'exec', '--', 'sh', '-c', script, process.execPath, BIN, receiver.url],
    ]);
    expect(exit, stderr).toBe(0);
    expect(receiver.events()).toEqual(['project.created']);
  });
});
