import { join } from 'node:path';
import { directories } from '../config/paths.ts';
import { openParts, type PartAddress } from './parts.ts';

/** Starts a part of the built program with the machine's cache beside it. */

declare const __PARTS__: {
  /** The parts that Node can be started with. */
  readonly starts: Readonly<Record<'main' | 'renew', PartAddress>>;
  readonly lengths: readonly number[];
};
declare const __BUILD__: string;

/** Compiled code of a longer run lacks what the collector has thrown away of its beginning. */
const LONG_S = 10;

/** Beside other versions of Node and of ttctl. V8 itself refuses code that was made with other flags. */
const cacheFile = (): string | undefined => {
  const { env, platform, version, arch } = process;
  const asked = (env.NODE_DISABLE_COMPILE_CACHE ?? '') === '';
  const { cache } = directories(env, platform, env.HOME ?? env.USERPROFILE);
  return asked && cache !== undefined ? join(cache, 'code', `${__BUILD__}-${version}-${arch}`) : undefined;
};

/** Runs the part, and gives what it exports. */
export const startPart = (name: keyof typeof __PARTS__.starts): unknown => {
  const parts = openParts({
    folder: __dirname,
    lengths: __PARTS__.lengths,
    require,
    cacheFile: cacheFile(),
    uid: process.getuid?.(),
    pid: process.pid,
  });
  // Flags of Node change what V8 makes; a run with some leaves the others' code alone.
  const plain = process.execArgv.length === 0 && (process.env.NODE_OPTIONS ?? '') === '';
  process.once('exit', () => {
    if (plain && process.uptime() < LONG_S) parts.keep();
  });
  return parts.load(...__PARTS__.starts[name]);
};
