import { expect, test } from 'vitest';
import { withDryRun } from '../../src/http/links.ts';
import { createRedactor } from '../../src/http/redact.ts';
import type { HttpRequest, Transport } from '../../src/http/transport.ts';

const setUp = () => {
  const sent: HttpRequest[] = [];
  const next: Transport = (request) => {
    sent.push(request);
    return Promise.resolve({ status: 200, headers: {}, body: '[]' });
  };
  const redactor = createRedactor();
  redactor.register('whsec_1234567890');
  return { sent, transport: withDryRun(next, redactor) };
};

const request = (parts: Partial<HttpRequest>): HttpRequest => ({
  method: 'GET',
  base: 'https://api.test/api/v2',
  path: '/timesheets/17/approve',
  query: [['workspace_id', '7']],
  headers: {},
  ...parts,
});

test('a read passes', async () => {
  const { transport, sent } = setUp();
  expect(await transport(request({}))).toEqual({ status: 200, headers: {}, body: '[]' });
  expect(sent).toHaveLength(1);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('%s does not leave the process', async (method) => {
  const { transport, sent } = setUp();
  expect(await transport(request({ method, body: { workspace_id: 7 } }))).toEqual({
    status: 200,
    headers: {},
    body: '',
    planned: {
      method,
      path: '/timesheets/17/approve',
      query: { workspace_id: '7' },
      body: { workspace_id: 7 },
    },
  });
  expect(sent).toEqual([]);
});

test('secrets are masked, wherever they stand', async () => {
  const { transport } = setUp();
  const body = {
    url: 'https://x.test/?k=whsec_1234567890',
    token: 'unregistered',
    events: ['a'],
    note: null,
  };
  const { planned } = await transport(request({ method: 'POST', body }));
  expect(planned?.body).toEqual({ url: 'https://x.test/?k=***', token: '***', events: ['a'], note: null });
});

test('a form is shown by its names, with all values', async () => {
  const { transport } = setUp();
  const form = [
    ['events[]', 'a'],
    ['events[]', 'b'],
    ['client_secret', 'x'],
  ] as const;
  const { planned } = await transport(request({ method: 'POST', query: [], form }));
  expect(planned).toMatchObject({ query: {}, body: { 'events[]': 'a,b', client_secret: '***' } });
});
