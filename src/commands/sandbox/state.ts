import { pluralize } from '../../changes/report.ts';
import { defineGroup } from '../../cli/command.ts';
import type { Flag, OptionValues } from '../../cli/flag.ts';
import { EXIT, UsageError } from '../../errors.ts';
import { stringifyJson } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { isDay, parseDateTime, parseDuration } from '../../parsing/calendar.ts';
import type { SandboxControl } from '../../sandbox/control.ts';
import { groupFlags, variadic, zoneFlag } from '../flags.ts';
import { defineList, defineRecord, KEEPS_NOTHING } from './verb.ts';

type ClockMove = Parameters<SandboxControl['moveClock']>[0];

const clockColumns: readonly Column[] = [
  // As text: with seconds, which matter to people who set the clock.
  { field: 'now', kind: 'text' },
  { field: 'frozen' },
  { field: 'ahead_seconds', kind: 'number' },
];

type ClockVerb = Pick<Parameters<typeof defineRecord>[0], 'about' | 'examples' | 'positionals'>;

export const sandboxClock = defineGroup('sandbox clock', 'show or change the time of the sandbox', [
  defineRecord({
    path: 'clock show',
    about: 'show the time of the sandbox',
    examples: ['ttctl sandbox clock show', 'ttctl sandbox clock show --json'],
    columns: clockColumns,
    change: async ({ control }) => ({ record: await control.clock() }),
  }),
  defineClockMove(
    'set',
    // A day is its first moment there.
    (time, zone) => ({
      action: 'set',
      to_ms: Date.parse(parseDateTime(isDay(time) ? `${time}T00:00` : time, zone)),
    }),
    {
      about: 'set the clock of the sandbox to a time',
      examples: ['ttctl sandbox clock set 2026-12-01', 'ttctl sandbox clock set 2026-12-01T09:00+01:00'],
      positionals: [{ name: 'time', about: 'a day, or a time with or without an offset', required: true }],
    },
    true,
  ),
  defineClockMove('advance', (duration) => ({ action: 'advance', by_ms: parseDuration(duration) }), {
    about: 'advance the clock of the sandbox',
    examples: ['ttctl sandbox clock advance 15d', 'ttctl sandbox clock advance 2h30m --json'],
    positionals: [{ name: 'duration', about: 'such as 90s, 2h30m, 15d', required: true }],
  }),
  defineClockSwitch('freeze', 'stop the clock of the sandbox'),
  defineClockSwitch('resume', 'restart the clock of the sandbox'),
  defineClockSwitch('reset', 'reset the clock of the sandbox to the time of this machine'),
]);

/** @param zoned whether its word is a time, which a zone belongs to */
function defineClockMove(
  name: string,
  buildMove: (word: string, zone: () => string) => ClockMove,
  verb: ClockVerb,
  zoned = false,
) {
  return defineRecord({
    ...verb,
    path: `clock ${name}`,
    columns: clockColumns,
    flags: zoned ? [zoneFlag] : [],
    inspect: 'clock show',
    change: async ({ control, targets: [word = ''], context }) => {
      const record = await control.moveClock(buildMove(word, () => context.timeZone()));
      return { record, text: `It is now ${record.now} in the sandbox` };
    },
  });
}

function defineClockSwitch(action: 'freeze' | 'resume' | 'reset', about: string) {
  return defineClockMove(action, () => ({ action }), { about, examples: [`ttctl sandbox clock ${action}`] });
}

const snapshotColumns: readonly Column[] = [
  { field: 'name' },
  { field: 'seed' },
  { field: 'saved_at', title: 'saved at', kind: 'age' },
  { field: 'now', title: "sandbox's time", kind: 'time', drop: 1 },
  { field: 'problem', sparse: true },
];

const snapshotName = { name: 'name', about: 'name of the snapshot', required: true } as const;

export const sandboxSnapshot = defineGroup('sandbox snapshot', 'save and restore the state of the sandbox', [
  defineRecord({
    path: 'snapshot save',
    about: 'save the whole state: records, tokens, faults, pending deliveries, the clock',
    examples: [
      'ttctl sandbox snapshot save before-approval',
      'ttctl sandbox snapshot save before-approval --replace',
    ],
    positionals: [
      { name: 'name', about: 'lower-case letters, digits, dots, dashes, underscores', required: true },
    ],
    flags: [{ name: 'replace', about: 'replace an existing snapshot', unsafe: true }],
    columns: [{ field: 'saved' }, ...snapshotColumns],
    inspect: 'snapshot list',
    change: async ({ control, targets: [name = ''], options }) => ({
      record: {
        ...(await control.saveSnapshot({ name, replace: options.replace === true })),
        saved: true,
      },
      text: `snapshot ${name} was saved`,
    }),
  }),
  defineRecord({
    path: 'snapshot restore',
    about: 'restore the whole state; the current state is lost',
    examples: ['ttctl sandbox snapshot restore before-approval'],
    exits: [5, 7],
    more: [KEEPS_NOTHING],
    positionals: [snapshotName],
    columns: [{ field: 'restored' }, ...snapshotColumns],
    change: async ({ control, targets: [name = ''], context: { output, commandLine } }) => {
      const row = await control.restoreSnapshot({ name });
      const { ahead_seconds: ahead } = await control.clock();
      const clock = `The clock continues from ${row.now}. To use the time of this machine: ${commandLine`ttctl sandbox clock reset`}`;
      return {
        record: { ...row, restored: true },
        text: `snapshot ${name} was restored`,
        next: () => ahead !== 0 && output.note(clock),
      };
    },
  }),
  defineList({
    path: 'snapshot list',
    about: 'list the snapshots',
    examples: ['ttctl sandbox snapshot list', 'ttctl sandbox snapshot list --output json'],
    flags: groupFlags,
    noun: 'snapshots',
    columns: snapshotColumns,
    id: 'name',
    list: ({ control }) => control.snapshots(),
  }),
  defineList({
    path: 'snapshot diff',
    about: 'list changes since a snapshot, or between two snapshots',
    examples: [
      'ttctl sandbox snapshot diff before-approval',
      'ttctl sandbox snapshot diff before-approval after-approval --output json',
    ],
    exits: [5, 7, 10],
    positionals: [
      snapshotName,
      { name: 'other', about: 'snapshot to compare with (default: the current state)', required: false },
    ],
    noun: 'differences',
    columns: [
      { field: 'kind' },
      { field: 'change' },
      {
        field: 'fields',
        title: 'what',
        sparse: true,
        // Of a record that came or went, its kind and id say enough.
        show: ({ fields, change }) =>
          (Array.isArray(fields) && change === 'changed' ? fields : [])
            .map(({ field, before, after }) => `${field}: ${formatValue(before)} → ${formatValue(after)}`)
            .join(', ') || null,
      },
      { field: 'id', drop: 1 },
      { field: 'workspace_id', title: 'workspace', drop: 2 },
    ],
    list: ({ control, targets: [name = '', other] }) => control.diffSnapshot({ name, other }),
    after: (rows, { exit }) => rows.length > 0 && exit(EXIT.found),
  }),
  defineRecord({
    path: 'snapshot remove',
    about: 'remove a snapshot',
    examples: ['ttctl sandbox snapshot remove before-approval'],
    exits: [5, 7],
    positionals: [snapshotName],
    fields: ['name', 'removed'],
    inspect: 'snapshot list',
    change: async ({ control, targets: [name = ''] }) => ({
      record: { name: (await control.removeSnapshot({ name })).name, removed: true },
      text: `snapshot ${name} was removed`,
    }),
  }),
]);

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

const faultColumns: readonly Column[] = [
  { field: 'id' },
  { field: 'route', title: 'operation' },
  { field: 'fault' },
  { field: 'left', kind: 'number' },
  { field: 'times', title: 'of', kind: 'number' },
];

const faultFields = [
  ...['id', 'route', 'times', 'left', 'status', 'retry_after'],
  ...['after_commit', 'latency_ms', 'drop', 'body', 'fault'],
];

const faultFlags = [
  { name: 'times', value: 'n', about: 'number of calls to fail (1)' },
  { name: 'status', value: 'code', about: 'respond with this status, 300 to 599, without doing the work' },
  { name: 'after-commit', about: 'do the work, then fail (blind retries do it twice)' },
  { name: 'retry-after', value: 'seconds', about: 'seconds to wait, with --status 429 (60) or 503' },
  { name: 'drop', value: 'when', about: 'close the connection before or after doing the work' },
  { name: 'body', value: 'kind', about: 'truncated, broken, html, empty, wrong-type, failure, deep' },
  { name: 'latency', value: 'duration', about: 'delay the response: 500ms, 3s' },
] as const satisfies readonly Flag[];

export const sandboxFault = defineGroup('sandbox fault', 'make calls of the sandbox fail on purpose', [
  defineRecord({
    path: 'fault add',
    about: 'make the next calls of an operation fail',
    examples: [
      'ttctl sandbox fault add timesheets approve --status 500 --after-commit',
      'ttctl sandbox fault add "PUT /timesheets/{timesheetId}/approve" --times 2 --status 429 --retry-after 3',
      'ttctl sandbox fault add members list --body html --latency 2s',
      'ttctl sandbox fault add "POST /oauth/token" --drop after',
    ],
    positionals: [
      {
        name: 'operation',
        about: 'a command (timesheets approve) or a route (POST /oauth/token)',
        required: true,
        variadic: true,
      },
    ],
    flags: faultFlags,
    columns: faultColumns,
    fields: faultFields,
    inspect: 'fault list',
    change: async ({ control, targets, options }) => ({
      record: await control.addFault({ operation: targets.join(' '), ...readFaultFlags(options) }),
      text: 'a fault was added',
    }),
  }),
  defineList({
    path: 'fault list',
    about: 'list the faults of the sandbox and their remaining calls',
    examples: ['ttctl sandbox fault list', 'ttctl sandbox fault list --output json'],
    flags: groupFlags,
    noun: 'faults',
    columns: faultColumns,
    fields: faultFields,
    list: ({ control }) => control.faults(),
  }),
  defineRecord({
    path: 'fault clear',
    about: 'clear faults',
    examples: ['ttctl sandbox fault clear', 'ttctl sandbox fault clear 2 3'],
    positionals: [variadic('fault', 'numbers of faults (default: all)')],
    fields: ['cleared'],
    inspect: 'fault list',
    change: async ({ control, targets }) => {
      const cleared = await control.clearFaults({ ids: targets.map(parseFaultId) });
      return {
        record: { cleared },
        text: `${pluralize(cleared, ['fault was', 'faults were'])} cleared`,
      };
    },
  }),
]);

/** What the flags say, by the names of the control; what is not said is left out. */
function readFaultFlags(options: OptionValues<typeof faultFlags>) {
  const { times, status, retryAfter, afterCommit, latency, drop, body } = options;
  const fault = {
    times: parseCount(times, '--times'),
    status: parseCount(status, '--status'),
    retry_after: parseCount(retryAfter, '--retry-after'),
    after_commit: afterCommit,
    latency_ms: latency === undefined ? undefined : parseDuration(latency, '--latency'),
    drop,
    body,
  };
  return Object.fromEntries(Object.entries(fault).filter(([, value]) => value !== undefined));
}

function parseCount(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${flag}: "${text}" is not a whole number`);
  return Number(text);
}

function parseFaultId(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is not the number of a fault`, {
    hint: 'List them: ttctl sandbox fault list',
  });
}
