import type { Row } from '../../api/page.ts';
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
  /** It only looks: nothing was done, should the output be lost. */
  readonly looks?: true;
  readonly flags?: Flags;
  readonly columns?: readonly Column[];
  /** Default: those of the columns. */
  readonly fields?: readonly string[];
}

export function defineList<Item extends object, const Flags extends readonly Flag[] = []>(
  verb: Verb<Flags> & {
    readonly noun: string;
    readonly columns: readonly Column[];
    readonly id?: string;
    list(work: Work<Flags>): Promise<readonly Item[]>;
    /** How many of them are printed: the first; absent: all. */
    limit?(run: Run): number | undefined;
    readonly emptyMessage?: string;
    after?(rows: readonly Item[], run: Run): unknown;
  },
): Command {
  const { noun, columns, id, emptyMessage } = verb;
  return define(verb, 'list', async (work) => {
    const { context } = work;
    const found = await verb.list(work);
    const rows = found.slice(0, verb.limit?.(context)).map((row) => ({ ...row }) as Row);
    const pages = async function* () {
      yield { rows, total: found.length, shortened: rows.length < found.length };
    };
    const view = { noun, columns, ...(id && { id }), ...(emptyMessage && { emptyMessage }) };
    const printing = context.output.list(pages(), view);
    return { printing, after: () => verb.after?.(found, context) };
  });
}

/** A verb that prints one record: of what it looked at, or changed. */
export function defineRecord<Item extends object, const Flags extends readonly Flag[] = []>(
  verb: Verb<Flags> & {
    run(work: Work<Flags>): Promise<Item>;
    print?(record: Item, run: Run): Promise<void> | undefined;
    /** What is said after it, printed or not. */
    after?(record: Item, run: Run): unknown;
  },
): Command {
  return define(verb, 'record', async (work) => {
    const { context } = work;
    const record = await verb.run(work);
    const print = () => context.output.record({ ...record } as Row, verb.columns);
    const printing = verb.print?.(record, context) ?? print();
    return { printing, after: () => verb.after?.(record, context) };
  });
}

/** The command line that shows what has become of the same sandbox. */
export function formatInspect(url: string | undefined): string {
  return url === undefined ? 'ttctl sandbox status' : commandLine`ttctl sandbox status --url ${url}`;
}

/** @param perform does it, and begins to print what became of it */
function define<Flags extends readonly Flag[]>(
  verb: Verb<Flags>,
  shape: 'list' | 'record',
  perform: (work: Work<Flags>) => Promise<{ printing: Promise<void>; after: () => unknown }>,
): Command {
  const { path, about, examples, positionals = [], flags = [], columns = [], exits = [7] } = verb;
  const { fields = columns.map(({ field }) => field), more, from, looks } = verb;
  return defineCommand({
    ...{ path: `sandbox ${path}`, about, examples, positionals, exits },
    ...(more && { more }),
    ...(from && { from }),
    prints: { shape, fields },
    flags: [urlFlag, ...flags],
    run: async (context, { targets, options }) => {
      const known = options as Work<Flags>['options'];
      const control = (await loadHost()).openControl(context, known.url);
      const { printing, after } = await perform({ control, targets, options: known, context });
      if (looks === true) return void (await printing.then(after));
      const done = { text: `sandbox ${path} is done`, inspectLine: formatInspect(known.url) };
      await printChange(context, printing, done, after);
    },
  });
}
