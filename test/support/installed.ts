import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What a machine may lack: tests that need it are skipped there, and it is said which. */

const said = new Set<string>();

const pathOf = (program: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });

/** The path of a program on PATH. Says once of each that is not there what is skipped for want of it. */
export const installed = (program: string, skipped: string): string | undefined => {
  const path = pathOf(program);
  if (path === undefined && !said.has(program + skipped)) {
    said.add(program + skipped);
    process.stderr.write(`skipped: ${skipped} (no ${program} on PATH)\n`);
  }
  return path;
};
