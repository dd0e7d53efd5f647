import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sitDown } from '../support/at-a-terminal.ts';
import { runInProcess } from '../support/in-process.ts';
import { envelope, onePage, type Recorder, serviceEnv, startRecorder } from '../support/recorder.ts';

/** Who is about to archive a member reads first whether that is somebody who has just been invited. */

const DAY = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY - DAY / 2).toISOString();

const person = (id: number, firstname: string, status: string, created_at: unknown) => ({
  ...{ id, firstname, lastname: 'Ek', email: `${firstname.toLowerCase()}@example.com` },
  ...{ status, created_at, current_role: 'Regular User', deleted_at: null },
});
const people = [
  person(17, 'Ana', 'inactive', daysAgo(3)),
  person(18, 'Bo', 'inactive', daysAgo(0)),
  person(19, 'Cy', 'active', '2024-02-29T08:00:00Z'),
  person(20, 'Di', 'left', 'soon'),
];
/** What stands beside each name. */
const SAID = [
  /Ana Ek .*inactive +invited 3 days ago/,
  /Bo Ek .*inactive +invited less than a day ago/,
  /Cy Ek .*active +invited Feb 29 2024/,
  /Di Ek .*left/,
];

let recorder: Recorder;
beforeAll(async () => {
  recorder = await startRecorder(({ line }) => {
    const id = /^GET \/members\/(\d+)/.exec(line)?.[1];
    if (id !== undefined) return { body: envelope(people.find((one) => one.id === Number(id))) };
    if (line.startsWith('GET /workspaces')) return { body: onePage([{ id: 7, workspace_name: 'N' }]) };
    return { body: onePage(people) };
  });
});
afterAll(() => recorder.close());

it('asks the same of those that are picked', async () => {
  const { screen } = await sitDown(['members', 'archive'], {
    env: serviceEnv(recorder),
    columns: 120,
    answer: ({ kind }) => (kind === 'pick' ? '\t\t\t\t\r' : 'n\r'),
  });
  expect(screen).toContain('Archive 4 members? (y/N)');
  for (const said of SAID) expect(screen).toMatch(said);
});

describe.each([
  ['--all', ['members', 'archive', '--all', '--role', 'regular-user']],
  ['named members', ['members', 'archive', '17', '18', '19', '20']],
])('archiving %s', (_how, line) => {
  it('asks with the status of each, and when they were invited', async () => {
    const { screen, prompts } = await sitDown(line, {
      env: serviceEnv(recorder),
      columns: 100,
      answer: () => 'n\r',
    });
    expect(prompts).toEqual([{ message: 'Archive 4 members', kind: 'confirm' }]);
    for (const said of SAID) expect(screen).toMatch(said);
    expect(screen).not.toMatch(/invited soon|NaN/);
    expect(recorder.lines().filter((sent) => !sent.startsWith('GET'))).toEqual([]);
  });

  it('says the same in a dry run, at a terminal or not', async () => {
    const { stdout, exit } = await runInProcess([...line, '--dry-run'], { env: serviceEnv(recorder) });
    expect(exit).toBe(0);
    for (const said of SAID) expect(stdout).toMatch(said);
    const { screen } = await sitDown([...line, '--dry-run'], {
      env: serviceEnv(recorder),
      columns: 120,
      answer: () => '',
    });
    expect(screen).not.toContain('y/N');
  });
});
