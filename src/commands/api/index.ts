import { allOperations } from '../../api/operations.ts';
import { type Command, defineCommand, type Noun } from '../../cli/command.ts';
import { SERVICE_EXITS } from '../answers.ts';
import { sendApiCall } from './call.ts';
import { METHODS } from './request.ts';

const pathsWithoutIds = () =>
  [...new Set(allOperations().map(({ path }) => path))].filter((path) => !path.includes('{'));

const FLAGS = [
  { name: 'param', value: 'name=value', about: 'add a query parameter', repeatable: true },
  {
    name: 'field',
    value: 'name=value',
    about: 'add a body field; name:=json for values other than text',
    repeatable: true,
  },
  { name: 'input', value: 'file', about: 'read the JSON body from a file, or - for stdin' },
  { name: 'no-workspace', about: 'do not add workspace_id', unsafe: true },
  {
    name: 'paginate',
    about: 'fetch all pages and print one array of their records',
  },
] as const;

/** `ttctl api <METHOD> <path>`: any call, documented or not. Sends what it is told and never asks. */
export const api = (noun: Noun): Command =>
  defineCommand({
    ...noun,
    examples: [
      'ttctl api GET /members --param status=active',
      'ttctl api GET /reports/tracked-hours --param start_date=2026-11-01 --param end_date=2026-11-30',
      'ttctl api GET "/members?status=active" --paginate',
      'ttctl api PUT /members/17 --field weekly_hours_limit:=32',
    ],
    more: [
      {
        title: 'No confirmation',
        text: 'Sends the request without confirmation, even a DELETE, unless the profile is protected. Use --dry-run to preview it. It is recorded in the history, but cannot be undone: nothing is known of its record.',
      },
    ],
    writes: true,
    prints: {
      shape: 'document',
      about: 'the whole response of the service; with --paginate, an array of the records',
    },
    exits: [...SERVICE_EXITS, 9],
    asks: false,
    positionals: [
      { name: 'method', about: 'GET, POST, PUT, PATCH or DELETE', required: true, offers: METHODS },
      {
        name: 'path',
        about: 'path under the base URL, such as /members (members in Git Bash)',
        required: true,
        offers: pathsWithoutIds(),
      },
    ],
    flags: FLAGS,
    run: (context, { targets, options }) => sendApiCall(context, targets, options),
  });
