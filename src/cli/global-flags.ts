import { DEFAULT_FORMAT, FORMAT_NAMES } from '../terminal/formats/formats.ts';
import type { Flag } from './flag.ts';

/** `--version` stands for a command of its own. */
export const VERSION: Flag = { name: 'version', short: 'V', about: 'show the version' };

/** The flags that every command has. What is usual is the settings' to say, and shown here (tested against them). */
export const GLOBAL_FLAGS: readonly Flag[] = [
  VERSION,
  { name: 'profile', short: 'p', value: 'name', about: 'which profile' },
  { name: 'workspace', short: 'w', value: 'id or name', about: 'which workspace' },
  {
    name: 'output',
    short: 'o',
    value: 'format',
    about: 'how to print',
    choices: FORMAT_NAMES,
    offers: FORMAT_NAMES,
    usual: DEFAULT_FORMAT.name,
  },
  { name: 'json', about: 'the same as --output json' },
  {
    name: 'columns',
    value: 'a,b',
    about: "which fields, in which order, by the API's names",
    repeatable: true,
  },
  { name: 'sort', value: 'field[:desc]', about: 'sort a list by a field' },
  { name: 'no-header', about: 'leave the heading out' },
  { name: 'query', value: 'expression', about: 'a JMESPath expression over the JSON result' },
  { name: 'yes', short: 'y', about: 'answer confirmations; never picks a target', unsafe: true },
  { name: 'no-input', about: 'never ask: a missing value is an error that names its flag' },
  { name: 'dry-run', short: 'n', about: 'send no write; show what would be sent' },
  { name: 'quiet', short: 'q', about: 'data and errors only' },
  { name: 'debug', about: 'every request and answer on stderr, secrets redacted' },
  { name: 'timeout', value: 'seconds', about: 'for one request', usual: '30' },
  {
    name: 'max-wait',
    value: 'seconds',
    about: 'how long one request may wait when the service says later',
    usual: '120',
  },
  { name: 'no-color', about: 'print without colour' },
];
