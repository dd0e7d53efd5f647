import { envelope, ofRequest, onePage, type Recorded, readsList } from './service.ts';
import { leaves } from './tree.ts';

/** An example that names its targets itself: no list, no stdin, no file, and no format. */
const isPlain = (line: string): boolean =>
  !/ (-|--all|--from-file|--input|--dry-run|--template|--json|--output)( |$)/.test(line);

/** An example of each write, without `ttctl`. */
export const WRITE_EXAMPLES: readonly (readonly [path: string, line: string])[] = [
  ...(await leaves()).flatMap(({ path, command: { operation, examples } }) => {
    const example = examples.find(isPlain);
    if (operation === undefined || operation.method === 'GET' || example === undefined) return [];
    return [[path, example.replace(/^ttctl /, '')] as const];
  }),
  ['api', 'api PUT /members/17 --field weekly_hours_limit:=32'],
];

/** What a read finds: in lists what the command line names, so that names and addresses are found. */
export const answerRead = (request: Recorded, args: readonly string[], record: object = {}) => {
  const { searchParams } = new URL(request.line.slice('GET '.length), 'http://h');
  const wanted = searchParams.get('name') ?? searchParams.get('email');
  const texts = wanted === null ? [...new Set(args)] : [wanted];
  // Who is taken off a task is on it.
  const assigned = (text: string) => (args.includes('unassign') ? { user_id: text } : {});
  const rows = texts.map((text, index) => ({ id: 17 + index, name: text, email: text, ...assigned(text) }));
  return { body: readsList(request) ? onePage(rows) : envelope(ofRequest(request, { id: 17, ...record })) };
};
