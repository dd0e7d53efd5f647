import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, createBench } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

describe('webhooks', () => {
  const hook = () => ({
    workspace_id: bench.space.id,
    url: 'http://127.0.0.1:9/x',
    events: ['tracker.started', 'my.own'],
  });

  it('lists in its own envelope, 50 a page, without tokens', () => {
    for (let i = 0; i < 50; i += 1) bench.send('POST', '/webhooks', { body: hook() });
    const { body } = bench.send('GET', '/webhooks', { query: { page: '2' } });
    expect(body).toMatchObject({ max_rows: 50, current_page: 2, total_pages: 2 });
    expect(body.data).toHaveLength(2);
    expect(Object.keys(body.data[0])).toEqual(['id', 'url', 'events']);
  });

  it('creates from JSON and from a form, with a token', () => {
    const answer = bench.send('POST', '/webhooks', { workspace: false, body: hook() });
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual({
      id: expect.any(String),
      url: hook().url,
      events: hook().events,
      token: expect.stringMatching(/^whsec_/),
    });
    const two = ['events[]=a&events[]=b', 'events[0]=a&events[1]=b', 'events%5B%5D=a&events%5B%5D=b'];
    for (const raw of [...two, 'events=a&events=b']) {
      const form = bench.send('POST', '/webhooks', {
        workspace: false,
        type: 'application/x-www-form-urlencoded; charset=utf-8',
        raw: `workspace_id=${bench.space.id}&url=https%3A%2F%2Fa.example&${raw}`,
      });
      expect(form.body.data).toMatchObject({ url: 'https://a.example', events: ['a', 'b'] });
    }
    const one = bench.send('POST', '/webhooks', {
      workspace: false,
      type: 'application/x-www-form-urlencoded',
      raw: `workspace_id=${bench.space.id}&url=https%3A%2F%2Fa.example&events=a`,
    });
    expect(one.body.data.events).toEqual(['a']);
    // In JSON a text is no list.
    const text = bench.send('POST', '/webhooks', { workspace: false, body: { ...hook(), events: 'a' } });
    expect(text.status).toBe(400);
  });

  it('gets, updates and deletes; the last two with success only', () => {
    const made = bench.send('POST', '/webhooks', { body: hook() }).body.data;
    const path = `/webhooks/${made.id}`;
    expect(bench.send('GET', path).body.data).toEqual(made);
    const update = bench.send('PUT', path, {
      workspace: false,
      body: { ...hook(), url: 'https://b.example/' },
    });
    expect(Object.keys(update.body)).toEqual(['success', 'meta']);
    expect(bench.send('GET', path).body.data).toEqual({ ...made, url: 'https://b.example/' });
    const gone = bench.send('DELETE', path, { workspace: false, body: { workspace_id: bench.space.id } });
    expect(Object.keys(gone.body)).toEqual(['success', 'meta']);
    expect(bench.send('GET', path).status).toBe(404);
  });

  it('refuses what does not fit', () => {
    for (const change of [
      { url: undefined },
      { url: 'ftp://x' },
      { url: 'x' },
      { events: [] },
      { events: 'a' },
      { events: [1] },
      { events: undefined },
    ]) {
      expect(bench.send('POST', '/webhooks', { body: { ...hook(), ...change } }).status).toBe(400);
    }
  });
});
