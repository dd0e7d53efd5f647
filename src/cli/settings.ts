import { readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PageWindow } from '../api/page.ts';
import { PLAN_FILE } from '../changes/input/files.ts';
import { type GlobalFlags, resolveSettings, type Settings } from '../config/settings.ts';
import { EMPTY_SETTINGS, type SettingsFile, type SettingsStore } from '../config/store.ts';
import { createBadValueError } from '../config/values.ts';
import { collectProblems, UsageError } from '../errors.ts';
import { getOffsetMinutes } from '../parsing/calendar.ts';
import { findWriteProblem } from '../storage/named.ts';
import { checkReplaced } from '../storage/own-files.ts';
import {
  type Flag,
  formatLongFlag,
  getOptionKey,
  hasFlag,
  type Invocation,
  isFlag,
  listGiven,
} from './flag.ts';

/** The settings of one run, and what of the stored ones is wrong. */

export function warnBadSettings(warn: (text: string) => void, wrong: readonly UsageError[]): void {
  for (const { message, hint } of wrong) warn([message, hint].filter(Boolean).join('. '));
}

export interface OpenedSettings {
  /** The options that every command has; of commands that make profiles also theirs. */
  readonly flags: GlobalFlags;
  readonly settings: Settings;
  /** What is wrong with stored settings, for a command that is there to mend or to examine them. */
  readonly wrong: readonly UsageError[];
}

/** What only makes a plan sends nothing. @param plan the file; else nothing is planned */
export function withPlan(settings: Settings, plan: unknown): Settings {
  return typeof plan === 'string'
    ? { ...settings, dryRun: { value: true, from: 'flag', name: '--plan' }, plan }
    : settings;
}

/**
 * @param problems takes all else that is wrong
 * @throws UsageError for a settings file that cannot be read, unless the command examines it
 */
export function openSettings(
  invocation: Invocation,
  env: Readonly<Record<string, string | undefined>>,
  store: SettingsStore,
  problems: UsageError[],
): OpenedSettings {
  const { options, globals } = invocation;
  const { newProfile = false, settings: settingsUse } = invocation.command;
  const flags: GlobalFlags = newProfile ? { ...options, ...globals } : globals;
  const [foundProblems, wrong]: [UsageError[], UsageError[]] = [[], []];
  const read = (): SettingsFile => store.read();
  const file = (settingsUse === 'examined' ? collectProblems(wrong, read) : read()) ?? EMPTY_SETTINGS;
  const settings = resolveSettings({
    flags,
    env,
    file,
    path: store.file,
    newProfile,
    problems: foundProblems,
  });
  if (settingsUse !== undefined) collectProblems(foundProblems, () => findStoredZone(settings, store.file));
  for (const problem of foundProblems)
    (settingsUse !== undefined && problem.details.source === 'profile' ? wrong : problems).push(problem);
  return { flags, settings: withPlan(settings, options.plan), wrong };
}

/** The zone that the profile names. @throws UsageError where there is none of that name */
function findStoredZone({ timezone, profile }: Settings, file?: string): string | undefined {
  if (timezone?.from !== 'profile') return timezone?.value;
  try {
    getOffsetMinutes(0, timezone.value);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const place = { profile: profile.value, file };
    throw createBadValueError(
      { ...timezone, place },
      `has an unknown time zone: "${timezone.value}"`,
      error.hint ?? '',
    );
  }
  return timezone.value;
}

/** The zone that days are shown in: of the flag, as it is stored, else of this machine. @param system its zone */
export function resolveZone(
  flag: string | undefined,
  settings: Settings,
  file: string | undefined,
  system: () => string,
): string {
  return flag ?? findStoredZone(settings, file) ?? system();
}

/**
 * The zone of this machine: what `TZ` says, as `date` reads it, else what the system is set to.
 * @param tell takes a note on an offset, which has no summer time, or a warning of what is no zone
 */
export function readSystemZone(
  tz: string | undefined,
  tell: { readonly note: (text: string) => void; readonly warn: (text: string) => void },
): string {
  // Of a path: `:/usr/share/zoneinfo/Europe/Berlin`.
  const name = (tz ?? '').replace(/^:/, '').replace(/^.*\/zoneinfo\/(?:posix\/|right\/)?/, '');
  if (name === '') {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions() as { readonly timeZone?: string };
    return timeZone === undefined || timeZone === 'Etc/Unknown' ? 'UTC' : timeZone;
  }
  if (isZone(name)) return name;
  // `UTC+3` is west of Greenwich: POSIX and the names of Etc/ count alike.
  const [, sign, hours = '', minutes = '00'] =
    /^(?:[A-Za-z]{3,}|<[^>]*>)([+-]?)(\d{1,2})(?::?([0-5]\d))?$/.exec(name) ?? [];
  const zone = `${sign === '-' ? '+' : '-'}${hours.padStart(2, '0')}:${minutes}`;
  if (sign !== undefined && isZone(zone)) {
    if (Number(hours) + Number(minutes) === 0) return 'UTC';
    tell.note(`TZ=${tz} is read as ${zone.replace('-', '−')}, without summer time.`);
    return zone;
  }
  tell.warn(`TZ=${tz} is not a time zone: times are in UTC. Use an IANA name such as Europe/Berlin.`);
  return 'UTC';
}

function isZone(name: string): boolean {
  try {
    getOffsetMinutes(0, name);
    return true;
  } catch {
    return false;
  }
}

/** The part of a list that was asked for: `--limit`, `--page`, `--per-page`. */

/** No list has more rows. */
const MAX_ROW_NUMBER = 999_999_999;

export interface RowWindow {
  readonly window: PageWindow;
  /** So many of the sorted or grouped rows are shown: before, all are read. */
  readonly limit?: number;
}

/**
 * @param invocation of a command that may count groups: its list is held back for them, and for `--sort`
 * @param sorted whether the rows are put in another order
 * @param attempt takes what is thrown: UsageError for what is no whole number in range
 */
export function readWindow(
  invocation: Invocation,
  sorted: boolean,
  attempt: <T>(work: () => T) => T | undefined,
): RowWindow {
  const { options } = invocation;
  const limit = attempt(() => readWholeNumber(options, 'limit', '--limit'));
  const page = attempt(() => readWholeNumber(options, 'page', '--page'));
  const perPage = attempt(() => readWholeNumber(options, 'perPage', '--per-page', 100));
  const window = { ...(page && { page }), ...(perPage && { perPage }) };
  if (limit === undefined) return { window };
  const list = hasFlag(invocation.command, 'group-by');
  return list && (sorted || options.groupBy !== undefined)
    ? { window, limit }
    : { window: { ...window, limit } };
}

function readWholeNumber(
  options: Readonly<Record<string, unknown>>,
  name: string,
  flag: string,
  max?: number,
): number | undefined {
  const raw = options[name];
  if (raw === undefined) return undefined;
  const number = Number(raw);
  const digits = /^\d+$/.test(String(raw));
  if (digits && max === undefined && number > MAX_ROW_NUMBER) {
    throw new UsageError(`${flag}: ${raw} is out of range: from 1 to ${MAX_ROW_NUMBER}`);
  }
  if (!digits || number < 1 || (max !== undefined && number > max)) {
    throw new UsageError(
      `${flag}: "${raw}" is not a whole number ${max === undefined ? 'of 1 or more' : `from 1 to ${max}`}`,
    );
  }
  return number;
}

/** The files that a run writes must be none that it reads. */

interface NamedFile {
  readonly where: string;
  readonly path: string;
}

const OUTPUT = 'plan';

/** What is wrong with the files that the run is to write, told before anything is asked of the service. */
export function findOutputProblems(invocation: Invocation, { plan, log }: Settings): readonly UsageError[] {
  if (plan === undefined && log === undefined) return [];
  const problems = findLosses(invocation, log?.value);
  if (plan === undefined || plan === '-') return problems;
  const problem = findWriteProblem(plan);
  if (problem !== undefined) return [new UsageError(`--plan: cannot write to ${problem}`), ...problems];
  try {
    if (problems.length === 0) checkReplaced(plan, PLAN_FILE);
    return problems;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [error];
  }
}

/** A file would be lost that is read and written, or written twice, by whatever names. */
function findLosses(invocation: Invocation, log: string | undefined): readonly UsageError[] {
  const outputs = listOutputs(invocation, log);
  const inputs = listInputs(invocation);
  return outputs.flatMap(({ where, path }, index) => {
    const id = identify(path);
    const others = id === undefined ? [] : [...inputs, ...outputs.slice(index + 1)];
    const same = others.find((other) => identify(other.path) === id);
    if (same === undefined) return [];
    const message = `${where} and ${same.where} are the same file: ${path}`;
    return [new UsageError(message, { hint: `Name another file with ${where}.` })];
  });
}

function listOutputs(invocation: Invocation, log: string | undefined): readonly NamedFile[] {
  const given = listGiven(invocation).filter(({ source }) => source.name === OUTPUT);
  return [...given.map(({ where, raw }) => ({ where, path: raw })), { where: '--log', path: log }].filter(
    (output): output is NamedFile => typeof output.path === 'string' && output.path !== '-',
  );
}

function listInputs(invocation: Invocation): readonly NamedFile[] {
  return [
    { where: 'stdin', path: '/dev/stdin' },
    ...listGiven(invocation).flatMap(({ source, raw, where }) => {
      if (source.name === 'typed-field' && Array.isArray(raw))
        return raw.map((text) => ({ where, path: String(text).replace(/^[^=]*=@/, '') }));
      if (typeof raw !== 'string' || source.name === OUTPUT) return [];
      if (!isFlag(source) && source.name === 'folder') return listFolder(raw);
      const kind = isFlag(source) ? source.value : source.name;
      return kind === 'file' || source.name === 'seed' ? [{ where, path: raw }] : [];
    }),
  ];
}

function listFolder(folder: string): readonly NamedFile[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.csv'));
    return names.map((name) => ({ where: name, path: `${folder}/${name}` }));
  } catch {
    return [];
  }
}

/** Alike for all names of one file; undefined for a pipe or a device. */
function identify(path: string): string | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return resolve(path);
    return stats.isFile() ? `${stats.dev}:${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
}

/** What is wrong with a flag of one value that is given more than once. */
export function createRepeatError(flag: Flag): UsageError {
  return new UsageError(`${formatLongFlag(flag)} was given more than once`, {
    hint: 'It takes a single value.',
  });
}

/**
 * The zone that `--timezone` names; `undefined` without one.
 * @throws UsageError when there is no such zone
 */
export function getZoneFlag({ command, options }: Invocation): string | undefined {
  const flag = command.flags.find(({ zone }) => zone === true);
  const zone = flag && options[getOptionKey(flag)];
  if (zone === undefined) return undefined;
  getOffsetMinutes(0, String(zone));
  return String(zone);
}
