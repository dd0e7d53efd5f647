import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Credential, CredentialStore } from '../../src/auth/credentials.ts';
import { Failure } from '../../src/errors.ts';
import { realClock } from '../../src/platform/machine.ts';
import { failureOf } from '../support/in-process.ts';
import { useCli } from '../support/use-cli.ts';

const cli = useCli();
let file: string;
let warnings: string[];
let store: CredentialStore;
const open = (path: string | undefined) =>
  new CredentialStore(path, realClock, (text) => warnings.push(text));
beforeEach(() => {
  file = cli.file('ttctl/credentials.json');
  warnings = [];
  store = open(file);
});

const personal = (access_token: string): Credential => ({
  ...{ kind: 'personal', base_url: 'https://h', access_token },
});
const CANARY = 'tok_CANARY_5f2e';

const place = (text: string | Uint8Array): void => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
};

const wholeText = ({ message, reason, hint, details, cause }: Failure): string =>
  JSON.stringify([message, reason, hint, details, String(cause)]);

const temporaries = () => readdirSync(dirname(file)).filter((name) => name.endsWith('.tmp'));

it('what an exchange gave is kept, though the file before cannot be', async () => {
  await store.write('a', personal('old'));
  mkdirSync(`${file}.bak`);
  await store.hold('a', async (held) => held.commit(personal('new')));
  expect(store.read('a')).toEqual(personal('new'));
  expect(temporaries()).toEqual([]);
});

it('nothing stored, no place: nothing, and no file is made', async () => {
  expect(store.read('a')).toBeUndefined();
  expect(await store.remove('a')).toBe(false);
  const nowhere = open(undefined);
  expect(nowhere.read('a')).toBeUndefined();
  expect(await nowhere.remove('a')).toBe(false);
  await expect(nowhere.write('a', personal('t'))).rejects.toMatchObject({
    exit: 1,
    hint: expect.stringContaining('TTCTL_CONFIG_DIR'),
  });
  expect(readdirSync(cli.folder)).toEqual([]);
});

it('writers at once lose nothing of each other', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
  await Promise.all(names.map((name) => open(file).write(name, personal(name))));
  for (const name of names) expect(store.read(name)).toEqual(personal(name));
});

it('keeps members that it does not know', async () => {
  place(JSON.stringify({ version: 1, note: 'x', profiles: { a: { ...personal('t'), future: [1] } } }));
  await store.write('b', personal('u'));
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    version: 1,
    note: 'x',
    profiles: { a: { ...personal('t'), future: [1] }, b: personal('u') },
  });
});

it('removing leaves no secret, in the backup neither, and the others as they are', async () => {
  await store.write('other', personal('kept'));
  await store.write('a', { ...personal(CANARY), client_secret: CANARY });
  await store.write('a', personal(CANARY));
  // As a process leaves it that was killed in the middle.
  writeFileSync(`${file}.1.2.tmp`, CANARY);
  expect(await store.remove('a')).toBe(true);
  for (const name of readdirSync(dirname(file), { recursive: true, withFileTypes: true })) {
    if (name.isFile()) expect(readFileSync(join(name.parentPath, name.name), 'utf8')).not.toContain(CANARY);
  }
  expect(store.read('a')).toBeUndefined();
  expect(store.read('other')).toEqual(personal('kept'));
  expect(await store.remove('a')).toBe(false);
});

describe('a file that is not right', () => {
  const good = { version: 1, profiles: { a: personal(CANARY) } };
  const goodText = JSON.stringify(good);
  const with_ = (change: object): string =>
    JSON.stringify({ version: 1, profiles: { a: { ...personal(CANARY), ...change } } });

  it.each([
    ['empty', ''],
    ['cut', goodText.slice(0, -9)],
    ['cut inside the token', goodText.slice(0, goodText.indexOf(CANARY) + 5)],
    ['zeroes, as a power cut leaves them', '\0'.repeat(64)],
    ['another type', '[]'],
    ['null', 'null'],
    ['a newer version', JSON.stringify({ ...good, version: 2 })],
    ['no version', JSON.stringify({ profiles: {} })],
    ['profiles as a list', '{"version":1,"profiles":[]}'],
    ['a credential that is text', `{"version":1,"profiles":{"a":"${CANARY}"}}`],
    ['an unknown kind', with_({ kind: CANARY })],
    ['a token that is a number', with_({ access_token: 5 })],
    ['an empty token', with_({ access_token: '' })],
    ['no address', with_({ base_url: undefined })],
    ['a refresh token that is null', with_({ refresh_token: null })],
    ['scopes as text', with_({ scopes: 'read' })],
    ['dead as text', with_({ dead: 'no' })],
    ['a time that is none', with_({ created_at: 'some day' })],
    ['after another', `${goodText}${goodText}`],
    ['deep', '['.repeat(100_000)],
    ['not UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d)],
  ])('%s: an error, never "signed out"; the bytes stay', async (_, text) => {
    place(text);
    const bytes = readFileSync(file);
    const failure = failureOf(() => store.read('a'));
    expect(failure).toMatchObject({ exit: 2, code: 'broken_credentials' });
    expect(failure.message).toContain(file);
    expect(failure.hint).toContain('auth login');
    expect(wholeText(failure)).not.toContain('CANARY');
    await expect(store.write('b', personal('x'))).rejects.toBeInstanceOf(Failure);
    await expect(store.remove('a')).rejects.toBeInstanceOf(Failure);
    expect(readFileSync(file)).toEqual(bytes);
    expect(temporaries()).toEqual([]);
  });

  it('cut or changed anywhere: whole, or an error that shows no secret', () => {
    fc.assert(
      fc.property(fc.nat(goodText.length), fc.string({ maxLength: 2 }), fc.nat(3), (at, insert, cut) => {
        place(goodText.slice(0, at) + insert + goodText.slice(at + cut));
        try {
          const credential = store.read('a');
          expect(credential === undefined || credential.access_token.length > 0).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ code: 'broken_credentials' });
          expect(wholeText(error as Failure)).not.toContain('CANARY');
        }
      }),
      { numRuns: 150 },
    );
  });

  it('names the backup when that is good, and only then', async () => {
    await store.write('a', personal('one'));
    await store.write('a', personal('two'));
    writeFileSync(file, '{');
    expect(failureOf(() => store.read('a')).hint).toContain(`cp ${file}.bak ${file}`);
    writeFileSync(`${file}.bak`, '{');
    expect(failureOf(() => store.read('a')).hint).not.toContain('.bak');
  });
});
