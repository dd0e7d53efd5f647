import crypto from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCodeCache } from '../../src/bootstrap/compiled-code.ts';
import { openBundleParts, type PartAddress } from '../../src/bootstrap/parts.ts';

const PACKS = [
  `[function(fromPart){globalThis.ran=(globalThis.ran??0)+1;return{sum:fromPart(0,1).base+1}},function(){return{base:41}}]`,
  `[function(){return{}}]`,
  `[function(_fromPart,require){return{join:require("node:path").posix.join}}]`,
] as const;
const HEAD = 'const packs=[';
const ONE: PartAddress = [0, 0];
const TWO: PartAddress = [0, 1];
const THREE: PartAddress = [2, 0];

let folder: string;
let cacheFile: string;
const cacheAt = (more: { uid?: number; file?: string }) =>
  openCodeCache({
    file: cacheFile,
    keyFolder: join(folder, 'config'),
    uid: process.geteuid?.(),
    pid: process.pid,
    crypto,
    now: Date.now,
    ...more,
  });
const open = (more: { uid?: number; file?: string } = {}) =>
  openBundleParts({
    folder,
    files: [
      { name: 'parts.js', offset: 0, lengths: [PACKS[0].length] },
      { name: 'sandbox.cjs', offset: HEAD.length, lengths: PACKS.slice(1).map(({ length }) => length) },
    ],
    require: createRequire(import.meta.url),
    cache: cacheAt(more),
  });
/** Whether a run that loads these has something new to keep. */
const hasNews = (addresses: readonly PartAddress[], more?: { uid?: number }): boolean => {
  const parts = open(more);
  for (const address of addresses) parts.load(...address);
  rmSync(cacheFile);
  parts.save();
  return readdirSync(join(folder, 'code')).length > 0;
};

describe('openBundleParts', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ttctl-parts-'));
    cacheFile = join(folder, 'code', 'build-1');
    writeFileSync(join(folder, 'parts.js'), PACKS[0]);
    writeFileSync(join(folder, 'sandbox.cjs'), `${HEAD}${PACKS.slice(1)}]`);
    Reflect.deleteProperty(globalThis, 'ran');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('runs a part once, with other parts and Node’s own modules', () => {
    const parts = open();
    expect(parts.load(...ONE)).toEqual({ sum: 42 });
    expect(parts.load(...ONE)).toEqual({ sum: 42 });
    expect(Reflect.get(globalThis, 'ran')).toBe(1);
    expect((parts.load(...THREE) as { join: (...p: string[]) => string }).join('a', 'b')).toBe('a/b');
    expect(() => parts.load(1, 1)).toThrow('no part 1,1');
    expect(() => parts.load(3, 0)).toThrow('no part 3,0');
  });

  it('keeps what was compiled for this user alone, and takes it the next time', () => {
    const parts = open();
    parts.load(...ONE);
    parts.save();
    expect(statSync(cacheFile).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'code')).mode & 0o777).toBe(0o700);
    expect(hasNews([ONE, TWO])).toBe(false);
  });

  it('keeps more when a run needs more, and all of it', () => {
    const earlier = open();
    earlier.load(...TWO);
    earlier.save();
    const later = open();
    later.load(...THREE);
    later.save();
    expect(hasNews([TWO, THREE])).toBe(false);
    const last = open();
    last.load(...TWO);
    last.save();
    expect(hasNews([ONE])).toBe(true);
  });

  it('does not run code that others could have written', () => {
    const parts = open();
    parts.load(...ONE);
    parts.save();
    expect(hasNews([ONE], { uid: (process.getuid?.() ?? 0) + 1 })).toBe(true);
    chmodSync(cacheFile, 0o620);
    expect(hasNews([ONE])).toBe(true);
  });

  it('keeps that of four builds', () => {
    mkdirSync(join(folder, 'code'));
    const builds = [1, 2, 3, 4, 5].map((n) => `abcdef01234${n}-v20.18.1-x64`);
    const own = ['notes.md', 'a', 'b', 'c', 'd'];
    for (const name of [...builds, ...own]) writeFileSync(join(folder, 'code', name), '');
    const parts = open();
    parts.load(...ONE);
    parts.save();
    const left = readdirSync(join(folder, 'code'));
    expect(left.filter((name) => builds.includes(name))).toHaveLength(4);
    expect(left).toEqual(expect.arrayContaining([...own, 'build-1']));
  });

  it('goes without where there is no place', () => {
    const parts = open({ file: join(folder, 'parts.js', 'code', 'build-1') });
    expect(parts.load(...ONE)).toEqual({ sum: 42 });
    parts.save();
  });
});
