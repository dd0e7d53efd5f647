import { DEFAULT_FORMAT, FORMAT_NAMES } from '../output/formats/formats.ts';
import type { Flag } from './flag.ts';

/** `--version` stands for a command of its own. */
export const VERSION_FLAG: Flag = { name: 'version', short: 'V', about: 'print the version' };

/** What `--columns` without a value stands for: which are there? */
export const LIST_COLUMNS = '?';

/** The flags that every command has. What is usual is the settings' to say, and shown here (tested against them). */
export const GLOBAL_FLAGS: readonly Flag[] = [
  VERSION_FLAG,
  { name: 'profile', short: 'p', value: 'name', about: 'profile to use' },
  { name: 'workspace', short: 'w', value: 'id or name', about: 'workspace to use' },
  {
    name: 'output',
    short: 'o',
    value: 'format',
    about: 'output format',
    choices: FORMAT_NAMES,
    offers: FORMAT_NAMES,
    usual: DEFAULT_FORMAT.name,
  },
  { name: 'json', about: 'same as --output json' },
  {
    name: 'columns',
    value: 'a,b',
    about:
      'fields to print, in order, by their API names; +a,-b changes the default ones; no value lists them',
    repeatable: true,
  },
  { name: 'sort', value: 'field[:desc]', about: 'sort a list by a field' },
  { name: 'no-header', about: 'omit the heading' },
  { name: 'query', value: 'expression', about: 'filter the JSON result with a JMESPath expression' },
  { name: 'yes', short: 'y', about: 'skip confirmation prompts; never selects a target', unsafe: true },
  { name: 'no-input', about: 'never prompt; a missing value is an error' },
  { name: 'dry-run', short: 'n', about: 'show what would change without changing anything' },
  { name: 'quiet', short: 'q', about: 'print data and errors only' },
  { name: 'debug', about: 'log every request and response to stderr, secrets redacted' },
  {
    name: 'log',
    value: 'file',
    about: 'append every request, response and result to a file, one JSON line each; - is stderr',
  },
  { name: 'timeout', value: 'seconds', about: 'time limit of one request', usual: '30' },
  {
    name: 'max-wait',
    value: 'seconds',
    about: 'how long a request may wait when it is rate limited',
    usual: '120',
  },
  { name: 'no-color', about: 'disable colour' },
];

const SCOPE = /^(-[pw]|--profile|--workspace)$/;
const WHOLE_SCOPE = /^(-[pw]|--(profile|workspace)=)./;

/** Whether a line says where it goes, and nothing else: `ttctl --profile work`. */
export const isScopeAlone = (args: readonly string[]): boolean => {
  for (let i = 0; i < args.length; i += 1) {
    if (WHOLE_SCOPE.test(args[i] ?? '')) continue;
    if (!SCOPE.test(args[i] ?? '')) return false;
    i += 1;
    if (args[i] === undefined || args[i]?.startsWith('-') === true) return false;
  }
  return true;
};
