import { readDuration } from '../../notation/duration.ts';
import { UsageError } from '../../outcome.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { tellChange } from '../planned.ts';
import { faultColumns as columns } from './fault-list.ts';
import { faultFields } from './shown.ts';
import { lookAt, urlOf, withUrl } from './target.ts';

type Options = Readonly<Record<string, unknown>>;

const numberOf = (options: Options, name: string, flag: string): number | undefined => {
  const text = options[name];
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(String(text))) throw new UsageError(`${flag}: "${text}" is not a whole number`);
  return Number(text);
};

/** What the flags say, by the names of the control; what is not said is left out. */
const wishOf = ({ latency, ...options }: Options) => {
  const said = {
    times: numberOf(options, 'times', '--times'),
    status: numberOf(options, 'status', '--status'),
    retry_after: numberOf(options, 'retryAfter', '--retry-after'),
    after_commit: options.afterCommit,
    latency_ms: latency === undefined ? undefined : readDuration(String(latency), '--latency'),
    drop: options.drop,
    body: options.body,
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
};

export const faultAdd = (door: Door) =>
  withUrl(
    localCommand('add', 'make the next calls of an operation fail', {
      examples: [
        'ttctl sandbox fault add timesheets approve --status 500 --after-commit',
        'ttctl sandbox fault add "PUT /timesheets/{timesheetId}/approve" --times 2 --status 429 --retry-after 3',
        'ttctl sandbox fault add members list --body html --latency 2s',
        'ttctl sandbox fault add "POST /oauth/token" --drop after',
      ],
      prints: { shape: 'record', fields: faultFields },
      exits: [7],
    }).argument('<operation...>', 'a command (timesheets approve) or a route (POST /oauth/token)'),
  )
    .option('--times <n>', 'how many calls (1)')
    .option('--status <code>', 'answer with this status, 300 to 599, and do nothing')
    .option('--after-commit', 'do the work, then fail: what makes blind retries do it twice')
    .option('--retry-after <seconds>', 'with --status 429 (60) or 503')
    .option('--drop <when>', 'cut the connection before or after the work is done')
    .option('--body <kind>', 'truncated, broken, html, empty, wrong-type, failure, deep')
    .option('--latency <duration>', 'answer later: 500ms, 3s')
    .action(
      run(door, async (context, words, options) => {
        const [plan, look] = [context.settings.dryRun.value, lookAt('fault list', options)];
        const control = (await context.sandbox()).control(urlOf(options));
        const row = await control.addFault({ operation: words.join(' '), ...wishOf(options), plan });
        await tellChange(context, { record: { ...row }, columns, text: 'a fault was added', look });
      }),
    );
