import type { Flag } from '../../cli/flag.ts';
import { METHODS } from './request.ts';

/** The flags of `api`; the letters are those of `gh api`. */
export const FLAGS = [
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
    name: 'raw-field',
    value: 'name=value',
    about: 'add a field, always as text',
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
  { name: 'header', short: 'H', value: 'name:value', about: 'add a request header', repeatable: true },
  { name: 'no-workspace', about: 'do not add workspace_id', unsafe: true },
  { name: 'include', short: 'i', about: 'print the status line and the headers before the response' },
  { name: 'paginate', about: 'fetch all pages and print one array of their records' },
  { name: 'slurp', about: 'with --paginate, print an array of the pages themselves' },
] as const satisfies readonly Flag[];

/** What its help says of them. */
export const MORE = [
  {
    title: 'Fields',
    text: 'Without a method, fields and --input mean POST. -f and -F work as in gh: name[inner]=value makes an object, name[]=value a list. With GET, fields are sent in the query. Fields override those in the object of --input.',
  },
  {
    title: 'Formats',
    text: 'Every format but JSON, --columns and --sort print the records of the response. --query sees the whole response; with --paginate, the array of records.',
  },
  {
    title: 'No confirmation',
    text: 'Sends the request without confirmation, even a DELETE, unless the profile is protected. Use --dry-run to preview it. It is recorded in the history, but cannot be undone: ttctl does not know what it changed.',
  },
];
