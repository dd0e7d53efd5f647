import { readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Conf from 'conf';
import { stringifyJson } from '../json.ts';
import { resolveLink } from '../storage/own-files.ts';
import { createDiskFailure, createFullError, getErrno, writeDurably } from '../storage/write.ts';
import type { SettingsFile } from './settings.ts';

/** The settings file by conf, for those who change it: loading conf would cost every other command its time. */

/**
 * Changes the file, or makes it, with the previous one in `<file>.bak`. Call it under the lock of the file.
 * @param previousText the text of the file; undefined where there is none
 * @param parse throws a UsageError for a damaged file, with the place in it
 */
export function changeByConf(
  file: string,
  previousText: string | undefined,
  parse: (file: string, text: string | undefined) => SettingsFile,
  change: (settings: SettingsFile) => SettingsFile,
): void {
  const serialize = (value: unknown): string => `${stringifyJson(value, 2)}\n`;
  // Many keep their settings elsewhere and link to them: the link stays, its target is replaced.
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
  let cause: unknown = createFullError();
  try {
    conf.store = { ...settings };
  } catch (error) {
    cause = error;
  }
  try {
    if (readFileSync(target, 'utf8') === text) return;
    // On a full disk conf may leave half a file, with or without an error. To rename one takes no space.
    if (previousText !== undefined) renameSync(`${target}.bak`, target);
    else rmSync(target, { force: true });
  } catch {
    // What failed first is told.
  }
  throw getErrno(cause) === undefined ? cause : createDiskFailure(cause, 'write', file);
}
