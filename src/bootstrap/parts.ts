import { openSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { type CodeCache, type CompiledCode, readAt } from './compiled-code.ts';

/**
 * Loads the parts of the built program: files of the bundle that stand one after another in dist/parts.js, or in
 * dist/sandbox.cjs if the library has them too, each read and run when it is first asked for. What V8 made of them is
 * kept in the cache directory and taken from there by the next run: compiling is the larger half of a short command.
 * The cache may be deleted at any time.
 */

/** Where a part stands. Parts that are always used together are one pack, which is compiled as one. */
export type PartAddress = readonly [pack: number, place: number];

/** Packs stand in a file one after another, a character between them. All lengths are in bytes, which are Latin-1 characters. */
export interface PackFile {
  readonly name: string;
  /** Where the first pack begins. */
  readonly offset: number;
  readonly lengths: readonly number[];
}

export interface PartsPlace {
  /** The folder of the files, absolute. */
  readonly folder: string;
  /** The packs are numbered through all files. */
  readonly files: readonly PackFile[];
  /** Loads what is no part: Node's own modules. */
  readonly require: (id: string) => unknown;
  /** Where compiled code is kept; `undefined`: nowhere. */
  readonly cache: CodeCache | undefined;
}

export interface BundleParts {
  /** What the part exports. Runs it once. */
  load(pack: number, place: number): unknown;
  /** Writes the compiled code to the cache when there is something new; else lets it remember that all is well. Never throws. */
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
const collectCodes = (files: readonly PackFile[], packs: ReadonlyMap<number, Pack>, cache: CodeCache) => {
  const count = files.reduce((sum, { lengths }) => sum + lengths.length, 0);
  const codes = new Map<number, CompiledCode>();
  for (let number = 0; number < count; number += 1) {
    const pack = packs.get(number);
    const code = pack?.script.createCachedData() ?? cache.code(number);
    const ran = [...cache.ran(number), ...Object.keys(pack?.exported ?? []).map(Number)];
    if (code !== undefined) codes.set(number, { code, ran: [...new Set(ran)] });
  }
  return codes;
};

interface OpenPackFile extends PackFile {
  readonly descriptor: number;
}

const readPackText = (files: readonly OpenPackFile[], number: number): string => {
  const [file, ...others] = files;
  if (file === undefined) return '[]';
  const { descriptor, offset, lengths } = file;
  const length = lengths[number];
  if (length === undefined) return readPackText(others, number - lengths.length);
  const start = lengths.slice(0, number).reduce((sum, before) => sum + before + 1, offset);
  return readAt(descriptor, start, length).toString('latin1');
};

/** All now: a package that is replaced during a run does not change what the run loads. */
const openFiles = (folder: string, files: readonly PackFile[]): readonly OpenPackFile[] =>
  files.map((file) => ({ ...file, descriptor: openSync(join(folder, file.name), 'r') }));

export const openBundleParts = ({ folder, files, require, cache }: PartsPlace): BundleParts => {
  const opened = openFiles(folder, files);
  const file = join(folder, 'parts.js');
  const packs = new Map<number, Pack>();
  let hasNewCode = false;

  const openPack = (number: number): Pack => {
    const cachedData = cache?.code(number);
    const script = new Script(readPackText(opened, number), {
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
      try {
        if (hasNewCode) cache?.write(collectCodes(files, packs, cache));
        else cache?.remember();
      } catch {
        // No place for it: the next run compiles again.
      }
    },
  };
};
