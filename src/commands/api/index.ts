import { allOperations } from '../../api/operations.ts';
import { type Command, defineCommand, type Noun } from '../../cli/command.ts';
import type { Flag } from '../../cli/flag.ts';
import { SERVICE_EXITS } from '../outputs.ts';
import { METHODS } from './request.ts';
import { sendApiCall } from './send.ts';

/** The flags of `api`; the letters are those of `gh api`. */
const FLAGS = [
  {
    name: 'method',
    short: 'X',
    value: 'method',
    about: 'method of the request (default: GET, or POST with fields or --input)',
    offers: METHODS,
  },
  { name: 'param', value: 'name=value', about: 'add a query parameter', repeatable: true },
  {
    name: 'field',
    short: 'f',
    value: 'name=value',
    about: 'add a body field, or a query parameter of a GET; name:=json for values other than text',
    repeatable: true,
  },
  {
    name: 'typed-field',
    short: 'F',
    value: 'name=value',
    about:
      'add a field; true, false, null and numbers keep their type; @file is the text of a file (@- of stdin)',
    repeatable: true,
  },
  { name: 'input', value: 'file', about: 'read the JSON body from a file, or - for stdin' },
  {
    name: 'header',
    short: 'H',
    value: 'name:value',
    about: 'add a request header; @file reads headers, also secret ones, from the lines of a file',
    repeatable: true,
  },
  { name: 'no-workspace', about: 'do not add workspace_id', unsafe: true },
  { name: 'include', short: 'i', about: 'print the status line and the headers before the response' },
  { name: 'paginate', about: 'fetch all pages and print one array of their records' },
] as const satisfies readonly Flag[];

/** What its help says of them. */
const MORE = [
  {
    title: 'Fields',
    text: 'Without a method, fields and --input mean POST. With GET, fields are sent in the query. Fields override those in the object of --input. For nested JSON, use --input or name:=json.',
  },
  {
    title: 'Output',
    text: 'Prints the response as JSON. --query sees the whole response, with --paginate the array of all records; where the records are not in data, it is applied to each page and names them: --paginate --query items. A response of another type (text/csv, an image) is printed as it is, unless --output or --query is given.',
  },
  {
    title: 'No confirmation',
    text: 'Sends the request without confirmation, even a DELETE, unless the profile is protected. Use --dry-run to preview it. It is recorded in the history, but cannot be undone: ttctl does not know what it changed.',
  },
];

const pathsWithoutIds = () =>
  [...new Set(allOperations().map(({ path }) => path))].filter((path) => !path.includes('{'));

/** `ttctl api [method] <path>`: any call, documented or not. Sends what it is told and never asks. */
export const api = (noun: Noun): Command =>
  defineCommand({
    ...noun,
    examples: [
      'ttctl api "/members?status=active"',
      'ttctl api /reports/tracked-hours --method GET --field start_date=2026-11-01 --field end_date=2026-11-30',
      'ttctl api /members --paginate --query "[].email"',
      'ttctl api --method PUT /members/17 --typed-field weekly_hours_limit=32',
      'ttctl api /webhooks --field url=https://example.com/hook --field \'events:=["tracker.started"]\'',
    ],
    more: MORE,
    writes: true,
    prints: {
      shape: 'document',
      about: 'the whole response of the service; with --paginate, an array of the records',
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
