import type { Row } from '../../api/page.ts';
import { stringifyJson, toText } from '../../json.ts';
import type { Column } from '../../output/list-view.ts';
import type { ForwardingOptions } from '../../webhooks/forward.ts';

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
    { field: 'summary', title: 'data', least: 12, show: formatSummary },
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

export function formatBody({ payload, text, base64 }: Row): string {
  return payload != null ? stringifyJson(payload, 2) : toText(text ?? base64);
}
