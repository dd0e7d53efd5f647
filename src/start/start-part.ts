import { join } from 'node:path';
import { directories } from '../config/paths.ts';
import { openParts, type PartsIndex } from './parts.ts';

/** Starts a part of the built program with the machine's cache beside it. */

/** JSON of the `PartsIndex`: V8 reads it faster than an object written out. */
declare const __PARTS__: string;
declare const __BUILD__: string;

/** Compiled code of a longer run lacks what the collector has thrown away of its beginning. */
const LONG_MS = 10_000;

/** Beside other versions of Node and of ttctl. V8 itself refuses code that was made with other flags. */
const cacheFile = (): string | undefined => {
  const { env, platform, version, arch } = process;
  const asked = (env.NODE_DISABLE_COMPILE_CACHE ?? '') === '';
  const { cache } = directories(env, platform, env.HOME ?? env.USERPROFILE);
  return asked && cache !== undefined ? join(cache, 'code', `${__BUILD__}-${version}-${arch}`) : undefined;
};

/** Runs the part, and gives what it exports. */
export const startPart = (name: string): unknown => {
  const parts = openParts({
    folder: __dirname,
    index: JSON.parse(__PARTS__) as PartsIndex,
    require,
    cacheFile: cacheFile(),
    uid: process.getuid?.(),
    pid: process.pid,
  });
  // Flags of Node change what V8 makes; a run with some leaves the others' code alone.
  const plain = process.execArgv.length === 0 && (process.env.NODE_OPTIONS ?? '') === '';
  process.once('exit', () => {
    if (plain && performance.now() < LONG_MS) parts.keep();
  });
  return parts.load(name);
};
