import { type Command, defineCommand, type Noun } from '../../cli/command.ts';
import { diagnose, type Finding } from '../../doctor/doctor.ts';
import { EXIT } from '../../errors.ts';
import type { Column } from '../../output/list-view.ts';
import type { Run } from '../../run.ts';

const columns: readonly Column[] = [
  { field: 'check' },
  { field: 'state', kind: 'state' },
  { field: 'found', wrap: true },
  // Below the table: what to do is of no use when it is cut.
  { field: 'advice', onRequest: true },
];

/** `ttctl doctor`: looks at everything that can go wrong around a command; exit 10 when something does. */
export function doctor(noun: Noun): Command {
  return defineCommand({
    ...noun,
    examples: ['ttctl doctor', 'ttctl doctor --profile work --output json'],
    prints: { shape: 'list', fields: columns.map(({ field }) => field) },
    exits: [10],
    settings: 'examined',
    run: examine,
  });
}

async function examine(run: Run): Promise<void> {
  const findings: Finding[] = [];
  async function* pages() {
    for await (const finding of diagnose(run)) findings.push(finding);
    yield { rows: findings.map((finding) => ({ ...finding })), total: findings.length };
  }
  await run.output.list(pages(), { noun: 'checks', columns, id: 'check' });
  for (const { check, advice } of findings) if (advice !== null) run.output.note(`${check}: ${advice}`);
  if (findings.some(({ state }) => state === 'problem')) run.exit(EXIT.found);
}
