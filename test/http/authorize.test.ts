import { describe, expect, test } from 'vitest';
import { withAuthorization } from '../../src/http/links.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../src/http/transport.ts';

const write: HttpRequest = {
  method: 'PUT',
  base: 'https://api.test/api/v2',
  path: '/timesheets/17/approve',
  query: [['workspace_id', '7']],
  headers: { 'x-trace': '1' },
  body: { workspace_id: 7 },
};

const setUp = (statuses: readonly number[], renewed: string | undefined) => {
  const sent: HttpRequest[] = [];
  const refused: string[] = [];
  const next: Transport = (request): Promise<HttpResponse> => {
    sent.push(request);
    return Promise.resolve({ status: statuses[sent.length - 1] ?? 0, headers: {}, body: '' });
  };
  const transport = withAuthorization(next, {
    token: () => Promise.resolve('first'),
    renew: (token) => {
      refused.push(token);
      return Promise.resolve(renewed);
    },
  });
  return { transport, sent, refused };
};

describe('authorizing', () => {
  test('sends the bearer token and leaves the rest alone', async () => {
    const { transport, sent, refused } = setUp([200], 'second');
    expect((await transport(write)).status).toBe(200);
    expect(sent).toEqual([{ ...write, headers: { 'x-trace': '1', authorization: 'Bearer first' } }]);
    expect(refused).toEqual([]);
  });

  test('tries another token once after a 401, with a write too', async () => {
    const { transport, sent, refused } = setUp([401, 200], 'second');
    expect((await transport(write)).status).toBe(200);
    expect(sent.map((request) => request.headers['authorization'])).toEqual([
      'Bearer first',
      'Bearer second',
    ]);
    expect(sent[1]?.body).toEqual({ workspace_id: 7 });
    expect(refused).toEqual(['first']);
  });

  test.each([undefined, 'first'])('does not send again with no other token (%s)', async (renewed) => {
    const { transport, sent } = setUp([401, 200], renewed);
    expect((await transport(write)).status).toBe(401);
    expect(sent).toHaveLength(1);
  });
});
