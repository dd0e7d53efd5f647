import { pluralize } from '../../changes/report.ts';
import { defineGroup } from '../../cli/command.ts';
import type { Flag, OptionValues } from '../../cli/flag.ts';
import { UsageError } from '../../errors.ts';
import type { Column } from '../../output/list-view.ts';
import { parseDuration } from '../../parsing/calendar.ts';
import { groupFlags, variadic } from '../flags.ts';
import { defineList, defineRecord } from './verb.ts';

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

const parseCount = (text: string | undefined, flag: string): number | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`${flag}: "${text}" is not a whole number`);
  return Number(text);
};

/** What the flags say, by the names of the control; what is not said is left out. */
const readFaultFlags = (options: OptionValues<typeof faultFlags>) => {
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
};

const parseFaultId = (text: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is not the number of a fault`, {
    hint: 'List them: ttctl sandbox fault list',
  });
};

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
