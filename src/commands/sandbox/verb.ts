import type { ListPage, Row } from '../../api/page.ts';
import { printChange } from '../../changes/report.ts';
import { type Command, defineCommand } from '../../cli/command.ts';
import type { Flag, OptionValues } from '../../cli/flag.ts';
import type { Column } from '../../output/list-view.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import type { Run } from '../../run.ts';
import type { SandboxControl } from '../../sandbox/control.ts';

/** Verbs that carry out one operation of a sandbox: the one at `--url`, else the running server, else the embedded one. */

/** Loaded when it is used: it brings the whole sandbox. */
export function loadHost() {
  return import('../../sandbox-host/host.ts');
}

export const urlFlag = {
  name: 'url',
  value: 'url',
  about: 'address of the sandbox server to use (default: the running one)',
} as const satisfies Flag;

/** Help of a verb that puts another state in the place of the present one. */
export const KEEPS_NOTHING = {
  title: 'No confirmation',
  text: 'The sandbox holds practice data, so this command never asks for confirmation. To keep the current state, save it first: ttctl sandbox snapshot save <name>.',
};

interface Work<Flags extends readonly Flag[]> {
  readonly control: SandboxControl;
  readonly targets: readonly string[];
  readonly options: OptionValues<Flags> & { readonly url?: string | undefined };
  readonly context: Run;
}

interface Verb<Flags extends readonly Flag[]>
  extends Pick<Command, 'path' | 'about' | 'examples'>,
    Partial<Pick<Command, 'exits' | 'more' | 'positionals' | 'from'>> {
  readonly flags?: Flags;
  readonly columns?: readonly Column[];
  /** Default: those of the columns. */
  readonly fields?: readonly string[];
  /** The verb that shows what was changed; default: `status`. */
  readonly inspect?: string;
}

interface ListVerb<Flags extends readonly Flag[], Item extends object> extends Verb<Flags> {
  /** What its rows are. */
  readonly noun: string;
  readonly columns: readonly Column[];
  readonly id?: string;
  list(work: Work<Flags>): Promise<readonly Item[]>;
  /** How many of them are printed: the first; absent: all. */
  limit?(run: Run): number | undefined;
  /** What was done to them, should the output be lost; absent: nothing. */
  text?(rows: readonly Item[]): string;
  /** What is said in place of no rows. */
  emptyMessage?(work: Work<Flags>): Promise<string>;
  after?(rows: readonly Item[], run: Run): unknown;
}

/** A verb that prints a list. */
export function defineList<Item extends object, const Flags extends readonly Flag[] = []>(
  verb: ListVerb<Flags, Item>,
): Command {
  return define(verb, 'list', async (work) => {
    const { output } = work.context;
    const { noun, columns, id } = verb;
    const found = await verb.list(work);
    const emptyMessage = found.length === 0 ? await verb.emptyMessage?.(work) : undefined;
    const view = { noun, columns, ...(id && { id }), ...(emptyMessage && { emptyMessage }) };
    const rows = found.slice(0, verb.limit?.(work.context)).map((row) => ({ ...row }) as Row);
    const page: ListPage = { rows, total: found.length, shortened: rows.length < found.length };
    const pages = async function* () {
      yield page;
    };
    const printing = output.list(pages(), view);
    if (verb.text === undefined || found.length === 0) await printing;
    else await reportChange(verb, work, printing, verb.text(found));
    verb.after?.(found, work.context);
  });
}

interface Result {
  readonly record: object;
  /** What was done, should the output be lost: `the token was revoked`. Absent: nothing was changed. */
  readonly text?: string;
  /** What is said after it, printed or not. */
  readonly next?: () => unknown;
  /** Prints it otherwise than as a record. */
  readonly print?: (() => Promise<void>) | undefined;
}

interface RecordVerb<Flags extends readonly Flag[]> extends Verb<Flags> {
  change(work: Work<Flags>): Promise<Result>;
}

/** A verb that prints one record: of what it looked at, or changed. */
export function defineRecord<const Flags extends readonly Flag[] = []>(verb: RecordVerb<Flags>): Command {
  return define(verb, 'record', async (work) => {
    const { record, text, next, print } = await verb.change(work);
    const printing = print?.() ?? work.context.output.record({ ...record }, verb.columns);
    if (text === undefined) await printing;
    else await reportChange(verb, work, printing, text, next);
  });
}

function reportChange<Flags extends readonly Flag[]>(
  { inspect = 'status' }: Verb<Flags>,
  { context: { output }, options }: Work<Flags>,
  printing: Promise<void>,
  text: string,
  next?: () => unknown,
): Promise<void> {
  return printChange({ output }, printing, { text, inspectLine: formatInspect(inspect, options) }, next);
}

/** The command line that shows what has become of the same sandbox. */
export function formatInspect(verb: string, { url }: { readonly url?: string | undefined }): string {
  const line = commandLine`ttctl sandbox ${verb.split(' ')}`;
  return url === undefined ? line : `${line} ${commandLine`--url ${url}`}`;
}

function define<Flags extends readonly Flag[]>(
  verb: Verb<Flags>,
  shape: 'list' | 'record',
  run: (work: Work<Flags>) => Promise<void>,
): Command {
  const { path, about, examples, positionals = [], flags = [], columns = [], exits = [7] } = verb;
  const { fields = columns.map(({ field }) => field), more, from } = verb;
  return defineCommand({
    ...{ path: `sandbox ${path}`, about, examples, positionals, exits },
    ...(more && { more }),
    ...(from && { from }),
    prints: { shape, fields },
    flags: [urlFlag, ...flags],
    run: async (context, { targets, options }) => {
      const known = options as Work<Flags>['options'];
      const control = (await loadHost()).openControl(context, known.url);
      await run({ control, targets, options: known, context });
    },
  });
}
