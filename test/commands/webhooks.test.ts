import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../support/folder.ts';
import { runInProcess } from '../support/in-process.ts';
import { envelope, onePage, serviceEnv, startRecorder } from '../support/service.ts';
import { sitDown } from '../support/terminal.ts';

/**
 * docs/service.md, Webhooks: `workspace_id` in the query of the reads, and in the body alone of the writes. A create
 * looks for its like before, so that a lost answer can be told.
 */

const LIST = 'GET /webhooks?workspace_id=7&page=1&per_page=100';

/** The list's own envelope (docs/service.md, Envelope). */
const bare = (page: number, rows: readonly object[]) => ({
  max_rows: 50,
  current_page: page,
  total_pages: 2,
  data: rows,
});

const hook = (n: number) => ({ id: `w${n}`, url: `https://h.example/${n}`, events: ['tracker.started'] });

describe('the list of webhooks', () => {
  it('is read whole though its envelope is its own', async () => {
    const first = Array.from({ length: 50 }, (_, i) => hook(i + 1));
    const recorder = await startRecorder(({ line }) => ({
      body: line.includes('page=2') ? bare(2, [hook(51)]) : bare(1, first),
    }));
    const { exit, stdout } = await runInProcess(['webhooks', 'list', '--output', 'ids'], {
      env: serviceEnv(recorder),
    });
    await recorder.close();
    expect(exit).toBe(0);
    expect(stdout.trim().split('\n')).toEqual(Array.from({ length: 51 }, (_, i) => `w${i + 1}`));
    expect(recorder.lines()).toEqual([LIST, 'GET /webhooks?workspace_id=7&page=2&per_page=100']);
  });
});

describe('the token of a webhook', () => {
  const TOKEN = 'whsec_canary';
  const shown = async (...args: string[]) => {
    const rows = [{ ...hook(1), token: TOKEN }];
    const recorder = await startRecorder(({ line }) => ({
      body: line.includes('/webhooks?')
        ? { ...bare(1, rows), total_pages: 1 }
        : envelope({ ...hook(1), token: TOKEN }),
    }));
    const { stdout, stderr, exit } = await runInProcess(args, { env: serviceEnv(recorder) });
    await recorder.close();
    expect(exit).toBe(0);
    return stdout + stderr;
  };
  const create = ['create', '--url', 'https://h.example/1', '--event', 'tracker.started'];

  it.each([
    ['list', ['list']],
    ['get', ['get', 'w1']],
    ['create', create],
  ])('is hidden from people in %s, unless they ask', async (_name, args) => {
    const hidden = await shown('webhooks', ...args);
    expect(hidden).toContain('••••');
    expect(hidden).not.toContain(TOKEN);
    expect(await shown('webhooks', ...args, '--show-secrets')).toContain(TOKEN);
    expect(await shown('webhooks', ...args, '--json')).toContain(TOKEN);
  });

  it('R22: is what an invitation link is too, in the results of runs in every format', async () => {
    const recorder = await startRecorder(({ line }) => ({
      body: line.startsWith('GET')
        ? envelope([])
        : envelope({ user_id: 5, invitation_link: 'https://x.example/canary' }),
    }));
    const line = 'members invite a@example.com --firstname A --lastname B --role regular-user';
    const env = serviceEnv(recorder);
    const file = join(makeFolder(), 'people.csv');
    writeFileSync(file, 'email,firstname,lastname,role\na@example.com,A,B,regular-user\n');
    const bulk = ['members', 'invite', '--from-file', file, '--yes', '--json'];
    const masked = await runInProcess(bulk, { env });
    const whole = await runInProcess([...bulk, '--show-secrets'], { env });
    const hidden = await runInProcess(line.split(' '), { env });
    const open = await runInProcess([...line.split(' '), '--show-secrets'], { env });
    await recorder.close();
    expect(masked.stdout).toContain('"invitation_link": "***"');
    expect(whole.stdout).toContain('canary');
    expect(hidden.stdout).not.toContain('canary');
    expect(open.stdout).toContain('canary');
  });
});

describe('an event', () => {
  it('has a name', async () => {
    const args = ['webhooks', 'create', '--url', 'https://h.example/1', '--event', ''];
    const { exit, stderr } = await runInProcess(args, { env: { TTCTL_TOKEN: 'x' } });
    expect(exit).toBe(2);
    expect(stderr).toContain('--event: needs a value');
  });

  it.each([
    ['create', 'traker.started', 'Did you mean tracker.started?'],
    ['update', 'nope.evt', 'Known events: tracker.started, '],
    ['create', 'member.invited', undefined],
  ])('of any name is sent; %s tells of %s', async (verb, event, words) => {
    const recorder = await startRecorder(() => ({ body: envelope({ id: 'w1' }) }));
    const target = verb === 'update' ? ['w1'] : [];
    const args = ['webhooks', verb, ...target, '--url', 'https://h.example/1', '--event', event];
    const { exit, stderr } = await runInProcess(args, { env: serviceEnv(recorder) });
    await recorder.close();
    expect(exit, stderr).toBe(0);
    expect(recorder.lines().at(-1)).toContain(`"events":["${event}"]`);
    if (words === undefined) expect(stderr).not.toContain(event);
    else expect(stderr).toContain(`${event} is not a documented event. ${words}`);
  });
});

it('a deletion shows what it is about', async () => {
  const hook = { id: 'w1', url: 'https://h.example/x', events: ['tracker.started'] };
  const recorder = await startRecorder(({ line }) => ({
    body: line.startsWith('GET /webhooks/w1') ? envelope(hook) : onePage([]),
  }));
  const { screen, exit } = await sitDown(['webhooks', 'delete', 'w1'], {
    env: serviceEnv(recorder),
    answer: () => 'n\r',
  });
  await recorder.close();
  expect(screen).toContain('https://h.example/x  tracker.started  w1');
  expect(exit).toBe(9);
});
