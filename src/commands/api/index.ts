import { allOperations } from '../../api/operations.ts';
import { type Command, defineCommand, type Noun } from '../../cli/command.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { sendApiCall } from './call.ts';
import { FLAGS, MORE } from './flags.ts';
import { METHODS } from './request.ts';

const pathsWithoutIds = () =>
  [...new Set(allOperations().map(({ path }) => path))].filter((path) => !path.includes('{'));

/** `ttctl api [method] <path>`: any call, documented or not. Sends what it is told and never asks. */
export const api = (noun: Noun): Command =>
  defineCommand({
    ...noun,
    examples: [
      'ttctl api /members --param status=active',
      'ttctl api /reports/tracked-hours --param start_date=2026-11-01 --param end_date=2026-11-30',
      'ttctl api "/members?status=active" --paginate --output csv',
      'ttctl api --method PUT /members/17 --typed-field weekly_hours_limit=32',
      'ttctl api /webhooks --field url=https://example.com/hook --field "events[]=tracker.started"',
    ],
    more: MORE,
    writes: true,
    prints: {
      shape: 'document',
      about:
        'the whole response of the service; with --paginate, an array of the records, or with --slurp of the pages',
    },
    exits: [...SERVICE_EXITS, 9],
    asks: false,
    positionals: [
      {
        name: 'method',
        about: 'GET, POST, PUT, PATCH or DELETE; the same as --method',
        required: false,
        offers: [...METHODS, ...pathsWithoutIds()],
      },
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
