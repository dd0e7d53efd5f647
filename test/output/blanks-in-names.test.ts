import { afterAll, beforeAll, expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { onePage, type Recorder, serviceEnv, startRecorder } from '../support/service.ts';

/** S16: a last name of blanks and figures is no column of its own for people; for programs it is as it came. */

const LASTNAME = 'Tanaka   \u00a0 Nov 9–15 \u2800\u2800 0:30';
const mei = { id: 17, email: 'mei@example.com', firstname: 'Mei', lastname: LASTNAME };
const sheet = {
  id: 't1',
  user_id: 17,
  status: 'submitted',
  date_from: '2026-11-09',
  date_to: '2026-11-15',
  total_hours: 38.5,
};

let service: Recorder;
beforeAll(async () => {
  service = await startRecorder(({ line }) => {
    if (line.startsWith('GET /members')) return { body: onePage([mei]) };
    return { body: onePage(line.startsWith('GET /timesheets') ? [sheet] : []) };
  });
});
afterAll(() => service.close());

const run = (line: string) => runInProcess(line.split(' '), { env: serviceEnv(service) });

it.each([
  'members list -o table',
  'members list -o markdown',
  'timesheets list -o table',
  'timesheets approve t1 --dry-run -o table',
  'inbox -o table',
])('S16 %s', async (line) => {
  const { stdout, stderr, exit } = await run(line);
  expect(exit, stderr).toBe(0);
  expect(stdout).toContain('Mei Tanaka Nov 9–15 0:30');
});

it.each(['-o json', '-o csv', '-o ndjson'])('S16 members list %s', async (format) => {
  expect((await run(`members list ${format}`)).stdout).toContain(LASTNAME);
});
