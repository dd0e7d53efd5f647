/**
 * Words that are no command or flag, and what to do instead, as a sentence. For what some services have beyond the
 * documented operations (docs/service.md, Beyond the 58 operations): the line that reaches it.
 */
const sendRequest = (line: string): string => `It has no command of its own. Send the request: ttctl ${line}`;

const GUESSES: Readonly<Record<string, string>> = {
  reports: sendRequest(
    'api /reports/tracked-hours -X GET -f start_date=2026-11-01 -f end_date=2026-11-30 (also daily-timeline, task-report and activity-level)',
  ),
  'time-entries': sendRequest('api /time-entries -X GET -f user_id=17 -f date=2026-11-20'),
  'time-tracking start': sendRequest('api -X POST /time-tracking/start'),
  'time-tracking current': sendRequest('api /time-tracking/current-data'),
  'sandbox open':
    'The sandbox has no page to look at; use ttctl sandbox status, sandbox log and the lists of --profile sandbox.',
  'sandbox coverage': 'What is documented, found and assumed about the service is in docs/service.md.',
  'sandbox simulate':
    'People are not simulated. The seeds have a past of ten weeks; move time with ttctl sandbox clock advance 2w.',
  'sandbox exec --real-time': 'Waits are always in real time; without --limits there are none.',
  'schema --openapi':
    'There is no OpenAPI document any more. ttctl schema lists the commands with their operations.',
  'schema --output-schema': 'ttctl schema <command> names the fields of its output, under "prints".',
  ...Object.fromEntries(
    ['error', 'result', 'log', 'job'].map((name) => [
      `schema --${name}-schema`,
      `The schemas are files of the package: docs/schemas/${name}.json.`,
    ]),
  ),
  'api --slurp':
    '--paginate prints one array of all records. Whole pages are read one by one: ttctl api "/members?page=2"',
  'api --raw-field': 'Use -f: its values are text.',
  man: 'The manual is the help: ttctl help, ttctl help <command>, ttctl help <topic>.',
};

/**
 * @param path of the command or group, without `ttctl`
 * @param word what stands behind it: a command's name, or a flag with its hyphens
 */
export const findGuess = (path: string, word: string): string | undefined => {
  const name = `${path} ${word}`.trim();
  return Object.hasOwn(GUESSES, name) ? GUESSES[name] : undefined;
};
