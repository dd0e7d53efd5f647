import { openSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { type CodeCache, type CompiledCode, readAt } from './compiled-code.ts';

/**
 * Loads the parts of the built program: files of the bundle that stand one after another in `parts.js`, each read
 * and run when it is first asked for. What V8 made of them is kept in the cache directory and taken from there by
 * the next run: compiling is the larger half of a short command. The cache may be deleted at any time.
 */

/** Where a part stands. Parts that are always used together are one pack, which is compiled as one. */
export type PartAddress = readonly [pack: number, place: number];

export interface PartsPlace {
  /** The folder of `parts.js`, absolute. */
  readonly folder: string;
  /** How long each pack is, in bytes, which are Latin-1 characters. They stand in `parts.js` one after another. */
  readonly lengths: readonly number[];
  /** Loads what is no part: Node's own modules. */
  readonly require: (id: string) => unknown;
  /** Where compiled code is kept; `undefined`: nowhere. */
  readonly cache: CodeCache | undefined;
}

export interface BundleParts {
  /** What the part exports. Runs it once. */
  load(pack: number, place: number): unknown;
  /** Writes the compiled code to the cache, when there is something new. Never throws. */
  save(): void;
}

/** A pack evaluates to its parts, each a function that returns what the part exports. */
type Part = (fromPart: BundleParts['load'], require: PartsPlace['require'], file: string) => unknown;

interface Pack {
  readonly script: Script;
  readonly parts: readonly Part[];
  /** What those exported that have been run; by place. */
  readonly exported: unknown[];
  /** The places that had been run when the code was kept. */
  readonly ran: ReadonlySet<number>;
}

/** The code of all packs: of those that were run now, and of those that were not but are kept. */
const collectCodes = (count: number, packs: ReadonlyMap<number, Pack>, cache: CodeCache) => {
  const codes = new Map<number, CompiledCode>();
  for (let number = 0; number < count; number += 1) {
    const pack = packs.get(number);
    const code = pack?.script.createCachedData() ?? cache.code(number);
    const ran = [...cache.ran(number), ...Object.keys(pack?.exported ?? []).map(Number)];
    if (code !== undefined) codes.set(number, { code, ran: [...new Set(ran)] });
  }
  return codes;
};

const readPackText = (source: number, lengths: readonly number[], number: number): string => {
  const offset = lengths.slice(0, number).reduce((sum, length) => sum + length, 0);
  return readAt(source, offset, lengths[number] ?? 0).toString('latin1');
};

export const openBundleParts = ({ folder, lengths, require, cache }: PartsPlace): BundleParts => {
  const file = join(folder, 'parts.js');
  const source = openSync(file, 'r');
  const packs = new Map<number, Pack>();
  let hasNewCode = false;

  const openPack = (number: number): Pack => {
    const cachedData = cache?.code(number);
    const script = new Script(readPackText(source, lengths, number), {
      filename: join(folder, `parts-${number}.js`),
      ...(cachedData && { cachedData }),
    });
    hasNewCode ||= cachedData === undefined || script.cachedDataRejected === true;
    const pack = { script, parts: script.runInThisContext(), exported: [], ran: new Set(cache?.ran(number)) };
    packs.set(number, pack);
    return pack;
  };

  const load = (number: number, place: number): unknown => {
    const { parts, exported, ran } = packs.get(number) ?? openPack(number);
    if (place in exported) return exported[place];
    const part = parts[place];
    if (part === undefined) throw new Error(`ttctl has no part ${number},${place}`);
    hasNewCode ||= !ran.has(place);
    exported[place] = part(load, require, file);
    return exported[place];
  };

  return {
    load,
    save() {
      if (!hasNewCode || cache === undefined) return;
      try {
        cache.write(collectCodes(lengths.length, packs, cache));
      } catch {
        // No place for it: the next run compiles again.
      }
    },
  };
};
