import { defineGroup } from '../../cli/command.ts';
import type { Flag } from '../../cli/flag.ts';
import { EXIT } from '../../errors.ts';
import { stringifyJson } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import { isDay, parseDateTime, parseDottedDay, parseDuration } from '../../parsing/calendar.ts';
import { SCOPES } from '../../parsing/names.ts';
import { parseCount } from '../../parsing/text.ts';
import { groupFlags, variadic, zoneFlag } from '../flags.ts';
import { defineVerb, KEEPS_NOTHING } from './verb.ts';

const clockColumns: readonly (Column | string)[] = [
  // As text: with seconds, which matter to people who set the clock.
  { field: 'now', kind: 'text' },
  'frozen',
  { field: 'ahead_seconds', kind: 'number' },
];

const moves: readonly (readonly [action: 'freeze' | 'resume' | 'reset', about: string])[] = [
  ['freeze', 'stop the clock of the sandbox'],
  ['resume', 'restart the clock of the sandbox'],
  ['reset', 'reset the clock of the sandbox to the time of this machine'],
];

export const sandboxClock = defineGroup('sandbox clock', 'show or change the time of the sandbox', [
  defineVerb({
    path: 'clock show',
    about: 'show the time of the sandbox',
    looks: true,
    columns: clockColumns,
    run: ({ control }) => control.clock(),
  }),
  defineVerb({
    path: 'clock set',
    about: 'set the clock of the sandbox to a time',
    examples: ['ttctl sandbox clock set 2026-12-01', 'ttctl sandbox clock set 2026-12-01T09:00+01:00'],
    positionals: [{ name: 'time', about: 'a day, or a time with or without an offset', required: true }],
    columns: clockColumns,
    flags: [zoneFlag],
    run: ({ control, targets: [word = ''], run }) => {
      // A day is its first moment there.
      const day = parseDottedDay(word) ?? word;
      const time = isDay(day) ? `${day}T00:00` : word;
      const to_ms = Date.parse(parseDateTime(time, () => run.timeZone()));
      return control.moveClock({ action: 'set', to_ms });
    },
  }),
  defineVerb({
    path: 'clock advance',
    about: 'advance the clock of the sandbox',
    examples: ['ttctl sandbox clock advance 15d', 'ttctl sandbox clock advance 2h30m --json'],
    positionals: [{ name: 'duration', about: 'such as 90s, 2h30m, 15d', required: true }],
    columns: clockColumns,
    run: ({ control, targets: [duration = ''] }) =>
      control.moveClock({ action: 'advance', by_ms: parseDuration(duration) }),
  }),
  ...moves.map(([action, about]) =>
    defineVerb({
      path: `clock ${action}`,
      about,
      columns: clockColumns,
      run: ({ control }) => control.moveClock({ action }),
    }),
  ),
]);

const snapshotColumns: readonly (Column | string)[] = [
  'name',
  'seed',
  { field: 'saved_at', title: 'saved at', kind: 'age' },
  { field: 'now', title: "sandbox's time", kind: 'time', drop: 1 },
  { field: 'problem', sparse: true },
];

const snapshotName = { name: 'name', about: 'name of the snapshot', required: true } as const;

export const sandboxSnapshot = defineGroup('sandbox snapshot', 'save and restore the state of the sandbox', [
  defineVerb({
    path: 'snapshot save',
    about: 'save the whole state: records, tokens, faults, pending deliveries, the clock',
    examples: ['ttctl sandbox snapshot save before-approval'],
    positionals: [{ name: 'name', about: 'lower-case letters, digits, dots, dashes', required: true }],
    flags: [{ name: 'replace', about: 'replace an existing snapshot', unsafe: true }],
    columns: ['saved', ...snapshotColumns],
    run: async ({ control, targets: [name = ''], options: { replace = false } }) => ({
      ...(await control.saveSnapshot({ name, replace })),
      saved: true,
    }),
  }),
  defineVerb({
    path: 'snapshot restore',
    about: 'restore the whole state; the current state is lost',
    examples: ['ttctl sandbox snapshot restore before-approval'],
    exits: [5, 7],
    more: [KEEPS_NOTHING],
    positionals: [snapshotName],
    columns: ['restored', ...snapshotColumns],
    run: async ({ control, targets: [name = ''] }) => ({
      ...(await control.restoreSnapshot({ name })),
      restored: true,
    }),
  }),
  defineVerb({
    looks: true,
    path: 'snapshot list',
    about: 'list the snapshots',
    flags: groupFlags,
    noun: 'snapshots',
    columns: snapshotColumns,
    id: 'name',
    run: ({ control }) => control.snapshots(),
  }),
  defineVerb({
    looks: true,
    path: 'snapshot diff',
    about: 'list changes since a snapshot, or between two snapshots',
    examples: ['ttctl sandbox snapshot diff before-approval after-approval'],
    exits: [5, 7, 10],
    positionals: [
      snapshotName,
      { name: 'other', about: 'snapshot to compare with (default: the current state)', required: false },
    ],
    noun: 'differences',
    columns: [
      'kind',
      'change',
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
    run: ({ control, targets: [name = '', other] }) => control.diffSnapshot({ name, other }),
    after: (rows, { exit }) => rows.length > 0 && exit(EXIT.found),
  }),
  defineVerb({
    path: 'snapshot remove',
    about: 'remove a snapshot',
    examples: ['ttctl sandbox snapshot remove before-approval'],
    exits: [5, 7],
    positionals: [snapshotName],
    fields: ['name', 'removed'],
    run: async ({ control, targets: [name = ''] }) => {
      await control.removeSnapshot({ name });
      return { name, removed: true };
    },
  }),
]);

function formatValue(value: unknown): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}

const faultColumns: readonly (Column | string)[] = [
  'id',
  { field: 'route', title: 'operation' },
  'fault',
  { field: 'left', kind: 'number' },
  { field: 'times', title: 'of', kind: 'number' },
];

const faultFields = ['status', 'retry_after', 'after_commit', 'latency_ms', 'drop', 'body'];

const faultFlags = [
  { name: 'times', value: 'n', about: 'number of calls to fail (1)' },
  { name: 'status', value: 'code', about: 'respond with this status, 300 to 599, without doing the work' },
  { name: 'after-commit', about: 'do the work, then fail (blind retries do it twice)' },
  { name: 'retry-after', value: 'seconds', about: 'seconds to wait, with --status 429 (60) or 503' },
  { name: 'drop', value: 'when', about: 'close the connection before or after doing the work' },
  { name: 'body', value: 'kind', about: 'truncated, html or failure' },
  { name: 'latency', value: 'duration', about: 'delay the response: 500ms, 3s' },
] as const satisfies readonly Flag[];

export const sandboxFault = defineGroup('sandbox fault', 'make calls of the sandbox fail on purpose', [
  defineVerb({
    path: 'fault add',
    about: 'make the next calls of an operation fail',
    examples: [
      'ttctl sandbox fault add timesheets approve --status 500 --after-commit',
      'ttctl sandbox fault add "PUT /timesheets/{timesheetId}/approve" --times 2 --status 429 --retry-after 3',
      'ttctl sandbox fault add "POST /oauth/token" --drop after',
    ],
    positionals: [
      {
        ...variadic('operation', 'a command (timesheets approve) or a route (POST /oauth/token)'),
        required: true,
      },
    ],
    flags: faultFlags,
    columns: faultColumns,
    fields: faultFields,
    run: ({ control, targets, options }) => {
      const { times, status, retryAfter, afterCommit, latency, drop, body } = options;
      const fault = {
        times: times && parseCount('--times', times),
        status: status && parseCount('--status', status),
        retry_after: retryAfter && parseCount('--retry-after', retryAfter),
        after_commit: afterCommit,
        latency_ms: latency === undefined ? undefined : parseDuration(latency, '--latency'),
        ...{ drop, body },
      };
      const given = Object.fromEntries(Object.entries(fault).filter(([, value]) => value !== undefined));
      return control.addFault({ operation: targets.join(' '), ...given });
    },
  }),
  defineVerb({
    looks: true,
    path: 'fault list',
    about: 'list the faults of the sandbox and their remaining calls',
    flags: groupFlags,
    noun: 'faults',
    columns: faultColumns,
    fields: faultFields,
    run: ({ control }) => control.faults(),
  }),
  defineVerb({
    path: 'fault clear',
    about: 'clear faults',
    examples: ['ttctl sandbox fault clear', 'ttctl sandbox fault clear 2 3'],
    positionals: [variadic('fault', 'numbers of faults (default: all)')],
    fields: ['cleared'],
    run: async ({ control, targets: ids }) => ({ cleared: await control.clearFaults({ ids }) }),
  }),
]);

const tokenColumns: readonly (Column | string)[] = [
  'name',
  'member',
  { field: 'kind', drop: 2 },
  { field: 'scopes', kind: 'list' },
  { field: 'status', kind: 'state' },
  { field: 'created_at', title: 'created', kind: 'time', drop: 3 },
  { field: 'expires_at', title: 'expires', kind: 'time', drop: 1 },
  'id',
];

export const sandboxToken = defineGroup('sandbox token', 'manage tokens of the sandbox', [
  defineVerb({
    path: 'token create',
    about: 'create a token of the sandbox and print it',
    examples: [
      'ttctl sandbox token create --as nora@lindenhof.example --scope read,write',
      'ttctl sandbox token create --as nora@lindenhof.example --name nightly --scope read --json',
    ],
    exits: [4, 5, 7],
    flags: [
      { name: 'as', value: 'email', about: 'an Owner or Executive Manager; required', needed: {} },
      { name: 'name', value: 'name', about: 'name of the token (default: sandbox)' },
      { name: 'scope', value: 'scope', about: 'read, write (both)', offers: SCOPES, repeatable: true },
    ],
    fields: ['id', 'name', 'token', 'scopes', 'member', 'expires_at'],
    run: ({ control, options: { as, name, scope = ['read,write'] } }) => {
      const scopes = scope.flatMap((text) => text.split(/[\s,]+/)).filter((word) => word !== '');
      return control.createToken({ as, scopes, name });
    },
    print: ({ token }, { output, settings }) =>
      settings.output.value.shape === 'screen' ? output.text(token) : undefined,
  }),
  defineVerb({
    looks: true,
    path: 'token list',
    about: 'list the tokens of the sandbox, without their secrets',
    flags: groupFlags,
    noun: 'tokens',
    columns: tokenColumns,
    run: ({ control }) => control.tokens(),
  }),
  defineVerb({
    path: 'token revoke',
    about: 'revoke a token of the sandbox',
    examples: ['ttctl sandbox token revoke nightly', 'ttctl sandbox token revoke 17'],
    exits: [5, 7],
    positionals: [{ name: 'token', about: 'id or name of the token', required: true }],
    columns: tokenColumns,
    run: ({ control, targets: [token = ''] }) => control.revokeToken({ token }),
  }),
]);

export const sandboxApp = defineGroup('sandbox app', 'manage OAuth2 applications of the sandbox', [
  defineVerb({
    path: 'app create',
    about: 'register an OAuth2 application and print its client id and secret',
    examples: [
      'ttctl sandbox app create --name "My app" --redirect-uri http://127.0.0.1:8484/callback',
      'ttctl sandbox app create --name Nightly --grant client-credentials --json',
    ],
    exits: [4, 5, 7],
    flags: [
      { name: 'name', value: 'name', about: 'name shown on the authorization page; required', needed: {} },
      { name: 'redirect-uri', value: 'uri', about: 'required for the authorization code grant' },
      {
        name: 'grant',
        value: 'grant',
        about: 'grant of the application',
        choices: ['authorization-code', 'client-credentials'],
        default: 'authorization-code',
      },
      { name: 'as', value: 'email', about: 'who registers it (default: the first owner)' },
    ],
    fields: ['client_id', 'client_secret', 'name', 'grant', 'redirect_uri', 'member', 'created_at'],
    run: ({ control, options: { redirectUri: redirect_uri, name, grant, as } }) =>
      control.createApp({ name, grant, redirect_uri, as }),
    after: (_app, { output }) => output.note('The secret is not shown again.'),
  }),
]);
