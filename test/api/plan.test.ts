import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.ts';
import { findOperation, operations } from '../../src/api/operations.ts';
import { buildRequest, type Extra, encodePathSegment, NO_EXTRA, type Values } from '../../src/api/plan.ts';
import { UsageError } from '../../src/errors.ts';

/** Where each value travels (docs/service.md, Where values travel). */

const frame = (extra: Partial<Extra> = {}, workspaceId: number | undefined = 7) => ({
  base: 'https://host/api/v2',
  workspaceId,
  extra: { ...NO_EXTRA, ...extra },
  flagOf: (name: string) => `--${name.replaceAll('_', '-')}`,
});

/** `METHOD path?query body`, as it would stand on the wire before encoding. */
const written = (
  operation: Operation,
  values: Values,
  extra?: Partial<Extra>,
  workspace?: number,
): string => {
  const { method, path, query, body } = buildRequest(operation, values, frame(extra, workspace));
  const search = query.map(([name, value]) => `${name}=${value}`).join('&');
  return `${method} ${path}${search === '' ? '' : `?${search}`}${body === undefined ? '' : ` ${JSON.stringify(body)}`}`;
};

const { members, viewers, projects, tasks, timesheets, timeTracking } = operations;

describe('workspace_id goes', () => {
  it.each([
    ['nowhere', timeTracking.stop, {}, 'POST /time-tracking/stop'],
    ['into the query of a read', members.get, { memberId: '17' }, 'GET /members/17?workspace_id=7'],
    [
      ...([
        'into both where the document says neither or both',
        members.archive,
        { memberId: '17' },
      ] as const),
      'DELETE /members/17?workspace_id=7 {"workspace_id":7}',
    ],
    [
      ...(['into the body alone where the document says so', projects.archive, { projectId: '3' }] as const),
      'DELETE /projects/3 {"workspace_id":7}',
    ],
  ] as const)('%s', (_name, operation, values, line) => {
    expect(written(operation, values)).toBe(line);
  });

  it('as the body brings it, in both places', () => {
    expect(
      written(timesheets.reject, { timesheetId: 't1', reason: 'no' }, { input: { workspace_id: 9 } }),
    ).toBe('PUT /timesheets/t1/reject?workspace_id=9 {"workspace_id":9,"reason":"no"}');
  });

  it('as a raw query parameter brings it, once', () => {
    expect(written(members.list, {}, { query: [['workspace_id', '9']] })).toBe('GET /members?workspace_id=9');
  });
});

describe('other values', () => {
  it('go into the query of a read and the body of a write; what is not given is not sent', () => {
    expect(written(members.list, { status: 'active', email: undefined })).toBe(
      'GET /members?workspace_id=7&status=active',
    );
    expect(written(members.update, { memberId: '17', rate_status: 0, firstname: undefined })).toBe(
      'PUT /members/17?workspace_id=7 {"workspace_id":7,"rate_status":0}',
    );
  });

  it('whose place the document does not state go into query and body of a write', () => {
    expect(written(viewers.unassign, { viewerId: '9', project_id: 3 })).toBe(
      'DELETE /project-viewers/9/unassign-project?workspace_id=7&project_id=3 {"workspace_id":7,"project_id":3}',
    );
  });

  it('lie in layers: --input, then flags, then --field', () => {
    const extra = { input: { firstname: 'Eve', title: 'Dr', note: 1 }, body: { title: 'Lead' } };
    const { body } = buildRequest(members.update, { memberId: '17', firstname: 'Ana' }, frame(extra));
    expect(body).toEqual({ workspace_id: 7, firstname: 'Ana', title: 'Lead', note: 1 });
  });

  it('of --param stand in the order given, also twice', () => {
    const query = ['a', 'b'].map((tag) => ['tag', tag] as const);
    expect(written(members.list, {}, { query })).toBe('GET /members?workspace_id=7&tag=a&tag=b');
  });

  it('that are needed and missing are all named, by their flags', () => {
    const attempt = () => buildRequest(members.invite, { email: 'a@b', lastname: '' }, frame());
    expect(attempt).toThrow('missing --firstname, --lastname, --role');
    expect(attempt).toThrow(UsageError);
    expect(() => buildRequest(tasks.list, {}, frame())).toThrow('missing --project-id');
  });

  it('that are needed may come from --input, --field and --param', () => {
    const input = { firstname: 'A', lastname: 'B' };
    expect(() =>
      buildRequest(members.invite, { email: 'a@b' }, frame({ input, body: { role: 'Regular User' } })),
    ).not.toThrow();
    expect(() => buildRequest(tasks.list, {}, frame({ query: [['project_id', '3']] }))).not.toThrow();
  });
});

describe('an id', () => {
  it.each([
    undefined,
    '',
    ' ',
    '\u00a0',
    '-',
    ' - ',
    '.',
    ' .. ',
    'a/b',
    '../x',
    'a\\b',
    'a\u0000b',
    '\ud800',
  ])('is never %j', (id) => {
    expect(() => buildRequest(members.get, { memberId: id }, frame())).toThrow(UsageError);
    expect(() => buildRequest(members.get, { memberId: id }, frame())).toThrow(
      'cannot be the id of a member',
    );
  });

  it.each([
    ['8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b', '8c1f2b3a-5d6e-4f70-8a9b-0c1d2e3f4a5b'],
    ['a?b#c', 'a%3Fb%23c'],
    ['%2e%2e', '%252e%252e'],
    ['Ünï 1', '%C3%9Cn%C3%AF%201'],
  ])('%j is one segment: %s', (id, encoded) => {
    expect(buildRequest(members.get, { memberId: id }, frame()).path).toBe(`/members/${encoded}`);
  });

  it('of any text is refused, or stays one segment that the service reads as it was written', () => {
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
});

it('an operation is found by its id alone, whatever the table calls it', () => {
  const ids = ['time-requests.create', 'timeRequests.create', 'members.constructor', 'constructor.name'];
  expect(ids.map((id) => findOperation(id)?.id).filter(Boolean)).toEqual(['time-requests.create']);
});
