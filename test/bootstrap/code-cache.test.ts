import crypto from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCodeCache } from '../../src/bootstrap/compiled-code.ts';

/** What is handed to V8 was written by this user with this key, to the byte; anything else is as if there were none. */

let folder: string;
let file: string;
let key: string;
const uid = process.geteuid?.();
let now: () => number;
const place = () => ({ file, keyFolder: join(folder, 'config'), uid, pid: process.pid, crypto, now });
const open = () => openCodeCache(place());
const CODE = Buffer.from('what V8 made of it');
const found = (): string | undefined => open().code(3)?.toString();

/** The index of the file, signed with the user's own key. */
const craft = (index: string): void => {
  const bytes = Buffer.from(index);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  const mac = crypto.createHmac('sha256', readFileSync(key)).update('build-1\0').update(bytes).digest();
  writeFileSync(file, Buffer.concat([length, mac, bytes, CODE]));
};
const placed = (offset: number, length: number): string =>
  JSON.stringify([
    [3, { offset, length, hash: crypto.createHash('sha256').update(CODE).digest('hex'), ran: [0] }],
  ]);
/** A link in the place of what it leads to. */
const link = (path: string): void => {
  renameSync(path, `${path}.real`);
  symlinkSync(`${path}.real`, path);
};
const FOREIGN = 65_534;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ttctl-code-'));
  file = join(folder, 'code', 'build-1');
  key = join(folder, 'config', 'cache.key');
  now = Date.now;
  open().write(new Map([[3, { code: CODE, ran: [0] }]]));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the cache of compiled code', () => {
  it('gives what was written, by a key that nobody else can read', () => {
    expect(found()).toBe(CODE.toString());
    expect(open().ran(3)).toEqual([0]);
    expect(statSync(key)).toMatchObject({ size: 32 });
    if (uid === undefined) return;
    expect((statSync(key).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(join(folder, 'config')).mode & 0o777).toString(8)).toBe('700');
  });

  it('takes an index of its own making, so that what is refused below is refused for what it says', () => {
    craft(placed(0, CODE.length));
    expect(found()).toBe(CODE.toString());
  });

  it.each([
    ['a negative offset', () => craft(placed(-8, CODE.length))],
    ['a huge length', () => craft(placed(0, 2 ** 52))],
    ['a negative length', () => craft(placed(0, -1))],
    ['a fraction', () => craft(placed(0.5, CODE.length))],
    ['names of the prototype', () => craft('{"__proto__":{"3":{"offset":0,"length":18}},"toString":1}')],
    ['no JSON', () => craft('[[3,')],
    ['null', () => craft('[[3,null]]')],
    ['nothing', () => writeFileSync(file, '')],
    ['a length beyond the end', () => writeFileSync(file, Buffer.alloc(64, 0xff))],
    [
      'another byte in the code',
      () => writeFileSync(file, readFileSync(file, 'latin1').replace('V8', 'V9'), 'latin1'),
    ],
    [
      'another byte in the index',
      () => writeFileSync(file, readFileSync(file, 'latin1').replace('"ran":[0]', '"ran":[1]'), 'latin1'),
    ],
    [
      'a file of another build',
      () => {
        const other = file;
        file = join(folder, 'code', 'build-2');
        renameSync(other, file);
      },
    ],
    ['another key', () => writeFileSync(key, crypto.randomBytes(32))],
    ['a short key', () => writeFileSync(key, 'short')],
    ['a key and something else behind it', () => appendFileSync(key, '[[1')],
    ['a huge key', () => appendFileSync(key, `${' '.repeat(5000)}[]`)],
    ['no key', () => rmSync(key)],
  ])('is empty with %s, and is written anew', (_what, spoil) => {
    spoil();
    expect(found()).toBeUndefined();
    open().write(new Map([[3, { code: CODE, ran: [] }]]));
    expect(found()).toBe(CODE.toString());
  });

  it.runIf(uid !== undefined).each([
    ['a file that others may write', () => chmodSync(file, 0o602)],
    ['a file that the group may write', () => chmodSync(file, 0o620)],
    ['a link to a file', () => link(file)],
    ['a key that others can read', () => chmodSync(key, 0o644)],
    ['a key behind a link', () => link(key)],
  ])('is empty with %s, and is written anew', (_what, spoil) => {
    spoil();
    expect(found()).toBeUndefined();
    open().write(new Map([[3, { code: CODE, ran: [] }]]));
    expect(found()).toBe(CODE.toString());
  });

  it.runIf(uid !== undefined).each(['code', 'config'])(
    'is neither read nor written with %s in a folder that others may write',
    (name) => {
      for (const mode of [0o777, 0o1777, 0o770]) {
        chmodSync(join(folder, name), mode);
        expect(found(), mode.toString(8)).toBeUndefined();
        rmSync(key, { force: true });
        expect(() => open().write(new Map([[3, { code: CODE, ran: [] }]]))).toThrow('others can write');
      }
    },
  );

  it.runIf(uid === 0)('is empty with what belongs to another user', () => {
    for (const path of [file, key, join(folder, 'code'), join(folder, 'config')]) {
      chownSync(path, FOREIGN, FOREIGN);
      expect(found(), path).toBeUndefined();
      chownSync(path, 0, 0);
      expect(found(), path).toBe(CODE.toString());
    }
  });
});

describe('a file that was found whole', () => {
  const LATER = () => Date.now() + 2001;
  /** What is taken without looking through the file. */
  const takeUnseen = (): string | undefined => {
    const crypto = {} as ReturnType<typeof place>['crypto'];
    return openCodeCache({ ...place(), crypto })
      .code(3)
      ?.toString();
  };
  const remember = (at = LATER): void => {
    now = at;
    open().remember();
  };
  /** Until what is written now has another time than the file: the clock of a disk may be slow. */
  const passTime = (): void => {
    const probe = join(folder, 'probe');
    do writeFileSync(probe, '');
    while (statSync(probe).ctimeMs <= statSync(file).ctimeMs);
  };

  it.runIf(uid !== undefined)('is not looked through again, and its key stays secret', () => {
    expect(takeUnseen()).toBeUndefined();
    remember();
    expect([takeUnseen(), found()]).toEqual([CODE.toString(), CODE.toString()]);
    expect((statSync(key).mode & 0o777).toString(8)).toBe('600');
    const before = statSync(key).ino;
    remember();
    expect(statSync(key).ino).toBe(before);
  });

  const change = (bytes: Buffer | string) => {
    const { atime, mtime } = statSync(file);
    passTime();
    writeFileSync(file, bytes);
    utimesSync(file, atime, mtime);
  };
  const damage = () => readFileSync(file, 'latin1').replace('V8', 'V9');
  it.runIf(uid !== undefined).each([
    ['is changed, and given its old time', () => change(Buffer.from(damage(), 'latin1'))],
    ['is longer', () => change(`${damage()}.`)],
    [
      'makes way for another of the same length and time',
      () => {
        const { atime, mtime } = statSync(file);
        passTime();
        writeFileSync(`${file}.new`, damage(), 'latin1');
        utimesSync(`${file}.new`, atime, mtime);
        renameSync(`${file}.new`, file);
      },
    ],
  ])('is looked through again when it %s', (_how, spoil) => {
    remember();
    expect(takeUnseen()).toBe(CODE.toString());
    spoil();
    expect([takeUnseen(), found()]).toEqual([undefined, undefined]);
  });

  it.each([
    ['it has just been written', () => remember(() => statSync(file).ctimeMs + 1999)],
    ['the clock was set back', () => remember(() => statSync(file).ctimeMs - 1)],
    [
      'a code in it is damaged',
      () => {
        writeFileSync(file, damage(), 'latin1');
        remember();
      },
    ],
    [
      'files have no owner and no time that programs could not set',
      () => openCodeCache({ ...place(), uid: undefined, now: LATER }).remember(),
    ],
    [
      'it is not there',
      () => {
        rmSync(file);
        remember();
      },
    ],
  ])('is not remembered where %s', (_why, attempt) => {
    attempt();
    expect(statSync(key).size).toBe(32);
  });

  it.runIf(uid !== undefined)('is remembered of as many builds as are kept, the last ones', () => {
    const builds = ['build-1', 'build-2', 'build-3', 'build-4', 'build-5'];
    for (const name of builds) {
      file = join(folder, 'code', name);
      now = Date.now;
      open().write(new Map([[3, { code: CODE, ran: [0] }]]));
      remember();
      expect(takeUnseen(), name).toBe(CODE.toString());
    }
    expect(readFileSync(key, 'latin1').match(/build-\d/g)).toEqual(builds.slice(1));
  });
});
