import type { Row } from '../../api/page.ts';
import { findLocalId } from '../../changes/find-id.ts';
import type { Column, Context } from '../../context.ts';
import { stringifyJson, toText } from '../../json/stringify.ts';

/** How deliveries are shown to people. */

const formatSize = ({ size: bytes }: Row): string | null =>
  bytes === null ? null : Number(bytes) < 1000 ? `${bytes} B` : `${(Number(bytes) / 1000).toFixed(1)} kB`;

/** `200 in 12 ms`, or why not. */
const formatForward = ({ forward }: Row): unknown => {
  const { status, ms, error } = (forward ?? {}) as Row;
  return error ?? `${status} in ${ms} ms`;
};

const formatExec = ({ exec }: Row): unknown => {
  const { exit, error } = (exec ?? {}) as Row;
  return error ?? `exit ${exit}`;
};

const formatSummary = ({ repeat, attempts, summary }: Row): string => {
  const lead = repeat === true ? 'repeat: ' : Number(attempts) > 1 ? `attempt ${attempts}: ` : '';
  return `${lead}${summary}`;
};

/** Of what is not done yet. */
const formatAttempts = ({ state, attempts }: Row): unknown =>
  state === 'done' || Number(attempts) === 0 ? null : attempts;

/** Columns of what comes in; of what is done with it where something is. */
export const createLiveColumns = ({
  forward,
  exec,
}: {
  forward?: string;
  exec?: string;
}): readonly Column[] => [
  { field: 'received_at', title: 'time', kind: 'clock', width: 8 },
  { field: 'event', width: 16 },
  { field: 'size', kind: 'number', width: 7, show: formatSize, drop: 3 },
  { field: 'signature', kind: 'state', width: 9, drop: 2 },
  ...(forward === undefined
    ? []
    : [{ field: 'forward', title: 'forwarded', width: 18, show: formatForward, drop: 1 }]),
  ...(exec === undefined ? [] : [{ field: 'exec', title: 'command', width: 7, show: formatExec, drop: 1 }]),
  ...(forward === undefined && exec === undefined
    ? []
    : [{ field: 'state', kind: 'state', width: 7 } as const]),
  { field: 'summary', title: 'data', show: formatSummary },
];

export const listColumns: readonly Column[] = [
  { field: 'received_at', title: 'received', kind: 'age' },
  { field: 'event' },
  { field: 'size', kind: 'number', show: formatSize, drop: 3 },
  { field: 'signature', kind: 'state', drop: 1 },
  { field: 'state', kind: 'state', sparse: true },
  { field: 'attempts', kind: 'number', show: formatAttempts, drop: 3, sparse: true },
  { field: 'last_error', title: 'error', drop: 3, sparse: true },
  { field: 'path', drop: 4 },
  { field: 'summary', title: 'data', drop: 2 },
  { field: 'id', short: true },
];

/** The id of a stored delivery, or at a terminal its beginning. */
export const findDeliveryId = async (
  context: Context,
  text: string,
  store: string | undefined,
): Promise<string> => {
  const service = await context.webhooks();
  const words = listColumns.filter(({ field }) => field === 'received_at' || field === 'event');
  return findLocalId(context, text, () => service.list(store), words);
};

/** The body as people read it: JSON on several lines. */
export const formatDeliveryBody = ({ payload, text, base64 }: Row): string =>
  payload != null ? stringifyJson(payload, 2) : toText(text ?? base64);

const formatHeaders = ({ headers }: Row): string =>
  Object.entries(headers as Row)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

const formatSignature = ({ signature, signature_detail: detail }: Row): string =>
  detail === null ? String(signature) : `${signature} (${detail})`;

export const detailColumns: readonly Column[] = [
  { field: 'id' },
  { field: 'event' },
  { field: 'received_at', title: 'received', kind: 'time' },
  { field: 'signature', kind: 'state', show: formatSignature },
  { field: 'state', kind: 'state', sparse: true },
  { field: 'attempts', show: formatAttempts },
  { field: 'next_attempt_at', title: 'next attempt', kind: 'time', sparse: true },
  { field: 'last_error', title: 'error', sparse: true },
  { field: 'size', show: formatSize },
  { field: 'method' },
  { field: 'path' },
  { field: 'key' },
  { field: 'headers', kind: 'text', show: formatHeaders },
  { field: 'payload', title: 'body', kind: 'text', show: formatDeliveryBody },
];
