import { realpathSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Conf, { type Options } from 'conf';
import { stringifyJson } from '../json/stringify.ts';
import { writeDurably } from '../storage/write.ts';
import { EMPTY_SETTINGS, SETTINGS_SCHEMA, type SettingsFile } from './profile.ts';

/** The settings file by conf, for those who change it: loading conf would cost every other command its time. */

/** What is used of conf here. `_write` is a plain method, private in its types alone. */
interface Store {
  /** Reads the file each time, and checks it; to set it checks, and writes the file. */
  store: SettingsFile;
  _write(value: SettingsFile): void;
}

const BaseConf = Conf as unknown as new (options: Partial<Options<Record<string, unknown>>>) => Store;

/** Many keep their settings elsewhere and link to them: the link stays, its target is replaced. */
export const resolveLink = (file: string): string => {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
};

const serialize = (value: unknown): string => `${stringifyJson(value, 2)}\n`;

/**
 * Call it under the lock of the file. A missing file is made, with the defaults in it.
 * @param previousText the text of the file; undefined where there is none, and nothing to keep as `<file>.bak` then
 * @param parse throws a UsageError for a damaged file, with the place in it
 */
export const openConf = (
  file: string,
  previousText: string | undefined,
  parse: (file: string, text: string) => SettingsFile,
): Store => {
  // conf's own write leaves a truncated file on a full disk.
  class DurableConf extends BaseConf {
    override _write(value: SettingsFile): void {
      const text = serialize(value);
      if (text !== previousText)
        writeDurably(resolveLink(file), text, { backup: previousText !== undefined });
    }
  }
  const { properties, ...rest } = SETTINGS_SCHEMA;
  return new DurableConf({
    cwd: dirname(file),
    configName: basename(file),
    fileExtension: '',
    schema: properties,
    rootSchema: rest,
    ajvOptions: { allowUnionTypes: true },
    defaults: EMPTY_SETTINGS,
    clearInvalidConfig: false,
    accessPropertiesByDotNotation: false,
    deserialize: (text) => parse(file, text),
  });
};
