import type { Api, ApiCall } from '../../src/api/client.ts';
import type { ListCall } from '../../src/api/filter-check.ts';
import { Lists } from '../../src/api/lists.ts';
import { operations } from '../../src/api/operations.ts';
import type { ListPage, Row } from '../../src/api/page.ts';
import type { ApiReply } from '../../src/api/reply.ts';
import type { WriteMany } from '../../src/changes/change.ts';
import type { Column, Confirmation, Context, ResultsInfo, TargetResult } from '../../src/context.ts';
import { Cancelled } from '../../src/outcome.ts';
import { describeRows } from '../../src/output/describe-rows.ts';
import { DEFAULT_FORMAT } from '../../src/output/formats/formats.ts';
import { PLAIN_PALETTE } from '../../src/output/palette.ts';
import { commandLine } from '../../src/parsing/shell-word.ts';

/** A context in memory for the tests of bulk writes: what is sent, asked, printed and noted are values. */

export interface Desk {
  readonly context: Context;
  /** Ids in the order in which their writes began. */
  readonly sent: string[];
  readonly asked: Confirmation[];
  readonly printed: TargetResult[];
  readonly notes: string[];
  readonly hints: string[];
  /** Targets of which people are told in the summary alone. */
  readonly unsaid: string[];
  /** What people are told of the target of each result. */
  readonly told: (string | undefined)[];
  readonly interrupt: AbortController;
}

export interface DeskOptions {
  readonly stdin?: string;
  readonly dryRun?: boolean;
  /** What a person answers; absent: yes. */
  readonly declines?: boolean;
  /** Whether a person looks on. */
  readonly watched?: boolean;
}

/** A list without filters. */
export const listOf = (pages: () => AsyncGenerator<ListPage>): ListCall => ({
  operation: operations.webhooks.list,
  values: {},
  pages,
});

export const done: ApiReply = { data: null, message: 'OK', pagination: undefined, envelope: null };

const STYLE = {
  ...{ unicode: true, timeZone: 'UTC', now: () => 0 },
  ...{ showSecrets: false, palette: PLAIN_PALETTE, width: undefined },
};

export const createDesk = ({
  stdin = '',
  dryRun = false,
  declines = false,
  watched = false,
}: DeskOptions = {}): Desk => {
  const [sent, asked, printed, notes]: [string[], Confirmation[], TargetResult[], string[]] = [
    [],
    [],
    [],
    [],
  ];
  const [hints, told, unsaid]: [string[], (string | undefined)[], string[]] = [[], [], []];
  const interrupt = new AbortController();
  const parts = {
    api: {},
    lists: new Lists({} as Api, () => 0),
    countRequests: () => 0,
    settings: {
      dryRun: { value: dryRun },
      debug: { value: false },
      // Where nobody looks on, nobody could be asked.
      yes: { value: !watched },
      output: { value: DEFAULT_FORMAT },
      rateLimit: { value: 'off' },
      timeoutSeconds: { value: 30 },
      settleSeconds: { value: 0 },
      readOnly: { value: false },
    },
    prompter: { available: watched },
    clock: { now: () => 0, sleep: async () => {} },
    jobs: async () => ({ wanted: false }),
    events: { reconciled: () => {}, result: () => {} },
    exitNotices: { during: (_words: () => unknown, run: () => Promise<unknown>) => run() },
    watch: { during: (_words: () => string, run: () => Promise<unknown>) => run() },
    bulk: async () => {},
    picked: new Map(),
    choose: (pages: AsyncIterable<ListPage>) => pages,
    interrupted: interrupt.signal,
    stdin: async () => stdin,
    output: {
      async results(results: AsyncIterable<TargetResult>, { unsaid: isUnsaid }: ResultsInfo = {}) {
        for await (const result of results) {
          printed.push(result);
          if (isUnsaid?.(result) === true) unsaid.push(result.target);
          told.push(result.label);
        }
      },
      inWords: (rows: readonly Row[], columns: readonly Column[]) => describeRows(rows, columns, STYLE),
      checkNames: async () => {},
      note: (text: string) => void notes.push(text),
      hint: (text: string) => void hints.push(text),
    },
    async confirm(confirmation: Confirmation) {
      asked.push(confirmation);
      if (declines) throw new Cancelled('cancelled: nothing was sent');
    },
  };
  return {
    context: parts as unknown as Context,
    sent,
    asked,
    printed,
    notes,
    hints,
    told,
    unsaid,
    interrupt,
  };
};

/** A bulk write that has no look-up, so that a test says alone what becomes of each target. */
export const work = (
  { sent }: Desk,
  targets: readonly string[],
  send: (id: string) => Promise<ApiReply>,
  more: Partial<WriteMany> = {},
): WriteMany => ({
  targets,
  verb: ['approve', 'approved'],
  noun: ['thing', 'things'],
  needsConfirmation: true,
  call: (id): ApiCall => ({
    operation: { ...operations.timesheets.approve, id: 'things.approve' },
    values: {},
    commandLine,
    redact: (value) => value,
    check: () => {
      if (id === '..') throw new TypeError('checked');
    },
    requireWorkspace: async () => {},
    send: () => {
      sent.push(id);
      return send(id);
    },
    pages: () => {
      throw new Error('a write has no pages');
    },
  }),
  ...more,
});
