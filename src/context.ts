import type { Api } from './api/client.ts';
import type { Lists } from './api/lists.ts';
import type { ListPage } from './api/page.ts';
import type { PageWindow } from './api/pages.ts';
import type { RawRequest } from './api/raw.ts';
import type { ApiReply } from './api/reply.ts';
import type { Identity } from './auth/sign-in.ts';
import type { JobStore } from './changes/job/store.ts';
import type { Invocation } from './cli/invocation.ts';
import type { Calendar, RawParameters } from './commands/values.ts';
import type { Directories } from './config/environment.ts';
import type { Settings } from './config/settings.ts';
import type { SettingsStore } from './config/store.ts';
import type { UsageError } from './errors.ts';
import type { HttpResponse, Transport } from './http/transport.ts';
import type { Confirmation } from './output/confirmation.ts';
import type { Column } from './output/list-view.ts';
import type { Output } from './output/output.ts';
import type { ProgressIndicator } from './output/progress.ts';
import type { Prompter } from './output/prompt.ts';
import type { PickedWords } from './output/questions.ts';
import type { CommandLine } from './parsing/shell-word.ts';
import type { RunEvents, RunRequests } from './platform/log.ts';
import type { ExitNotices, Machine } from './platform/machine.ts';
import type { LookUps, Names } from './resources/names.ts';

/** What a command may use. Types only: `runtime/open-context.ts` builds the real things. */

/** Everything a command is handed. Members are made when they are first used. */
export interface Context {
  readonly machine: Machine;
  readonly directories: Directories;
  /** At the end of the run, however it ends: in the order given. */
  onEnd(work: () => Promise<unknown>): void;
  /** The address of the service. @throws UsageError where there is none */
  base(): string;
  /** What requests go through; how much of the limits is left. */
  chain(): Promise<{
    readonly transport: Transport;
    limits(base: string): Promise<{ readonly text: string; readonly waitMs: number }>;
  }>;
  readonly api: Api;
  /** The client with another token, before it and its address are stored. @throws UsageError when there is none */
  as(token: string, baseUrl?: string): Api;
  /** The client for what is still to be done after Ctrl-C: to take back what was made for this run alone. */
  afterwards(): Api;
  raw<T = unknown>(request: RawRequest): Promise<ApiReply<T>>;
  /** Its status line and headers as people may read them, secrets masked; an empty line ends them. */
  formatHead(response: HttpResponse): Promise<string>;
  /** Command lines, to be copied, that go to the profile and the workspace that this run goes to. */
  readonly commandLine: CommandLine;
  /** The lists of this run: what is known is taken from here. */
  readonly lists: Lists;
  readonly lookUps: LookUps;
  readonly names: Names;
  /** What was picked in this run, by id: in words for a confirmation. */
  readonly picked: ReadonlyMap<string, PickedWords>;
  readonly output: Output;
  readonly window: PageWindow;
  /** The rows that `--where`, `--member`, `--except` and `--clean` mean. @param columns for `createIdFinder` */
  choose(pages: AsyncIterable<ListPage>, columns?: readonly Column[]): AsyncIterable<ListPage>;
  readonly settings: Settings;
  /** What is wrong with stored settings, for a command that is there to mend or to examine them. */
  readonly settingsProblems: readonly UsageError[];
  readonly settingsStore: SettingsStore;
  readonly prompter: Prompter;
  /** The workspace of this run by id. @throws UsageError when there is none */
  workspaceId(): Promise<number>;
  /** The same, or `undefined` where none is set. */
  knownWorkspaceId(): Promise<number | undefined>;
  /** The command line, and the calendar by which its days and times are read. */
  readonly invocation: Invocation;
  readonly calendar: Calendar;
  /** What `--param`, `--field` and `--input` say. */
  readonly raws: RawParameters;
  /** The token of this run, renewed when it is about to end. @throws Failure (exit 3) when there is none */
  accessToken(): Promise<string>;
  /** @throws Failure (exit 3) when there is no credential */
  identity(): Promise<Identity>;
  /**
   * Asks before what destroys or decides; `--yes` answers.
   * @throws Cancelled (exit 9) when declined, UsageError when nobody can be asked
   */
  confirm(confirmation: Confirmation): Promise<void>;
  jobs(): Promise<JobStore>;
  /** The same context for a part of the run that only makes a plan. */
  planning(file: string): Context;
  /** The sign-in of this run; its scopes where they are known. */
  readonly session: { identity(): Promise<Identity>; scopes(): Promise<readonly string[] | undefined> };
  /** Before anything depends on it: asks for the name of a protected profile. @returns false for a no, which is forgotten */
  confirmProfile(): Promise<boolean>;
  /** IANA name of the zone that days and times are meant and shown in. */
  timeZone(): string;
  readonly watch: ProgressIndicator;
  /** What is said where a second Ctrl-C ends the process in the course of some work. */
  readonly exitNotices: Pick<ExitNotices, 'during'>;
  readonly requests: RunRequests;
  readonly events: RunEvents;
  readonly countRequests: () => number;
  /** From now on requests are some of very many: they let those of other commands pass. */
  bulk(): Promise<void>;
  readonly clock: { now(): number; sleep(ms: number, signal?: AbortSignal): Promise<void> };
  /** Aborted at Ctrl-C: begin nothing new. */
  readonly interrupted: AbortSignal;
  /** Ends the run with this code though nothing failed: a table's code, or that of a command that was run. */
  exit(code: number): void;
  /** @throws UsageError: the profile is read-only */
  refuseWrite(): never;
}
