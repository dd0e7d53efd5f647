import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findOperation, operations } from '../../src/api/operations.ts';
import { buildRequest, type Extra, encodePathSegment, NO_EXTRA } from '../../src/api/plan.ts';
import { UsageError } from '../../src/errors.ts';
import { failureOf } from '../support/in-process.ts';

/** What a request needs; where its values travel is in test/scripts/*.requests.session. */

const { members, tasks } = operations;
const frame = (extra: Partial<Extra> = {}) => ({
  ...{ base: 'https://host/api/v2', workspaceId: 7, extra: { ...NO_EXTRA, ...extra } },
  flagOf: (name: string) => `--${name.replaceAll('_', '-')}`,
});

it('values that are needed and missing are all named, by their flags', () => {
  const invite = () => buildRequest(members.invite, { email: 'a@b', lastname: '' }, frame());
  expect(failureOf(invite)).toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining('missing --firstname, --lastname, --role'),
  });
  expect(() => buildRequest(tasks.list, {}, frame())).toThrow('missing --project-id');
});

it('values that are needed may come from --input, --field and --param', () => {
  const extra = { input: { firstname: 'A', lastname: 'B' }, body: { role: 'Regular User' } };
  expect(() => buildRequest(members.invite, { email: 'a@b' }, frame(extra))).not.toThrow();
  expect(() => buildRequest(tasks.list, {}, frame({ query: [['project_id', '3']] }))).not.toThrow();
});

const words = ['', ' ', '\u00a0', '-', ' - ', '.', ' .. ', 'a/b', '../x', 'a\\b', 'a\u0000b', '\ud800'];
it.each([undefined, ...words])('an id is never %j', (memberId) => {
  const { name, message } = failureOf(() => buildRequest(members.get, { memberId }, frame()));
  expect([name, message]).toEqual(['UsageError', expect.stringContaining('cannot be the id of a member')]);
});

it.each([
  ['8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b', '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b'],
  ['a?b#c', 'a%3Fb%23c'],
  ['%2e%2e', '%252e%252e'],
  ['Ünï 1', '%C3%9Cn%C3%AF%201'],
])('an id %j is one segment: %s', (id, encoded) => {
  expect(buildRequest(members.get, { memberId: id }, frame()).path).toBe(`/members/${encoded}`);
});

it('an id of any text is refused, or stays one segment that the service reads as it was written', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (id) => {
      try {
        const part = encodePathSegment(id, () => 'an id');
        const segments = new URL(`http://h/api/v2/members/${part}/restore`).pathname.split('/');
        expect([segments.length, decodeURIComponent(segments[4] ?? '')]).toEqual([6, id]);
      } catch (error) {
        expect(error).toBeInstanceOf(UsageError);
      }
    }),
    { numRuns: 500 },
  );
});

it('an operation is found by its id alone, whatever the table calls it', () => {
  const ids = ['time-requests.create', 'timeRequests.create', 'members.constructor', 'constructor.name'];
  expect(ids.map((id) => findOperation(id)?.id).filter(Boolean)).toEqual(['time-requests.create']);
});
