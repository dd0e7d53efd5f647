import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Run } from '../../src/run.ts';
import type { SignatureVerdict } from '../../src/webhooks/delivery.ts';
import { DeliveryStore, toDelivery } from '../../src/webhooks/delivery.ts';
import { makeFolder } from '../support/folder.ts';

let home: string;
let folder: string;
let store: DeliveryStore;
const open = (named?: string) =>
  new DeliveryStore(
    {
      directories: { state: join(home, 'state') },
      output: { warn: () => {} },
      machine: { redactor: {} },
    } as unknown as Run,
    named,
  );
beforeEach(() => {
  home = makeFolder();
  folder = join(home, 'state', 'webhooks');
  store = open();
  store.prepare();
});

const UNCHECKED: SignatureVerdict = { state: 'unchecked', detail: 'there is no token' };
const delivery = (
  id: string | undefined,
  body: Uint8Array | string = '{}',
  target = '/',
  verdict: SignatureVerdict = UNCHECKED,
) =>
  toDelivery(
    {
      method: 'POST',
      target,
      headers: [['Content-Type', 'x/y'], ...(id === undefined ? [] : [['webhook-id', id] as const])],
      body: Buffer.from(body),
    },
    Date.UTC(2026, 10, 21),
    verdict,
  );

const find = (id: string) => store.get(store.findKeys([id])[0] ?? '');

const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('the store', () => {
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

  it('says how far it is forwarded; what is accepted stays so, and what is to be forwarded now is', () => {
    const one = delivery('a');
    store.keep(one);
    expect(store.read(one.key)?.state).toBeNull();
    expect(store.keep({ ...one, state: 'pending' })).toBe('repeat');
    expect(store.read(one.key)?.state).toBe('pending');
    store.mark(one.key, 'accepted');
    expect(store.keep({ ...one, state: 'pending' })).toBe('repeat');
    expect(store.read(one.key)).toMatchObject({ state: 'accepted', id: 'a', payload: {} });
    store.remove(one.key);
    store.mark(one.key, 'accepted');
    expect(readdirSync(folder)).toEqual([]);
  });

  const another = (name: string) => (text: string) =>
    JSON.stringify({ ...JSON.parse(text), [name]: { at: 1 } });
  it.each([
    ['cut off', (text: string) => text.slice(0, 50)],
    ['another id', another('id')],
    ['another target', another('target')],
    ['another time', another('received_at')],
    ['other headers', another('headers')],
    ['another body', another('body')],
  ])('writes a damaged one anew, and does not list it: %s', (_, damage) => {
    const one = delivery('a');
    store.keep(one);
    const path = join(folder, `delivery.${one.key}.json`);
    writeFileSync(path, damage(readFileSync(path, 'utf8')));
    expect(store.read(one.key)).toBeUndefined();
    expect(() => find('a')).toThrow('no delivery a is stored');
    expect(() => find(one.key)).toThrow(`delivery ${one.key} cannot be read`);
    expect(store.keep(one)).toBe('kept');
    expect(find('a').id).toBe('a');
  });

  it.each([
    [true, 'List them: ttctl webhooks received'],
    [false, "List them: ttctl webhooks received --store '/of somebody'"],
  ])("says how those are listed among which one is not (ttctl's own: %s)", (own, hint) => {
    const other = open(own ? undefined : '/of somebody');
    expect(() => other.findKeys(['a'])).toThrow(expect.objectContaining({ hint }));
  });

  it('says at once that a place cannot be used, and leaves the mode of a folder that was there', () => {
    writeFileSync(join(home, 'file'), '');
    const file = join(home, 'file');
    const failure = expect.objectContaining({ exit: 1, hint: 'Use another directory.' });
    expect(() => open(file).prepare()).toThrow(failure);
    expect(() => [...open(file).entries()]).toThrow(failure);
    // A folder that is there and takes no file.
    expect(() => open('/proc/self').prepare()).toThrow(expect.objectContaining({ exit: 1 }));
    const own = join(home, 'mine');
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
    expect([...open(join(home, 'none')).entries()]).toEqual([]);
  });
});
