import { openSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { type Place, readAt, readCode, writeCode } from './compiled-code.ts';

/**
 * Loads the parts of the built program: files of the bundle that stand one after another in `parts.js`, each read
 * and run when it is first asked for. What V8 made of them is kept in the cache directory and taken from there by
 * the next run: compiling is the larger half of a short command. The cache may be deleted at any time.
 */

/** Where the parts stand in `parts.js`. Those that are always used together are one pack, which is compiled as one. */
export interface PartsIndex {
  /** Part → its pack. */
  readonly parts: Readonly<Record<string, number>>;
  /** Offset and length in bytes, which are Latin-1 characters. */
  readonly packs: readonly Place[];
}

export interface PartsPlace {
  /** The folder of `parts.js`, absolute. */
  readonly folder: string;
  readonly index: PartsIndex;
  /** Loads what is no part: Node's own modules. */
  readonly require: (id: string) => unknown;
  /** Where compiled code is kept; `undefined`: nowhere. */
  readonly cacheFile: string | undefined;
  /** The user's id, where the system has such: code of other users is not run. */
  readonly uid: number | undefined;
  /** Of this process. */
  readonly pid: number;
}

export interface Parts {
  /** What the part exports. Runs it once. */
  load(name: string): unknown;
  /** Writes down what has been compiled, when there is something new. Never throws. */
  keep(): void;
}

/** What a pack evaluates to. */
type Pack = Readonly<Record<string, (...module: unknown[]) => void>>;

export const openParts = ({ folder, index, require, cacheFile, uid, pid }: PartsPlace): Parts => {
  const source = openSync(join(folder, 'parts.js'), 'r');
  const kept = readCode(cacheFile, uid);
  const run = new Set(kept.index.parts);
  const scripts = new Map<number, Script>();
  const opened = new Map<number, Pack>();
  const modules = new Map<string, { exports: unknown }>();
  let news = false;

  const open = (number: number): Pack => {
    const [offset, length] = index.packs[number] ?? [0, 0];
    const cachedData = kept.code(number);
    const script = new Script(readAt(source, offset, length).toString('latin1'), {
      filename: join(folder, `parts-${number}.js`),
      ...(cachedData && { cachedData }),
    });
    news ||= cachedData === undefined || script.cachedDataRejected === true;
    scripts.set(number, script);
    const pack: Pack = script.runInThisContext();
    opened.set(number, pack);
    return pack;
  };

  const load = (name: string): unknown => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const number = index.parts[name];
    const part = number === undefined ? undefined : (opened.get(number) ?? open(number))[name];
    if (part === undefined) throw new Error(`ttctl has no part ${name}`);
    news ||= !run.has(name);
    run.add(name);
    const module = { exports: {} };
    modules.set(name, module);
    part(partOrModule, module, join(folder, 'parts.js'));
    return module.exports;
  };

  const partOrModule = (id: string): unknown => (id.startsWith('./') ? load(id.slice(2)) : require(id));

  return {
    load,
    keep() {
      if (!news || cacheFile === undefined) return;
      try {
        const codes = new Map<number, Buffer>();
        for (const pack of index.packs.keys()) {
          const code = scripts.get(pack)?.createCachedData() ?? kept.code(pack);
          if (code !== undefined) codes.set(pack, code);
        }
        writeCode(cacheFile, pid, [...run], codes);
      } catch {
        // No place for it: the next run compiles again.
      }
    },
  };
};
