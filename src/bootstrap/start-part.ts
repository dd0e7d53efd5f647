import { join } from 'node:path';
import { resolveDirectories } from '../config/environment.ts';
import type { CryptoFunctions } from './code-key.ts';
import { type CodeCache, openCodeCache } from './compiled-code.ts';
import { openBundleParts, type PackFile, type PartAddress } from './parts.ts';

/** Starts a part of the built program with the machine's cache beside it. */

declare const __PARTS__: {
  /** The parts that Node can be started with. */
  readonly starts: Readonly<Record<'main' | 'renew', PartAddress>>;
  readonly files: readonly PackFile[];
};
declare const __BUILD__: string;

/** Compiled code of a longer run lacks what the collector has thrown away of its beginning. */
const LONG_RUN_S = 10;

/**
 * Beside other versions of Node and of ttctl. V8 itself refuses code that was made with other flags. A CI runner starts
 * from an empty cache, or from one that others have filled: there is none for it.
 */
const openCache = (): CodeCache | undefined => {
  const { env, platform, version, arch, pid } = process;
  if ((env.NODE_DISABLE_COMPILE_CACHE ?? '') !== '' || (env.CI ?? '') !== '') return undefined;
  const { cache, config } = resolveDirectories(env, platform, env.HOME ?? env.USERPROFILE);
  if (cache === undefined || config === undefined) return undefined;
  const file = join(cache, 'code', `${__BUILD__}-${version}-${arch}`);
  return openCodeCache({
    ...{ file, keyFolder: config, uid: process.geteuid?.(), pid, now: Date.now },
    get crypto() {
      return require('node:crypto') as CryptoFunctions;
    },
  });
};

/** Runs the part, and gives what it exports. */
export const startPart = (name: keyof typeof __PARTS__.starts): unknown => {
  const parts = openBundleParts({
    folder: __dirname,
    files: __PARTS__.files,
    require,
    cache: openCache(),
  });
  // Flags of Node change what V8 makes; a run with some leaves the others' code alone.
  const hasNoNodeFlags = process.execArgv.length === 0 && (process.env.NODE_OPTIONS ?? '') === '';
  process.once('exit', () => {
    if (hasNoNodeFlags && process.uptime() < LONG_RUN_S) parts.save();
  });
  return parts.load(...__PARTS__.starts[name]);
};
