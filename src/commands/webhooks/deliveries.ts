import type { Row } from '../../api/page.ts';
import { findLocalId } from '../../changes/select.ts';
import type { Flag } from '../../cli/flag.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { stringifyJson, toText } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import type { ForwardingOptions } from '../../webhooks/exec.ts';

/** What the commands share: flags, fields and columns of deliveries, words on events. */

type Options = Readonly<Record<string, unknown>>;

/** Heading of what is done with a delivery. */
export const FORWARDING_GROUP = 'Forward';

export const storeFlag = {
  name: 'store',
  value: 'folder',
  about: 'folder for deliveries (default: webhooks in the state directory)',
} as const satisfies Flag;

export const forwardingFlags = [
  {
    name: 'forward',
    value: 'url',
    about: 'forward each delivery to this address unchanged',
    group: FORWARDING_GROUP,
  },
  {
    name: 'exec',
    value: 'command',
    about:
      'run this shell command for each delivery, with the body on stdin, TTCTL_EVENT, TTCTL_DELIVERY_ID and others in the environment; its output goes to stderr',
    group: FORWARDING_GROUP,
    unsafe: true,
  },
  {
    name: 'pass-env',
    value: 'name',
    about:
      'also pass this variable to the command, which otherwise gets PATH, HOME and the like, but no credentials',
    repeatable: true,
    group: FORWARDING_GROUP,
    unsafe: true,
  },
  {
    name: 'handler-timeout',
    value: 'seconds',
    about: 'end a command that takes longer',
    default: '300',
    group: FORWARDING_GROUP,
  },
] as const satisfies readonly Flag[];

export const readTextFlag = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** @throws UsageError for what is no web address */
export function readWebAddress(where: string, value: unknown): string | undefined {
  const url = readTextFlag(value);
  if (url === undefined || (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))) return url;
  throw new UsageError(`${where}: "${url}" is not a web address`);
}

/** A day: no timer can wait for much longer than that. */
const MAX_SECONDS = 86_400;

/** @throws UsageError for what is no web address, and for variables of no command or that are not set */
export function readForwardingFlags({ machine }: Context, options: Options): ForwardingOptions {
  const forward = readWebAddress('--forward', options.forward);
  const exec = readTextFlag(options.exec);
  const passEnv = Array.isArray(options.passEnv) ? options.passEnv.map(String) : [];
  if (passEnv.length > 0 && exec === undefined) throw new UsageError('--pass-env needs --exec');
  const missing = passEnv.filter((name) => machine.env[name] === undefined);
  if (missing.length > 0)
    throw new UsageError(`--pass-env: there is no variable ${missing.join(', ')}`, {
      hint: 'Pass the name of a variable that is set, without its value: --pass-env DATABASE_URL',
    });
  const seconds = String(options.handlerTimeout);
  if (!/^[1-9]\d*$/.test(seconds) || Number(seconds) > MAX_SECONDS)
    throw new UsageError(
      `--handler-timeout: "${seconds}" is not a number of seconds from 1 to ${MAX_SECONDS}`,
    );
  return { forward, exec, passEnv, handlerTimeoutMs: Number(seconds) * 1000 };
}

/** The id of a stored delivery, or at a terminal its beginning. */
export async function findDeliveryId(
  context: Context,
  text: string,
  store: string | undefined,
): Promise<string> {
  const { listReceived } = await import('../../webhooks/rows.ts');
  const words = listColumns.filter(({ field }) => field === 'received_at' || field === 'event');
  return findLocalId(context, text, () => listReceived(context, store), words);
}

/** Members of a delivery in JSON: in a list, as it is received, and in detail. */
const commonFields = [
  ...['id', 'event', 'received_at', 'size', 'signature', 'signature_detail', 'path', 'state', 'key'],
];
const bodyFields = ['payload', 'text', 'base64'];

export const listFields = [...commonFields, 'summary'];
export const liveFields = [
  ...commonFields,
  ...['repeat', 'attempts', 'forward', 'exec', 'summary'],
  ...bodyFields,
];
export const detailFields = [...commonFields, 'method', 'headers', ...bodyFields];

/** Columns of what comes in; of what is done with it where something is. */
export function createLiveColumns({ forward, exec }: ForwardingOptions): readonly Column[] {
  const post: Column = { field: 'forward', title: 'forwarded', width: 18, show: formatForward, drop: 1 };
  const command: Column = { field: 'exec', title: 'command', width: 7, show: formatExec, drop: 1 };
  const state: Column = { field: 'state', kind: 'state', width: 8 };
  return [
    { field: 'received_at', title: 'time', kind: 'clock', width: 8 },
    { field: 'event', width: 16 },
    { field: 'size', kind: 'number', width: 7, show: formatSize, drop: 3 },
    { field: 'signature', kind: 'state', width: 9, drop: 2 },
    ...(forward === undefined ? [] : [post]),
    ...(exec === undefined ? [] : [command]),
    ...(forward === undefined && exec === undefined ? [] : [state]),
    { field: 'summary', title: 'data', show: formatSummary },
  ];
}

export const listColumns: readonly Column[] = [
  { field: 'received_at', title: 'received', kind: 'age' },
  { field: 'event' },
  { field: 'size', kind: 'number', show: formatSize, drop: 3 },
  { field: 'signature', kind: 'state', drop: 1 },
  { field: 'state', kind: 'state', sparse: true },
  { field: 'path', drop: 4 },
  { field: 'summary', title: 'data', drop: 2 },
  { field: 'id', short: true },
];

export const detailColumns: readonly Column[] = [
  { field: 'id' },
  { field: 'event' },
  { field: 'received_at', title: 'received', kind: 'time' },
  { field: 'signature', kind: 'state', show: formatSignature },
  { field: 'state', kind: 'state', sparse: true },
  { field: 'size', show: formatSize },
  { field: 'method' },
  { field: 'path' },
  { field: 'key' },
  { field: 'headers', kind: 'text', show: formatHeaders },
  { field: 'payload', title: 'body', kind: 'text', show: formatBody },
];

function formatSize({ size }: Row): string | null {
  if (size === null) return null;
  return Number(size) < 1000 ? `${size} B` : `${(Number(size) / 1000).toFixed(1)} kB`;
}

/** `200 in 12 ms`, or why not. */
function formatForward({ forward }: Row): unknown {
  const { status, ms, error } = (forward ?? {}) as Row;
  return error ?? `${status} in ${ms} ms`;
}

function formatExec({ exec }: Row): unknown {
  const { exit, error } = (exec ?? {}) as Row;
  return error ?? `exit ${exit}`;
}

function formatSummary({ repeat, attempts, summary }: Row): string {
  const lead = repeat === true ? 'repeat: ' : Number(attempts) > 1 ? `attempt ${attempts}: ` : '';
  return `${lead}${summary}`;
}

function formatSignature({ signature, signature_detail: detail }: Row): string {
  return detail === null ? String(signature) : `${signature} (${detail})`;
}

function formatHeaders({ headers }: Row): string {
  return Object.entries(headers as Row)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
}

/** The body as people read it: JSON on several lines. */
export function formatBody({ payload, text, base64 }: Row): string {
  return payload != null ? stringifyJson(payload, 2) : toText(text ?? base64);
}
