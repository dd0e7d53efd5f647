import { type Row, toPages } from '../../api/page.ts';
import { printChange } from '../../changes/report.ts';
import { type Command, defineCommand } from '../../cli/command.ts';
import type { Flag, OptionValues } from '../../cli/flag.ts';
import { UsageError } from '../../errors.ts';
import type { Column } from '../../output/list-view.ts';
import { commandLine } from '../../parsing/shell-word.ts';
import type { Run } from '../../run.ts';
import type { SandboxControl } from '../../sandbox/control.ts';

/** Loaded when it is used: it brings the whole sandbox. @throws UsageError in a dry run */
export function loadHost({ settings }: Run) {
  if (settings.dryRun.value)
    throw new UsageError('sandbox commands have no --dry-run', {
      reason: 'They change only practice data.',
      hint: 'To go back later, save a snapshot first: ttctl sandbox snapshot save <name>',
    });
  return import('../../sandbox-host/host.ts');
}

export const urlFlag = {
  name: 'url',
  value: 'url',
  about: 'address of the sandbox server to use (default: the running one)',
} as const satisfies Flag;

export const KEEPS_NOTHING = {
  title: 'No confirmation',
  text: 'The current state is lost. To keep it, save it first: ttctl sandbox snapshot save <name>.',
};

interface Work<Flags extends readonly Flag[]> {
  readonly control: SandboxControl;
  readonly targets: readonly string[];
  readonly options: OptionValues<Flags> & { readonly url?: string | undefined };
  readonly run: Run;
}

interface Verb<Result extends object, Flags extends readonly Flag[]>
  extends Pick<Command, 'path' | 'about'>,
    Partial<Pick<Command, 'examples' | 'exits' | 'more' | 'positionals'>> {
  /** It only looks: nothing was done, should the output be lost. */
  readonly looks?: true;
  readonly flags?: Flags;
  /** A name stands for a column of that field. */
  readonly columns?: readonly (Column | string)[];
  readonly fields?: readonly string[];
  /** Of what it prints a list; absent: it prints a record. */
  readonly noun?: string;
  readonly id?: string;
  run(work: Work<Flags>): Promise<Result>;
  print?(result: Result, run: Run): Promise<void> | undefined;
  after?(result: Result, run: Run): unknown;
}

/** A verb that carries out one operation of a sandbox: the one at `--url`, else the running server, else the embedded one. */
export function defineVerb<Result extends object, const Flags extends readonly Flag[] = []>(
  verb: Verb<Result, Flags>,
): Command {
  const { path, about, positionals = [], flags = [], exits = [7], more, noun, id } = verb;
  const { examples = [`ttctl sandbox ${path}`] } = verb;
  const columns = (verb.columns ?? []).map((one) => (typeof one === 'string' ? { field: one } : one));
  const fields = [...columns.map(({ field }) => field), ...(verb.fields ?? [])];
  const print = (result: Result, { output, window }: Run): Promise<void> => {
    if (noun === undefined) return output.record({ ...result } as Row, columns);
    const rows = (result as readonly Row[]).map((row) => ({ ...row }));
    return output.list(toPages(rows, window.limit), { noun, columns, ...(id && { id }) });
  };
  return defineCommand({
    ...{ path: `sandbox ${path}`, about, examples, positionals, exits },
    ...(more && { more }),
    prints: { shape: noun === undefined ? 'record' : 'list', fields },
    flags: [urlFlag, ...flags],
    run: async (run, { targets, options: given }) => {
      const options = given as Work<Flags>['options'];
      const control = (await loadHost(run)).openControl(run, options.url);
      const result = await verb.run({ control, targets, options, run });
      const printing = verb.print?.(result, run) ?? print(result, run);
      const after = () => verb.after?.(result, run);
      if (verb.looks === true) return void (await printing.then(after));
      const done = { text: `sandbox ${path} is done`, inspectLine: formatInspect(options.url) };
      await printChange(run, printing, done, after);
    },
  });
}

export function formatInspect(url: string | undefined): string {
  return url === undefined ? 'ttctl sandbox status' : commandLine`ttctl sandbox status --url ${url}`;
}
