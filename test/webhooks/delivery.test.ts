import { describe, expect, it } from 'vitest';
import type { SignatureVerdict } from '../../src/webhooks/delivery.ts';
import { type ReceivedRequest, toDelivery } from '../../src/webhooks/delivery.ts';

const arrival = (
  body: string | Uint8Array,
  headers: ReceivedRequest['headers'] = [],
  target = '/',
): ReceivedRequest => ({
  method: 'POST',
  target,
  headers,
  body: typeof body === 'string' ? Buffer.from(body) : body,
});

const of = (one: ReceivedRequest, state: SignatureVerdict['state'] = 'none') =>
  toDelivery(one, Date.UTC(2026, 10, 21), { state });

describe('a delivery', () => {
  it('has its own id, else that of its body', () => {
    expect(of(arrival('x', [['Webhook-Id', 'msg_1']])).id).toBe('msg_1');
    // printf x | sha256sum
    expect(of(arrival('x')).id).toBe('sha256:2d711642b726b044');
  });

  it('finds its event in the body', () => {
    expect(of(arrival('{"event":"a.b","type":"c"}')).event).toBe('a.b');
    expect(of(arrival('{"event":"","type":"c"}')).event).toBe('c');
    expect(of(arrival('[1]')).event).toBeNull();
    expect(of(arrival(Buffer.from([0x22, 0xff, 0x22]))).event).toBeNull();
  });

  it('is the same one by id and path, whatever else changes', () => {
    const id = [['webhook-id', 'msg_1']] as const;
    const first = of(arrival('a', id));
    const other = [['WEBHOOK-ID', 'msg_1'] as const, ['x', 'y'] as const];
    expect(of(arrival('b', other)).key).toBe(first.key);
    expect(of(arrival('a', id, '/other')).key).not.toBe(first.key);
    expect(of(arrival('a')).key).toBe(of(arrival('a', [['x', 'y']])).key);
    expect(of(arrival('a')).key).not.toBe(of(arrival('b')).key);
    expect(first.key).toMatch(/^[0-9a-f]{32}$/);
  });

  it('never gives its place to one whose signature is wrong', () => {
    const id = [['webhook-id', 'msg_1']] as const;
    const good = of(arrival('a', id), 'valid');
    expect(of(arrival('a', id), 'invalid').key).not.toBe(good.key);
    expect(of(arrival('a', id), 'expired').key).toBe(good.key);
  });
});
