import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../../src/run.ts';
import {
  DeliveryStore,
  type SignatureVerdict,
  toDelivery,
  verifySignature,
} from '../../src/webhooks/delivery.ts';
import { useCli } from '../support/use-cli.ts';

/** A delivery as a value, its signature, and the store of deliveries. */

const UNCHECKED: SignatureVerdict = { state: 'unchecked', detail: 'there is no token' };
const delivery = (
  id: string | undefined,
  body: Uint8Array | string = '{}',
  target = '/',
  verdict: SignatureVerdict = UNCHECKED,
) => {
  const headers = [
    ['Content-Type', 'x/y'],
    ...(id === undefined ? [] : [['WebHook-Id', id] as const]),
  ] as const;
  const arrival = { method: 'POST', target, headers, body: Buffer.from(body) };
  return toDelivery(arrival, Date.UTC(2026, 10, 21), verdict);
};

it('a delivery has its own id, else that of its body', () => {
  expect(delivery('msg_1').id).toBe('msg_1');
  // printf x | sha256sum
  expect(delivery(undefined, 'x').id).toBe('sha256:2d711642b726b044');
});

it('a delivery finds its event in the body', () => {
  const eventOf = (body: Uint8Array | string) => delivery('m', body).event;
  expect(eventOf('{"event":"a.b","type":"c"}')).toBe('a.b');
  expect(eventOf('{"event":"","type":"c"}')).toBe('c');
  expect(eventOf('[1]')).toBeNull();
  expect(eventOf(Buffer.from([0x22, 0xff, 0x22]))).toBeNull();
});

it('a delivery is the same one by id and path, whatever else changes; but not where its signature is wrong', () => {
  const { key } = delivery('m', 'a');
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(delivery('m', 'b').key).toBe(key);
  expect(delivery('m', 'a', '/other').key).not.toBe(key);
  expect(delivery(undefined, 'a').key).toBe(delivery(undefined, 'a').key);
  expect(delivery(undefined, 'a').key).not.toBe(delivery(undefined, 'b').key);
  const signed = delivery('m', 'a', '/', { state: 'valid' });
  expect(delivery('m', 'a', '/', { state: 'invalid' }).key).not.toBe(signed.key);
  expect(delivery('m', 'a', '/', { state: 'expired' }).key).toBe(signed.key);
});

describe('a signature in the layout of Standard Webhooks', () => {
  // The example that it publishes; its signature was made anew with openssl.
  const TOKEN = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  const TIME = 1_614_265_330;
  const BODY = '{"test": 2432232314}';
  /** @param late seconds after it was signed */
  const verify = (
    changes: Readonly<Record<string, string | undefined>>,
    { body = BODY as string | Buffer, token = TOKEN, late = 0 },
  ) => {
    const headers = Object.entries({
      'Webhook-Id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'Webhook-Timestamp': String(TIME),
      'Webhook-Signature': SIGNATURE,
      ...changes,
    }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    return verifySignature({ headers, body: Buffer.from(body) }, token || undefined, (TIME + late) * 1000);
  };
  const of = (signature: string | undefined, more = {}) => ({ 'Webhook-Signature': signature, ...more });

  it.each<
    [what: string, Parameters<typeof verify>[0], Parameters<typeof verify>[1], string, detail?: string]
  >([
    ['as it is published', {}, {}, 'valid'],
    ['among several', of(`v1a,abc v1,${'A'.repeat(43)}= ${SIGNATURE} v2,x`), {}, 'valid'],
    ['of another body', {}, { body: '{"test": 2432232315}' }, 'invalid'],
    ['of another id', { 'Webhook-Id': 'msg_other' }, {}, 'invalid'],
    ['of another time', { 'Webhook-Timestamp': String(TIME + 1) }, {}, 'invalid'],
    ['by another token', {}, { token: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSx' }, 'invalid'],
    ['by its token without the mark', {}, { token: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }, 'invalid'],
    ['that is empty', of('v1,'), {}, 'invalid'],
    ['with its version twice', of(`v1,${SIGNATURE}`), {}, 'invalid'],
    ['without an id', { 'Webhook-Id': undefined }, {}, 'invalid', 'it has no webhook-id'],
    ['with a date', { 'Webhook-Timestamp': '2026-11-21' }, {}, 'invalid', 'no webhook-timestamp in seconds'],
    ['of five minutes ago', {}, { late: 300 }, 'valid'],
    ['of five minutes ahead', {}, { late: -300 }, 'valid'],
    ['of more than five minutes ago', {}, { late: 301 }, 'expired', 'signed 5 min ago'],
    ['of more than five minutes ahead', {}, { late: -301 }, 'expired', 'signed 5 min ahead of this clock'],
    ['of yesterday', {}, { late: 86_400 }, 'expired', 'signed 1440 min ago'],
    ['without a token', {}, { token: '' }, 'unchecked'],
    ['in a version that is not known', of('v1a,abc'), {}, 'unchecked'],
    ['that is not there', of(undefined), {}, 'none'],
    ...['X-Webhook-Token', 'Authorization', 'X-Hub-Signature-256'].map(
      (name): [string, Record<string, string | undefined>, object, string, string] => [
        `in the header ${name}`,
        ...([of(undefined, { [name]: `Bearer ${TOKEN}` }), {}, 'none'] as const),
        `the header ${name.toLowerCase()} has an unknown format`,
      ],
    ),
  ])('%s', (_what, changes, more, state, detail) => {
    const found = verify(changes, more);
    expect(found.state).toBe(state);
    if (detail !== undefined) expect(found.detail).toContain(detail);
    if (state === 'valid') expect(found).toEqual({ state });
  });

  it('is never valid for what was tampered with', () => {
    fc.assert(
      fc.property(fc.nat(BODY.length - 1), fc.integer({ min: 1, max: 255 }), (index, change) => {
        const body = Buffer.from(BODY);
        body[index] = (body[index] ?? 0) ^ change;
        expect(verify({}, { body }).state).toBe('invalid');
      }),
    );
  });

  it('takes the bytes of a token that is not packed', () => {
    // printf 'a.1.b' | openssl dgst -sha256 -hmac 'plain-token' -binary | base64
    const headers = [
      ['webhook-id', 'a'],
      ['webhook-timestamp', '1'],
      ['webhook-signature', 'v1,sODgFipQo3ODCJHTBnDoKvfg0f0I7jngB/xbrST3WHI='],
    ] as const;
    expect(verifySignature({ headers, body: Buffer.from('b') }, 'plain-token', 1000).state).toBe('valid');
  });
});

const t = useCli();
const open = (named?: string) => {
  const run = { directories: { state: t.state }, output: { warn: () => {} }, machine: { redactor: {} } };
  return new DeliveryStore(run as unknown as Run, named);
};

describe('the store', () => {
  let folder: string;
  let store: DeliveryStore;
  beforeEach(() => {
    folder = join(t.state, 'webhooks');
    store = open();
    store.prepare();
  });
  const find = (id: string) => store.get(store.findKeys([id])[0] ?? '');
  const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

  it('keeps any bytes, headers and target as they came', () => {
    const text = fc.string({ unit: 'binary', maxLength: 30 });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), text, text, (body, id, value) => {
        // An id that was drawn before would be a repeat.
        for (const name of readdirSync(folder)) rmSync(join(folder, name));
        const one = { ...delivery(id, body, `/${value}`), headers: [['X-A', value]] as const };
        store.keep(one);
        const { payload: _, ...facts } = store.read(one.key) ?? one;
        expect(facts).toMatchObject({ id, target: `/${value}`, headers: [['X-A', value]], key: one.key });
        expect(Buffer.from(facts.body).equals(Buffer.from(body))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('keeps each once, private', () => {
    expect(store.keep(delivery('a'))).toBe('kept');
    expect(store.keep(delivery('a', '{"attempt":2}'))).toBe('repeat');
    expect(store.keep(delivery('b'))).toBe('kept');
    expect(store.keep(delivery(undefined, 'same'))).toBe('kept');
    expect(store.keep(delivery(undefined, 'same'))).toBe('repeat');
    expect(readdirSync(folder)).toHaveLength(3);
    expect(mode(folder)).toBe('700');
    for (const name of readdirSync(folder)) expect(mode(join(folder, name))).toBe('600');
    expect(open().keep(delivery('a'))).toBe('repeat');
  });

  it.each(['none', 'unchecked', 'invalid'] as const)(
    'never gives the place of a signed one to another of its id, whichever comes first: %s',
    (state) => {
      const signed = delivery('a', '{"amount":1}', '/', { state: 'valid' });
      const forged = delivery('a', '{"amount":999}', '/', { state });
      for (const [first, second] of [
        [signed, forged],
        [forged, signed],
      ] as const) {
        for (const name of readdirSync(folder)) rmSync(join(folder, name));
        expect([store.keep(first), store.keep(second)]).toEqual(['kept', 'kept']);
        expect(find('a').payload).toEqual({ amount: 1 });
        expect(store.read(signed.key)?.signature.state).toBe('valid');
        expect(store.read(forged.key)?.payload).toEqual({ amount: 999 });
        expect([store.keep(signed), store.keep(forged)]).toEqual(['repeat', 'repeat']);
      }
    },
  );

  it('does not make one anew that was removed before it is marked', () => {
    const { key } = delivery('a');
    store.keep(delivery('a'));
    store.remove(key);
    store.mark(key, 'accepted');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['cut off', 'id', 'target', 'received_at', 'headers', 'body'])(
    'writes a damaged one anew: %s',
    (what) => {
      const one = delivery('a');
      store.keep(one);
      const path = join(folder, `delivery.${one.key}.json`);
      const text = readFileSync(path, 'utf8');
      const other = JSON.stringify({ ...JSON.parse(text), [what]: { at: 1 } });
      writeFileSync(path, what === 'cut off' ? text.slice(0, 50) : other);
      expect(store.read(one.key)).toBeUndefined();
      expect(() => find('a')).toThrow('no delivery a is stored');
      expect(() => find(one.key)).toThrow(`delivery ${one.key} cannot be read`);
      expect(store.keep(one)).toBe('kept');
      expect(find('a').id).toBe('a');
    },
  );

  it.each([
    [true, 'List them: ttctl webhooks received'],
    [false, "List them: ttctl webhooks received --store '/of somebody'"],
  ])("says how those are listed among which one is not (ttctl's own: %s)", (own, hint) => {
    const other = open(own ? undefined : '/of somebody');
    expect(() => other.findKeys(['a'])).toThrow(expect.objectContaining({ hint }));
  });

  it('says at once that a place cannot be used, and leaves the mode of a folder that was there', () => {
    const file = t.file('file', '');
    const failure = expect.objectContaining({ exit: 1, hint: 'Use another directory.' });
    expect(() => open(file).prepare()).toThrow(failure);
    expect(() => [...open(file).entries()]).toThrow(failure);
    // A folder that is there and takes no file.
    expect(() => open('/proc/self').prepare()).toThrow(expect.objectContaining({ exit: 1 }));
    const own = t.file('mine');
    mkdirSync(own, { mode: 0o755 });
    open(own).prepare();
    expect(mode(own)).toBe('755');
    expect(readdirSync(own)).toEqual([]);
  });

  it('finds by id and by key, and says which of several', () => {
    const [one, other] = [delivery('a', '{}', '/x'), delivery('a', '{}', '/y')];
    store.keep(one);
    store.keep(other);
    expect(() => find('a')).toThrow('2 deliveries have the id a');
    expect(find(other.key.slice(0, 12)).target).toBe('/y');
    expect([...open(t.file('none')).entries()]).toEqual([]);
  });
});
