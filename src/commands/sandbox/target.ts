import type { Flag } from '../../cli/flag.ts';
import type { Column } from '../../context.ts';
import { commandLine } from '../../parsing/shell-word.ts';

/** Which sandbox a verb means: the one at `--url`, else the running server, else the embedded one. */

export const urlFlag = {
  name: 'url',
  value: 'url',
  about: 'address of the sandbox server to use (default: the running one)',
} as const satisfies Flag;

/** The command line that shows what has become of the same sandbox. */
export const formatInspect = (verb: string, { url }: { readonly url?: string | undefined }): string =>
  url === undefined
    ? commandLine`ttctl sandbox ${verb.split(' ')}`
    : commandLine`ttctl sandbox ${verb.split(' ')} --url ${url}`;

export const sandboxStatusColumns: readonly Column[] = [
  { field: 'kind' },
  { field: 'running' },
  { field: 'url' },
  { field: 'pid', title: 'process' },
  { field: 'uptime_seconds', title: 'up (seconds)', kind: 'number' },
  { field: 'seed' },
  { field: 'now', kind: 'time' },
  { field: 'state' },
  { field: 'rate_limit', title: 'limits' },
  { field: 'workspaces' },
  { field: 'tokens', kind: 'number' },
];

export const sandboxStatusFields = [...sandboxStatusColumns.map(({ field }) => field), 'token_requests'];
