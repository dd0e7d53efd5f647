import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from './support/clocks.ts';
import { cleanHome, type Home, runBinary } from './support/process.ts';
import { openTerminal } from './support/terminal.ts';
import { eventBody, type Listener, post, startListener } from './support/webhooks.ts';

/** `webhooks listen` as a process: signals, kills, commands that hang, a terminal. */

let home: Home;
const running: Listener[] = [];
beforeEach(() => {
  home = cleanHome();
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  home.remove();
});

const listen = async (...args: string[]) => {
  const listener = await startListener(args, home.env);
  running.push(listener);
  return listener;
};
const ttctl = (...args: string[]) => runBinary(['webhooks', ...args], { env: home.env });
const states = async () =>
  JSON.parse((await ttctl('received', '--json')).stdout).map(({ state }: { state: string }) => state);
const send = async ({ url }: Listener, id: string) =>
  expect((await post(url, eventBody('a'), { 'webhook-id': id })).status).toBe(200);
const out = () => join(home.folder, 'out');
const output = () => (existsSync(out()) ? readFileSync(out(), 'utf8') : '');
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it('ends with 143 when it is terminated, and frees its port', async () => {
  const { child, ended, ready } = await listen();
  child.kill('SIGTERM');
  expect((await ended).exit).toBe(143);
  await listen('--port', String(ready['port']));
  const second = await ttctl('listen', '--port', String(ready['port']));
  expect(second.exit).toBe(1);
  expect(second.stderr).toMatch(/cannot listen on 127\.0\.0\.1, port \d+[\s\S]*--port 0/);
});

it.runIf(process.platform !== 'win32')(
  'leaves to the next one what it has not forwarded, whatever ends it',
  async () => {
    const first = await listen('--exec', `echo $$ >> ${out()}; exec sleep 60`);
    await send(first, 'm1');
    await send(first, 'm2');
    await until(() => output().endsWith('\n'));
    first.child.kill('SIGTERM');
    expect((await first.ended).exit).toBe(143);
    // The command got the signal too.
    expect(isAlive(Number(output()))).toBe(false);
    expect(await states()).toEqual(['pending', 'pending']);
    const second = await listen('--exec', `echo $$ >> ${out()}; exec sleep 60`);
    await until(() => output().split('\n').length === 3);
    second.child.kill('SIGKILL');
    await second.ended;
    process.kill(Number(output().split('\n')[1]));
    const third = await listen('--exec', `echo "$TTCTL_DELIVERY_ID" >> ${out()}`, '--limit', '2');
    expect((await third.ended).exit).toBe(0);
    expect(output()).toMatch(/^\d+\n\d+\nm1\nm2\n$/);
    expect(await states()).toEqual(['accepted', 'accepted']);
  },
);

it('makes what comes harmless to a terminal', async () => {
  const terminal = openTerminal(['webhooks', 'listen', '--port', '0'], { env: home.env });
  await terminal.until(/Listening on (\S+)\s/);
  const url = /Listening on (\S+)\s/.exec(terminal.screen())?.[1] ?? '';
  const steer = '\u001b]0;owned\u0007\u202eevil\n::error::x';
  await post(url, eventBody(`a${steer}`, { name: steer }), { 'webhook-id': 'id' });
  await post(url, `plain ${steer}`, { 'content-type': 'text/plain' });
  await terminal.until(/plain/);
  terminal.type('\u0003');
  const { screen, exit } = await terminal.ended;
  expect(exit).toBe(130);
  expect(screen).toContain('\\x1b]0;owned\\x07\\u202eevil');
  expect(screen).not.toContain('\u001b]0;');
  expect(screen).not.toContain('\u202e');
});
