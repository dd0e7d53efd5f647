import { readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Conf from 'conf';
import { stringifyJson } from '../json.ts';
import { createDiskFailure, getErrno, writeDurably } from '../storage/write.ts';

/** The settings file by conf, for those who change it: loading conf would cost every other command its time. */

/** Many keep their settings elsewhere and link to them: the link stays, its target is replaced. */
export function resolveLink(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function serialize(value: unknown): string {
  return `${stringifyJson(value, 2)}\n`;
}

/** On a full disk conf may leave half a file, with or without an error: the one before comes back, or none. */
function writeOrRestore(file: string, text: string, hasPrevious: boolean, write: () => void): void {
  let cause: unknown = Object.assign(new Error('it was not written whole'), { code: 'ENOSPC' });
  try {
    write();
  } catch (error) {
    cause = error;
  }
  try {
    if (readFileSync(file, 'utf8') === text) return;
    // To rename a file takes no space.
    if (hasPrevious) renameSync(`${file}.bak`, file);
    else rmSync(file, { force: true });
  } catch {
    // What failed first is told.
  }
  throw cause;
}

/**
 * Changes the file, or makes it, with the previous one in `<file>.bak`. Call it under the lock of the file.
 * @param previousText the text of the file; undefined where there is none
 * @param parse throws a UsageError for a damaged file, with the place in it
 */
export function changeByConf<S extends Readonly<Record<string, unknown>>>(
  file: string,
  previousText: string | undefined,
  parse: (file: string, text: string | undefined) => S,
  change: (settings: S) => S,
): void {
  const target = resolveLink(file);
  const conf = new Conf<Record<string, unknown>>({
    cwd: dirname(target),
    configName: basename(target),
    fileExtension: '',
    configFileMode: 0o600,
    accessPropertiesByDotNotation: false,
    serialize,
    deserialize: (text) => ({ ...parse(file, text) }),
  });
  const settings = change(parse(file, previousText));
  const text = serialize(settings);
  if (text === previousText) return;
  // What could not be read back is not written.
  parse(file, text);
  if (previousText !== undefined) writeDurably(`${target}.bak`, previousText);
  try {
    writeOrRestore(target, text, previousText !== undefined, () => {
      conf.store = { ...settings };
    });
  } catch (error) {
    throw getErrno(error) === undefined ? error : createDiskFailure(error, 'write', file);
  }
}
