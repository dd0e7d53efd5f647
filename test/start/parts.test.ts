import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openParts, type PartsIndex } from '../../src/start/parts.ts';

const PACKS = [
  `({"one":function(require,{exports}){globalThis.ran=(globalThis.ran??0)+1;exports.sum=require("./two").base+1},"two":function(_require,{exports}){exports.base=41}})`,
  `({"three":function(require,{exports}){exports.join=require("node:path").posix.join}})`,
];
const [first = '', second = ''] = PACKS;
const index: PartsIndex = {
  parts: { one: 0, two: 0, three: 1 },
  packs: [
    [0, first.length],
    [first.length, second.length],
  ],
};

let folder: string;
let cacheFile: string;
const open = (more: { uid?: number; cacheFile?: string } = {}) =>
  openParts({
    folder,
    index,
    require: createRequire(import.meta.url),
    cacheFile,
    uid: process.getuid?.(),
    pid: process.pid,
    ...more,
  });
/** Whether a run that loads these has something new to keep. */
const hasNews = (names: readonly string[], more?: { uid?: number }): boolean => {
  const parts = open(more);
  for (const name of names) parts.load(name);
  rmSync(cacheFile);
  parts.keep();
  return readdirSync(join(folder, 'code')).length > 0;
};

describe('openParts', () => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ttctl-parts-'));
    cacheFile = join(folder, 'code', 'build-1');
    writeFileSync(join(folder, 'parts.js'), PACKS.join(''));
    Reflect.deleteProperty(globalThis, 'ran');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('runs a part once, with other parts and Node’s own modules', () => {
    const parts = open();
    expect(parts.load('one')).toEqual({ sum: 42 });
    expect(parts.load('one')).toEqual({ sum: 42 });
    expect(Reflect.get(globalThis, 'ran')).toBe(1);
    expect((parts.load('three') as { join: (...p: string[]) => string }).join('a', 'b')).toBe('a/b');
    expect(() => parts.load('four')).toThrow('no part four');
  });

  it('keeps what was compiled for this user alone, and takes it the next time', () => {
    const parts = open();
    parts.load('one');
    parts.keep();
    expect(statSync(cacheFile).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'code')).mode & 0o777).toBe(0o700);
    expect(hasNews(['one', 'two'])).toBe(false);
  });

  it('keeps more when a run needs more, and all of it', () => {
    const earlier = open();
    earlier.load('two');
    earlier.keep();
    const later = open();
    later.load('three');
    later.keep();
    expect(hasNews(['two', 'three'])).toBe(false);
    const last = open();
    last.load('two');
    last.keep();
    expect(hasNews(['one'])).toBe(true);
  });

  it('does not run code that others could have written', () => {
    const parts = open();
    parts.load('one');
    parts.keep();
    expect(hasNews(['one'], { uid: (process.getuid?.() ?? 0) + 1 })).toBe(true);
    chmodSync(cacheFile, 0o620);
    expect(hasNews(['one'])).toBe(true);
  });

  it('keeps that of four builds', () => {
    mkdirSync(join(folder, 'code'));
    for (const name of ['a', 'b', 'c', 'd', 'e']) writeFileSync(join(folder, 'code', name), '');
    const parts = open();
    parts.load('one');
    parts.keep();
    expect(readdirSync(join(folder, 'code'))).toHaveLength(4);
    expect(readdirSync(join(folder, 'code'))).toContain('build-1');
  });

  it('goes without where there is no place', () => {
    const parts = open({ cacheFile: join(folder, 'parts.js', 'code', 'build-1') });
    expect(parts.load('one')).toEqual({ sum: 42 });
    parts.keep();
  });
});
