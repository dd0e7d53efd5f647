import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { resolveDirectories } from '../config/environment.ts';
import { makePrivateDirectory, removeQuietly, writeDurably } from '../storage/write.ts';
import { formatRecordedCommand, type Machine } from './machine.ts';

const MAX_REPORTS = 10;

const REPORT_NAME = /^\d{4}-\d\d-\d\dT\d+Z-\d+\.txt$/;

/**
 * Writes down which command it was and where it broke, secrets masked, for this user alone.
 * @returns the path of the file; `undefined` where there is no place for it: a fault on top of a fault helps nobody
 */
export function writeFaultReport(
  fault: unknown,
  args: readonly string[],
  machine: Machine,
): string | undefined {
  try {
    const { state } = resolveDirectories(machine.env, machine.platform, machine.home);
    if (state === undefined) return undefined;
    const directory = join(state, 'faults');
    const at = new Date(machine.clock.now()).toISOString();
    const file = join(directory, `${at.replace(/[:.]/g, '')}-${machine.pid}.txt`);
    const versions = `ttctl ${machine.version}, Node ${machine.nodeVersion}, ${machine.platform}`;
    const command = formatRecordedCommand(['ttctl', ...args], machine);
    const text = [at, versions, command, '', inspect(fault), ''].join('\n');
    makePrivateDirectory(directory);
    writeDurably(file, machine.redactor.text(text));
    const names = readdirSync(directory).filter((name) => REPORT_NAME.test(name));
    for (const name of names.sort().slice(0, -MAX_REPORTS)) removeQuietly(join(directory, name));
    return file;
  } catch {
    return undefined;
  }
}
