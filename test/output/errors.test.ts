import { expect, it } from 'vitest';
import { ApiError } from '../../src/errors.ts';
import { renderFailure, renderFailureJson } from '../../src/output/errors.ts';

const refused = new ApiError('Error: the service refused the request\x1b[2J', 422, {
  ...{
    code: 'refused',
    exit: 6,
    reason: 'The given data was invalid.\n::error::',
    hint: 'Correct the fields.',
  },
  details: {
    ...{ status: 422, request: 'POST /members', errors: { email: ['taken', 'bad'] } },
    required_scope: ['write', 'admin'],
  },
});
const STYLE = { colour: false };

it('renderFailure says what, why, and last what to do', async () => {
  expect(await renderFailure(refused, STYLE)).toEqual([
    'error: the service refused the request\\x1b[2J',
    '  the service says:',
    '    The given data was invalid.',
    '    \\x3a:error::',
    '    email: taken, bad',
    '  required scope: write, admin',
    '  request: POST /members (422)',
    'hint: Correct the fields.',
  ]);
});

it('renderFailure of a fault says how to report it; a stack only with --debug', async () => {
  const fault = new TypeError('x is not a function');
  const lines = await renderFailure(fault, STYLE);
  expect(lines).toEqual(['error: TypeError: x is not a function', expect.stringMatching(/report/)]);
  const debug = await renderFailure(fault, { ...STYLE, debug: true });
  expect(debug.join('\n')).toContain('errors.test.ts');
  expect(debug.at(-2)).toBe(lines[0]);
});

it('renderFailureJson is one line with the members of the contract', () => {
  const line = renderFailureJson(refused);
  expect(line).not.toContain('\n');
  expect(line).not.toContain('\x1b');
  const { message, reason, details } = refused;
  const hint = 'Correct the fields.';
  expect(JSON.parse(line)).toEqual({
    error: { code: 'refused', exit: 6, message, reason, hint, ...details },
  });
  const { error } = JSON.parse(renderFailureJson(new Error('x')));
  expect(error).toMatchObject({ code: 'unexpected', exit: 1, message: 'x' });
});
