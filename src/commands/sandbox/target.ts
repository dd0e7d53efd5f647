import type { Command } from 'commander';
import type { Column } from '../../context.ts';
import { commandLine } from '../../notation/shell-word.ts';

/** Which sandbox a verb means: the one at `--url`, else the running server, else the embedded one. */

export const withUrl = (command: Command): Command =>
  command.option('--url <url>', 'a sandbox server on this machine, in place of the one that is found');

/** The command line that shows what has become of the same sandbox. */
export const lookAt = (verb: string, options: { readonly url?: unknown }): string => {
  const url = urlOf(options);
  return `ttctl sandbox ${verb}${url === undefined ? '' : commandLine` --url ${url}`}`;
};

/** What `--url` says. */
export const urlOf = (options: { readonly url?: unknown }): string | undefined =>
  typeof options.url === 'string' ? options.url : undefined;

export const statusColumns: readonly Column[] = [
  { field: 'kind' },
  { field: 'running' },
  { field: 'url' },
  { field: 'page_url', title: 'page' },
  { field: 'pid', title: 'process' },
  { field: 'uptime_seconds', title: 'up (seconds)', kind: 'number' },
  { field: 'seed' },
  { field: 'now', kind: 'time' },
  { field: 'state' },
  { field: 'workspaces' },
  { field: 'tokens', kind: 'number' },
];

export const statusFields = [...statusColumns.map(({ field }) => field), 'token_requests'];
