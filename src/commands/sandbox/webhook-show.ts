import type { Row } from '../../api/page.ts';
import { defineCommand } from '../../cli/command.ts';
import type { Column } from '../../context.ts';
import { parseJsonValue } from '../../json/parse.ts';
import { stringifyJson, toText } from '../../json/stringify.ts';
import { deliveryColumns, deliveryFields } from './delivery-columns.ts';
import { urlFlag } from './target.ts';

const listEntries = (value: unknown): [string, unknown][] => Object.entries({ ...(value as Row | null) });

/** The body as JSON on several lines; in the other formats it is what was sent, to the byte. */
const formatBody = (body: unknown): string => stringifyJson(parseJsonValue(toText(body)), 2);

const formatRequest = ({ request }: Row): string => {
  const { method, url, headers, body } = Object.fromEntries(listEntries(request));
  const lines = listEntries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...lines, '', formatBody(body)].join('\n');
};

const formatAttempt = (attempt: unknown): string => {
  const { at, status, reason, answer, duration_ms } = Object.fromEntries(listEntries(attempt));
  const outcome = reason ?? `answered with ${status}`;
  const text = typeof answer === 'string' && answer.trim() !== '' ? `\n${answer.trim()}` : '';
  return `${at}  ${outcome} (${duration_ms} ms)${text}`;
};

const columns: readonly Column[] = [
  ...deliveryColumns.map(({ drop: _drop, sparse: _sparse, ...column }) => column),
  { field: 'workspace_id', title: 'workspace' },
  { field: 'request', kind: 'text', show: formatRequest },
  {
    field: 'history',
    title: 'attempts',
    kind: 'text',
    show: ({ history }) => (Array.isArray(history) ? history.map(formatAttempt).join('\n') : null),
  },
];

export const webhookShow = defineCommand({
  path: 'sandbox webhooks show',
  about: 'show a delivery in full: request, signature, body, attempts',
  examples: [
    'ttctl sandbox webhooks show msg_4kPq0Zr8tYw2VbNc',
    'ttctl sandbox webhooks show msg_4kPq0Zr8tYw2VbNc --query request.body',
  ],
  prints: { shape: 'record', fields: [...deliveryFields, 'request', 'history'] },
  exits: [5, 7],
  positionals: [{ name: 'delivery', about: 'id of the delivery', required: true }],
  flags: [urlFlag],
  run: async ({ sandbox, output }, { targets: [id = ''], options }) => {
    const control = (await sandbox()).control(options.url);
    await output.record({ ...(await control.delivery({ id })) }, columns);
  },
});
