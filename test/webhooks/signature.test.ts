import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReceivedRequest, verifySignature } from '../../src/webhooks/delivery.ts';

/** The example that Standard Webhooks publishes; its signature was made anew with openssl. */
const TOKEN = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const TIME = 1_614_265_330;
const BODY = '{"test": 2432232314}';
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const NOW = TIME * 1000;

const signed = (
  changes: Readonly<Record<string, string | undefined>> = {},
  text = BODY,
): Pick<ReceivedRequest, 'headers' | 'body'> => {
  const headers = {
    'Webhook-Id': ID,
    'Webhook-Timestamp': String(TIME),
    'Webhook-Signature': SIGNATURE,
    ...changes,
  };
  const body = Buffer.from(text);
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { headers: pairs, body };
};

describe('a signature in the layout of Standard Webhooks', () => {
  it('is valid for the published example', () => {
    expect(verifySignature(signed(), TOKEN, NOW)).toEqual({ state: 'valid' });
  });

  it('is valid among several, of other versions too', () => {
    const several = `v1a,abc v1,${'A'.repeat(43)}= ${SIGNATURE} v2,x`;
    expect(verifySignature(signed({ 'Webhook-Signature': several }), TOKEN, NOW).state).toBe('valid');
  });

  it('is not valid for any other body, id, time or token', () => {
    const state = (one: Pick<ReceivedRequest, 'headers' | 'body'>, token = TOKEN) =>
      verifySignature(one, token, NOW).state;
    expect(state(signed({}, '{"test": 2432232315}'))).toBe('invalid');
    expect(state(signed({ 'Webhook-Id': 'msg_other' }))).toBe('invalid');
    expect(state(signed({ 'Webhook-Timestamp': String(TIME + 1) }))).toBe('invalid');
    expect(state(signed(), 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx')).toBe('invalid');
    expect(state(signed(), 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')).toBe('invalid');
    expect(state(signed({ 'Webhook-Signature': 'v1,' }))).toBe('invalid');
    expect(state(signed({ 'Webhook-Signature': `v1,${SIGNATURE}` }))).toBe('invalid');
  });

  it('is never valid for what was tampered with', () => {
    const at = fc.nat(BODY.length - 1);
    fc.assert(
      fc.property(at, fc.integer({ min: 1, max: 255 }), (index, change) => {
        const body = Buffer.from(BODY);
        body[index] = (body[index] ?? 0) ^ change;
        expect(verifySignature({ ...signed(), body }, TOKEN, NOW).state).toBe('invalid');
      }),
    );
  });

  it('says what is missing', () => {
    expect(verifySignature(signed({ 'Webhook-Id': undefined }), TOKEN, NOW)).toEqual({
      state: 'invalid',
      detail: 'it has no webhook-id, or no webhook-timestamp in seconds',
    });
    expect(verifySignature(signed({ 'Webhook-Timestamp': '2026-11-21' }), TOKEN, NOW).detail).toContain(
      'timestamp',
    );
  });

  it.each([
    [300, 'valid', undefined],
    [-300, 'valid', undefined],
    [301, 'expired', 'signed 5 min ago'],
    [-301, 'expired', 'signed 5 min ahead of this clock'],
    [86_400, 'expired', 'signed 1440 min ago'],
  ] as const)('%i s apart is %s', (seconds, state, detail) => {
    expect(verifySignature(signed(), TOKEN, NOW + seconds * 1000)).toEqual(
      detail ? { state, detail } : { state },
    );
  });

  it('takes the bytes of a token that is not packed', () => {
    // printf 'a.1.b' | openssl dgst -sha256 -hmac 'plain-token' -binary | base64
    const one = {
      headers: [
        ['webhook-id', 'a'],
        ['webhook-timestamp', '1'],
        ['webhook-signature', 'v1,sODgFipQo3ODCJHTBnDoKvfg0f0I7jngB/xbrST3WHI='],
      ] as const,
      body: Buffer.from('b'),
    };
    expect(verifySignature(one, 'plain-token', 1000).state).toBe('valid');
  });

  it('is unchecked without a token, or in a version that is not known', () => {
    expect(verifySignature(signed(), undefined, NOW).state).toBe('unchecked');
    expect(verifySignature(signed({ 'Webhook-Signature': 'v1a,abc' }), TOKEN, NOW).state).toBe('unchecked');
  });
});

describe('other layouts are told for what they are', () => {
  const bare = { 'Webhook-Signature': undefined };

  it('nothing at all', () => {
    expect(verifySignature(signed(bare), TOKEN, NOW)).toEqual({ state: 'none' });
  });

  it('the token in a header, or a header that looks like a signature', () => {
    const detail = (one: Pick<ReceivedRequest, 'headers' | 'body'>) => verifySignature(one, TOKEN, NOW);
    expect(detail(signed({ ...bare, 'X-Webhook-Token': TOKEN }))).toEqual({
      state: 'none',
      detail: 'the header x-webhook-token has an unknown format',
    });
    expect(detail(signed({ ...bare, Authorization: `Bearer ${TOKEN}` })).detail).toContain('authorization');
    expect(detail(signed({ ...bare, 'X-Hub-Signature-256': 'sha256=00' })).detail).toContain(
      'x-hub-signature-256',
    );
  });
});
