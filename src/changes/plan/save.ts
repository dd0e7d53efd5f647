import type { Row } from '../../api/page.ts';
import type { Context } from '../../context.ts';
import { EXIT, Failure, UsageError } from '../../errors.ts';
import { stringifyJson } from '../../json.ts';
import { readAccount } from '../account.ts';
import type { Change, SendResult } from '../change.ts';
import { writeText } from '../input/files.ts';
import { readDestination } from '../job/destination.ts';
import { pickSeen } from '../look.ts';
import { pluralize } from '../report.ts';
import { describeLabel, type LabelFrame } from './check.ts';
import { describeWrite, formatPlan, type PlanRow, readRow } from './plan-file.ts';

/** What `--plan` does: the changes of a dry run, written to a file. */

const RUN_ITSELF = 'Run this change itself, without --plan.';

type Redact = (value: unknown) => unknown;

/** A person or a program to whom the plan goes reads all of it. @throws Failure for a change with a secret in it */
const refuseSecrets = ({ call, target }: Change, redact: Redact): void => {
  // Of the request of a dry run they are masked already.
  if (stringifyJson(redact(call.values)) === stringifyJson(call.values)) return;
  throw new Failure(`no plan was written: the request for ${redact(target)} contains a secret`, {
    code: 'secret_in_plan',
    exit: EXIT.usage,
    hint: RUN_ITSELF,
  });
};

/** What is masked in the file cannot be compared with the record later. */
const withoutSecrets = (seen: Row, redact: Redact): Row | null => {
  const plain = Object.entries(seen).filter(
    ([name, value]) =>
      value !== undefined && stringifyJson(redact({ [name]: value })) === stringifyJson({ [name]: value }),
  );
  return plain.length === 0 ? null : Object.fromEntries(plain);
};

/** All of it follows from the request and from the record as it was read. */
const toPlanRow = async (
  context: Context,
  { sent: { result, observation = {}, unset }, change: { call } }: PlannedChange,
  n: number,
  { head, redact }: { readonly head: LabelFrame; readonly redact: Redact },
): Promise<PlanRow> => {
  const { record } = observation;
  const isNew = !call.operation.path.includes('{');
  const { workspace_id: _own, ...values } = call.values;
  const write = { operation: call.operation, values };
  const { after } = await describeWrite(write, null);
  const now = { ...record, ...observation.before };
  const shown = Object.fromEntries(Object.keys(after ?? {}).map((name) => [name, now[name]]));
  const seen = isNew
    ? null
    : withoutSecrets({ ...pickSeen(result.operation, observation), ...shown }, redact);
  const { others: _others, isDeletion: _deletes, ...said } = await describeWrite(write, seen);
  const label =
    isNew || record === undefined
      ? null
      : await describeLabel(context, { call, target: said.target }, record, head);
  const row = { n, ...said, label, request: result.request as PlanRow['request'], seen };
  return redact({ ...row, ...(unset === undefined ? {} : { unset }) }) as PlanRow;
};

interface PlannedChange {
  readonly sent: SendResult;
  readonly change: Change;
}

/** @throws Failure for a change with a secret in it; UsageError for one that could not be read from its request */
const toPlanText = async (context: Context, planned: readonly PlannedChange[]): Promise<string> => {
  const { redact, version, command } = await context.jobs();
  for (const { change } of planned) refuseSecrets(change, redact);
  const { origin, workspace_id } = await readDestination(context);
  const head = {
    ttctl_plan: 1,
    created_at: new Date(context.clock.now()).toISOString(),
    timezone: context.timeZone(),
    ttctl: version,
    base_url: origin,
    workspace_id,
    account: await readAccount(context),
    command,
    rows: planned.length,
  } as const;
  const rows: PlanRow[] = [];
  for (const [index, one] of planned.entries()) {
    const row = await toPlanRow(context, one, index + 1, { head, redact });
    await readRow(head, row, `no plan was written: ${row.target}`).catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error;
      throw new UsageError(error.message, { code: 'bad_plan', reason: error.reason, hint: RUN_ITSELF });
    });
    rows.push(row);
  }
  return formatPlan(head, rows);
};

/** Writes the file, and says how to go on. @param file path, or `-` for stdout */
export const savePlan = async (
  context: Context,
  file: string,
  planned: readonly PlannedChange[],
): Promise<void> => {
  await writeText(context, file, await toPlanText(context, planned), { replaces: 'plan' });
  if (file === '-') return;
  const { output, commandLine } = context;
  output.note(
    `Saved a plan of ${pluralize(planned.length, ['change', 'changes'])} to ${file}. Nothing was sent.`,
  );
  output.hint(
    commandLine`Review it: ttctl plan show ${file}` + commandLine`\nApply it: ttctl plan apply ${file}`,
  );
};
