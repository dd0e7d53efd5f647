import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sitDown } from '../support/at-a-terminal.ts';
import { onePage, type Recorder, serviceEnv, startRecorder } from '../support/recorder.ts';

/** Who is about to decide on many reads first what the inbox warns about. */

const person = (id: number, firstname: string) => ({
  ...{ id, firstname, lastname: 'Ek', email: `${firstname.toLowerCase()}@example.com` },
  ...{ status: 'active', weekly_hours_limit: 40 },
});
const sheet = (id: string, user_id: number, total_hours: number) => ({
  ...{ id, user_id, total_hours, status: 'submitted', submitted_on: '2026-08-10T08:00:00Z' },
  ...{ date_from: '2026-08-03', date_to: '2026-08-09' },
});
const ROWS: Readonly<Record<string, readonly unknown[]>> = {
  '/timesheets': [sheet('s1', 17, 38), sheet('s2', 18, 45), sheet('s3', 19, 40)],
  '/members': [person(17, 'Ana'), person(18, 'Bo'), person(19, 'Cy')],
  '/workspaces': [{ id: 7, workspace_name: 'N' }],
};

let recorder: Recorder;
beforeAll(async () => {
  recorder = await startRecorder(({ line }) => ({
    body: onePage(ROWS[/^GET ([^?]*)/.exec(line)?.[1] ?? ''] ?? []),
  }));
});
afterAll(() => recorder.close());

const ask = (line: readonly string[]) =>
  sitDown(line, { env: serviceEnv(recorder), columns: 100, answer: () => 'n\r' });

const FLAGGED = /Bo Ek +Aug 3–9 +45:00 +s2\s+! 5:00 over the limit of 40:00 a week/;

describe('approving many', () => {
  it('asks with what has a warning first, in words, and how many have which', async () => {
    const { screen, prompts } = await ask(['timesheets', 'approve', '--all']);
    expect(prompts).toEqual([{ message: 'Approve 3 timesheets', kind: 'confirm' }]);
    expect(screen).toMatch(FLAGGED);
    expect(screen.search(/Bo Ek/)).toBeLessThan(screen.search(/Ana Ek/));
    expect(screen).toContain('2 clean, 1 over the limit');
    expect(recorder.lines().filter((sent) => !sent.startsWith('GET'))).toEqual([]);
  });

  it('says in a dry run which they are', async () => {
    const { screen } = await ask(['timesheets', 'approve', '--all', '--dry-run']);
    expect(screen).toMatch(FLAGGED);
    expect(screen).toContain('2 clean, 1 over the limit');
  });
});
