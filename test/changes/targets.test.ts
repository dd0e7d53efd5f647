import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { onePage, type Recorder, serviceEnv, startRecorder } from '../support/service.ts';

/** Targets that cannot be meant: all of them are told before a write, and what can be seen before any request. */

const refusal = { success: false, message: 'The email field must be a valid email address.', data: null };
let service: Recorder;
beforeEach(async () => {
  service = await startRecorder(({ line }) => {
    if (line.includes('strict')) return { status: 422, body: refusal };
    const mei = { id: 105, email: 'mei@x.example' };
    return { body: onePage(!line.includes('email=') || line.includes('mei%40') ? [mei] : []) };
  });
});
afterEach(() => service.close());

const run = (args: readonly string[], stdin?: string) =>
  runInProcess(args, {
    env: serviceEnv(service),
    ...(stdin === undefined ? {} : { stdin }),
  });

describe('an address that is none', () => {
  it.each([
    [['members', 'archive', '105', 'bad@', '--yes']],
    [['members', 'get', 'bad@']],
    [['members', 'update', 'bad@', '--role', 'regular-user']],
    [['viewers', 'get', 'a b@x.example']],
    [['contracts', 'create', '--project', '5', '--member', 'bad@']],
  ])('is told before the first request: %j', async (args) => {
    const { exit, stderr } = await run(args);
    expect(stderr).toMatch(/^error: (--member: )?"(bad@|a b@x\.example)" is not an e-mail address\n$/);
    expect([exit, service.lines()]).toEqual([2, []]);
  });

  it('is told of the service too, which may be stricter', async () => {
    const { exit, stderr } = await run(['members', 'archive', 'strict@x', '--yes']);
    expect([exit, stderr]).toEqual([
      6,
      'error: The email field must be a valid email address.\n  request: GET /members (422)\n',
    ]);
  });

  it('is not one with a blank around it, nor is a name with an @ in it', async () => {
    expect((await run(['members', 'get', ' mei@x.example '])).stderr).not.toContain('not an e-mail');
    expect(service.lines()[0]).toContain('email=mei%40x.example');
    const { stderr } = await run(['projects', 'archive', 'Kiosk @ hall', '--yes']);
    expect(stderr).toContain('error: no project "Kiosk @ hall"\n');
  });
});

describe('several wrong targets', () => {
  it('are told together', async () => {
    const malformed = await run(['members', 'archive', 'bad@', '105', '@worse', '--yes']);
    expect([malformed.exit, malformed.stderr]).toEqual([
      2,
      'error: the command line has 2 mistakes; nothing was sent\n  "bad@" is not an e-mail address\n  "@worse" is not an e-mail address\n',
    ]);
    expect(service.lines()).toEqual([]);
    const unknown = await run([
      'members',
      'archive',
      'one@x.example',
      'mei@x.example',
      'two@x.example',
      '--yes',
    ]);
    expect([unknown.exit, unknown.stderr]).toEqual([
      5,
      'error: the command line has 2 mistakes; nothing was sent\n  no member "one@x.example"\n  no member "two@x.example"\nhint: List the members: ttctl members list\n',
    ]);
    expect(service.lines().filter((line) => !line.startsWith('GET'))).toEqual([]);
  });

  it('are one where one record is written in two ways', async () => {
    const { exit, stdout } = await run(['members', 'archive', 'mei@x.example', '105', '--yes', '--json']);
    const became = (JSON.parse(stdout) as { status: string }[]).map(({ status }) => status);
    expect([exit, became]).toEqual([0, ['done', 'skipped']]);
    expect(service.lines().filter((line) => line.startsWith('DELETE'))).toHaveLength(1);
  });

  it('on stdin are told with their lines', async () => {
    const { exit, stderr } = await run(['timesheets', 'approve', '-', '--yes'], 'a1\n\nbad id/x\n..\n- \n');
    expect([exit, service.lines()]).toEqual([2, []]);
    expect(stderr).toContain('error: stdin has 3 mistakes; nothing was sent\n');
    expect(stderr).toContain('  stdin:5: "-" cannot be the id of a timesheet\n');
    expect(stderr).toContain('  stdin:3: "bad id/x" cannot be the id of a timesheet\n');
    expect(stderr).toContain('  stdin:4: ".." cannot be the id of a timesheet\n');
  });
});
