import { afterEach, describe, expect, it } from 'vitest';
import { quickClock } from '../support/clocks.ts';
import { runInProcess, words } from '../support/in-process.ts';
import { type Answer, onePage, type Recorder, serviceEnv, startRecorder } from '../support/service.ts';

/** What a person is told to do after a write whose answer was lost. */

let service: Recorder | undefined;
afterEach(() => service?.close());

const html: Answer = { headers: { 'content-type': 'text/html' }, body: '<h1>Welcome</h1>' };
const failing: Answer = { status: 500, body: { success: false, message: 'boom' } };

/** Without a history nothing could be gone on with: how to look by hand is said. */
const run = async (line: string, write: Answer, read: Answer, args: readonly string[] = ['--no-history']) => {
  service = await startRecorder(({ line: sent }) => (sent.startsWith('GET') ? read : write));
  return runInProcess([...words(line), ...args], {
    env: serviceEnv(service),
    machine: { clock: quickClock },
  });
};

const sheets = (status: string): Answer => ({ body: onePage([{ id: 'a1', status }]) });
const APPROVE = 'timesheets approve a1 --yes';

describe('a write of which nobody knows', () => {
  it.each([
    [APPROVE, failing, 'ttctl timesheets list --id a1'],
    [APPROVE, html, 'ttctl timesheets list --id a1'],
    ['expenses delete e1 --yes', failing, 'ttctl expenses list --id e1'],
    ['members restore 17', failing, 'ttctl members get 17'],
    ['viewers assign 17 --project 5', failing, 'ttctl viewers get 17'],
    ['tasks assign 3 --project 5 --member 17', failing, 'ttctl tasks assignees 3 --project 5'],
  ])('%s: how to look is said where the look-up failed too', async (line, answer, look) => {
    const { stderr, exit, stdout } = await run(line, answer, answer);
    expect([exit, stdout]).toEqual([7, expect.stringContaining('unknown')]);
    expect(stderr).toContain(
      `\nhint: It may have been carried out: the records could not be read either. Check before sending it again: ${look}\n`,
    );
  });

  it('tells it in JSON too, with the result', async () => {
    const { stderr, stdout } = await run(APPROVE, failing, failing, ['--json']);
    const hint = expect.stringContaining('send it only if it was not done: ttctl jobs resume ');
    expect(JSON.parse(stdout)).toMatchObject([{ status: 'unknown', error: { hint } }]);
    expect(JSON.parse(stderr).error).toMatchObject({ exit: 7, hint });
  });

  it('quotes what was named, in the command to look with', async () => {
    const { stderr } = await run('timesheets approve --yes', failing, failing, ['a 1; x', '--no-history']);
    expect(stderr).toContain(": ttctl timesheets list --id 'a 1; x'\n");
  });

  it('is a state that tells nothing', async () => {
    const { stderr } = await run(
      'timesheets approve 5 --yes',
      { cut: true },
      {
        body: onePage([{ id: 5, status: 'odd' }]),
      },
    );
    expect(stderr).toContain('It may have been carried out: the records do not show the outcome.');
  });

  it('is an invitation of somebody who was a member before', async () => {
    const invite = 'members invite p3@x.example --firstname P --lastname Three --role regular-user';
    const there = { body: onePage([{ id: 3, email: 'P3@x.example' }]) };
    const { stdout, stderr, exit } = await run(invite, failing, there);
    expect([exit, stdout]).toEqual([7, '? p3@x.example  unknown\n']);
    expect(stderr).toContain('Check before sending it again: ttctl members list\n');
  });

  it('is not one of a viewer, who becomes a member', async () => {
    const invite = 'members invite p3@x.example --firstname P --lastname Three --role regular-user';
    const viewer = { id: 3, email: 'p3@x.example', current_role: 'Project viewer' };
    let role = viewer.current_role;
    service = await startRecorder(({ line }) => {
      if (line.startsWith('GET')) return { body: onePage([{ ...viewer, current_role: role }]) };
      role = 'Regular User';
      return { cut: true };
    });
    const done = await runInProcess([...words(invite), '--json'], { env: serviceEnv(service) });
    expect([done.exit, JSON.parse(done.stdout)]).toMatchObject([0, { user_id: 3 }]);
    await service.close();
    const { stdout } = await run(invite, { cut: true }, { body: onePage([viewer]) }, ['--json']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'unknown' });
  });
});

it('tells nothing of a look-up for a refusal, or a read', async () => {
  const refused: Answer = { status: 422, body: { success: false, message: 'No.' } };
  const { stderr } = await run(APPROVE, refused, sheets('open'));
  expect(stderr).not.toMatch(/records|carried out/);
  await service?.close();
  expect((await run('members list', failing, failing, ['--max-wait', '0'])).stderr).not.toContain(
    'carried out',
  );
});

it('gives the advice once for many, in one line', async () => {
  const { stdout, exit } = await run('timesheets approve a1 a2 --yes', failing, failing);
  expect(exit).toBe(7);
  expect(stdout.match(/Check before/g)).toHaveLength(1);
  expect(stdout).not.toContain('\\n');
});

it('is told of a raw write as well', async () => {
  for (const answer of [failing, html, { cut: true } as const]) {
    const { stderr } = await run('api PUT /members/17 --field firstname=Ana', answer, failing, []);
    expect(stderr).toContain(
      '\nhint: It is not known whether the request was carried out: check before sending it again.\n',
    );
    await service?.close();
  }
});

it('gives no advice about pages for the answer to a write', async () => {
  const huge: Answer = { body: ' '.repeat(65 * 1024 * 1024) };
  // However long so much takes to come: the clock of these tests is a hundred times faster than the machine.
  const { stderr } = await run(APPROVE, huge, sheets('submitted'), ['--timeout', '100000']);
  expect(stderr).toContain('is too large');
  expect(stderr).not.toContain('--per-page');
});
