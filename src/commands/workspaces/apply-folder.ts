import type { ChangeOfRun } from '../../changes/change.ts';
import { confirmChanges } from '../../changes/confirm.ts';
import { pluralize } from '../../changes/run-summary.ts';
import type { SendResult } from '../../changes/send-result.ts';
import { checkWritable, wantsExitCode, writeChanges } from '../../changes/write.ts';
import type { Program } from '../../cli/command.ts';
import type { Context } from '../../context.ts';
import { type FolderPlan, planFolder } from './plan-folder.ts';
import { readFolder } from './read-folder.ts';
import { loadRecords } from './records.ts';

/** Makes a workspace what the files of a folder say, as one run. */

const WORDS = { verb: ['apply', 'applied'], noun: ['change', 'changes'] } as const;

interface ApplyOptions extends Readonly<Record<string, unknown>> {
  readonly archiveMissing?: boolean | undefined;
}

/** What is sent, by operation, and each record that is archived. */
const listFacts = (folder: string, { rows, archives }: FolderPlan): readonly string[] => {
  const counts = new Map<string, number>();
  for (const { change, known } of rows) {
    const { id } = change.call.operation;
    if (known === undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [
    `folder     ${folder}`,
    `changes    ${[...counts].map(([id, count]) => `${count} ${id}`).join(', ')}`,
    ...archives.map(({ change, words }) => {
      const verb = change.call.operation.id.endsWith('.delete') ? 'delete ' : 'archive';
      return `${verb}    ${words.join('  ')}`;
    }),
  ];
};

const noteLeftAlone = ({ output }: Context, { leftAlone }: FolderPlan, archives: boolean): void => {
  if (leftAlone === 0) return;
  const [are, were] = leftAlone === 1 ? ['is', 'was'] : ['are', 'were'];
  const records = pluralize(leftAlone, ['record', 'records']);
  const why = archives
    ? 'The owner, and the account in use, are not archived.'
    : 'To archive: --archive-missing';
  output.note(`${records} ${are} missing from the files and ${were} left alone. ${why}`);
};

/**
 * @throws UsageError (exit 2) for what is wrong with the files, before anything is sent; Cancelled when declined; else
 *   as `writeChanges`
 */
export const applyFolder = async (
  context: Context,
  folder: string,
  options: ApplyOptions,
  program: Program,
): Promise<void> => {
  checkWritable(context);
  await context.output.checkNames();
  const exitCode = wantsExitCode(context, options);
  const sheets = await readFolder(context, folder, program);
  const records = await loadRecords(context);
  const plan = await planFolder(context, folder, sheets, records, options.archiveMissing === true);
  const { rows } = plan;
  const changes = rows.map(({ change }, n): ChangeOfRun => ({ n, ...change }));
  const known = rows.flatMap((row, n): [number, SendResult][] => (row.known ? [[n, row.known]] : []));
  const selection = {
    changes,
    words: ({ n }: ChangeOfRun) => rows[n]?.words ?? [],
    facts: listFacts(folder, plan),
    noneMessage: '',
    knownResults: new Map(known),
  };
  const confirmed = await confirmChanges(context, { ...WORDS, needsConfirmation: true }, selection, options);
  noteLeftAlone(context, plan, options.archiveMissing === true);
  if (known.length === rows.length) context.output.note('Nothing to change.');
  const { knownResults } = selection;
  await writeChanges(context, { ...WORDS, changes, knownResults, ifMissing: true, confirmed, exitCode });
};
