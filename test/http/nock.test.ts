import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHttpSender } from '../../src/http/send.ts';
import { realClock } from '../../src/platform/machine.ts';

beforeEach(() => nock.disableNetConnect());
afterEach(() => {
  nock.cleanAll();
  nock.enableNetConnect();
});

describe('nock sees what is sent', () => {
  const sender = createHttpSender({ timeoutMs: 60_000, userAgent: 'ttctl/test', clock: realClock, env: {} });

  test('path, query, headers and body', async () => {
    const scope = nock('https://api.example.test', { reqheaders: { authorization: 'Bearer abc' } })
      .put('/api/v2/timesheets/8c1f/approve?workspace_id=7', '{"workspace_id":7}')
      .reply(200, { success: true }, { 'x-seen': '1' });
    const answer = await sender.transport({
      method: 'PUT',
      base: 'https://api.example.test/api/v2',
      path: '/timesheets/8c1f/approve',
      query: [['workspace_id', '7']],
      headers: { authorization: 'Bearer abc' },
      body: { workspace_id: 7 },
    });
    expect(answer).toMatchObject({ status: 200, body: '{"success":true}', headers: { 'x-seen': '1' } });
    scope.done();
  });
});
