import { describe, expect, it } from 'vitest';
import { useBench } from './bench.ts';

const bench = useBench();

describe('webhooks', () => {
  const hook = { url: 'http://127.0.0.1:9/x', events: ['tracker.started', 'my.own'] };

  it('are listed in an envelope of their own, 50 a page, without tokens', () => {
    for (let i = 0; i < 50; i += 1) bench.ask('POST /webhooks', hook);
    const { body } = bench.ask('GET /webhooks', { page: '2' });
    expect(body).toMatchObject({ max_rows: 50, current_page: 2, total_pages: 2 });
    expect(body.data).toHaveLength(2);
    expect(Object.keys(body.data[0])).toEqual(['id', 'url', 'events']);
  });

  it.each([
    ['events[]=a&events[]=b', ['a', 'b']],
    ['events[0]=a&events[1]=b', ['a', 'b']],
    ['events%5B%5D=a&events%5B%5D=b', ['a', 'b']],
    ['events=a&events=b', ['a', 'b']],
    ['events=a', ['a']],
  ])('are created from the form %s', (events, expected) => {
    const raw = `workspace_id=${bench.space.id}&url=https%3A%2F%2Fa.example&${events}`;
    const type = 'application/x-www-form-urlencoded; charset=utf-8';
    const { data } = bench.ask('POST /webhooks', {}, { workspace: false, type, raw });
    expect(data).toMatchObject({ url: 'https://a.example', events: expected });
  });

  it('are created from JSON with a token, updated and deleted; the last two with success only', () => {
    const { status, data } = bench.ask('POST /webhooks', hook);
    expect(status).toBe(200);
    expect(data).toEqual({ ...hook, id: expect.any(String), token: expect.stringMatching(/^whsec_/) });
    const path = `/webhooks/${data.id}`;
    expect(bench.ask(`GET ${path}`).data).toEqual(data);
    const url = 'https://b.example/';
    expect(Object.keys(bench.ask(`PUT ${path}`, { ...hook, url }).body)).toEqual(['success', 'meta']);
    expect(bench.ask(`GET ${path}`).data).toEqual({ ...data, url });
    expect(Object.keys(bench.ask(`DELETE ${path}`).body)).toEqual(['success', 'meta']);
    expect(bench.status(`GET ${path}`)).toBe(404);
  });

  it.each([
    { url: undefined },
    { url: 'ftp://x' },
    { url: 'x' },
    { events: [] },
    // In JSON a text is no list.
    { events: 'a' },
    { events: [1] },
    { events: undefined },
  ])('are refused with %j', (change) => {
    expect(bench.status('POST /webhooks', { ...hook, ...change })).toBe(400);
  });
});
