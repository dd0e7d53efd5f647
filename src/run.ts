import { type Api, createApi, type RawRequest, sendRaw } from './api/client.ts';
import { Lists } from './api/lists.ts';
import type { ListPage, PageWindow } from './api/page.ts';
import { type Extra, NO_EXTRA } from './api/plan.ts';
import type { ApiReply } from './api/reply.ts';
import { CredentialStore } from './auth/credentials.ts';
import { type Identity, Session, SIGN_IN } from './auth/session.ts';
import { createWaitNotifier, openChain } from './chain.ts';
import { createFlagNamer, type Invocation } from './cli/flag.ts';
import type { Calendar } from './commands/values.ts';
import type { NameMemory } from './completion/names.ts';
import type { Directories } from './config/environment.ts';
import { createCommandLine, EMBEDDED_BASE, type Settings } from './config/settings.ts';
import type { SettingsStore } from './config/store.ts';
import { Cancelled, Failure, UsageError } from './errors.ts';
import type { WaitNotice } from './http/links.ts';
import { toNumber, toText } from './json.ts';
import { lazy } from './lazy.ts';
import type { Output } from './output/output.ts';
import type { ProgressIndicator } from './output/progress.ts';
import type { Prompter } from './output/prompt.ts';
import type { Confirmation, PickedWords } from './output/questions.ts';
import type { CommandLine } from './parsing/shell-word.ts';
import { findAddressProblem } from './parsing/text.ts';
import type { RunRequests } from './platform/log.ts';
import type { Machine } from './platform/machine.ts';
import { createNames, LookUps, type Names } from './resources/names.ts';
import type { EmbeddedSandbox } from './sandbox-host/embedded.ts';

const loadRenewal = () => import('./auth/renewal.ts');

type RunParts = Pick<
  Run,
  | ('machine' | 'directories' | 'settings' | 'settingsStore' | 'settingsProblems' | 'invocation' | 'args')
  | ('calendar' | 'extra' | 'window' | 'timeZone' | 'output' | 'prompter' | 'watch' | 'requests')
  | ('picked' | 'exit')
> & {
  readonly pickWorkspace: (run: Run) => Promise<number | undefined>;
  readonly memory: NameMemory;
};

/**
 * One run of a command: what it may use. What only some commands need is imported by them, and handed the run. Functions
 * that commands take out of it (`const { identity } = run`) are fields.
 */
export class Run {
  readonly machine!: Machine;
  readonly directories!: Directories;
  readonly settings!: Settings;
  readonly settingsStore!: SettingsStore;
  /** What is wrong with stored settings, for a command that examines them. */
  readonly settingsProblems!: readonly UsageError[];
  readonly invocation!: Invocation;
  readonly args!: readonly string[];
  readonly calendar!: Calendar;
  readonly extra!: Extra;
  readonly window!: PageWindow;
  /** IANA name of the zone that days and times are meant and shown in. */
  readonly timeZone!: () => string;
  readonly output!: Output;
  readonly prompter!: Prompter;
  readonly watch!: ProgressIndicator;
  readonly requests!: RunRequests;
  /** What was picked in this run, by id: in words for a confirmation. */
  readonly picked!: Map<string, PickedWords>;
  /** Ends the run with this code though nothing failed: a table's code, or that of a command that was run. */
  readonly exit!: (code: number) => void;
  readonly clock: Machine['clock'];
  /** Aborted at Ctrl-C: begin nothing new. */
  readonly interrupted: AbortSignal;
  /** Command lines, to be copied, that go to the profile and the workspace that this run goes to. */
  readonly commandLine: CommandLine;
  readonly credentials: CredentialStore;
  readonly session: Session;
  /** The token of this run, renewed when it is about to end. @throws Failure (exit 3) when there is none */
  readonly accessToken: () => Promise<string>;
  /** @throws Failure (exit 3) when there is no credential */
  readonly identity: () => Promise<Identity>;
  readonly api: Api;
  /** The lists of this run: what is known is taken from here. */
  readonly lists: Lists;
  readonly names: Names;
  /** The rows that `--where`, `--member`, `--except` and `--clean` mean; without them, all. */
  choose: (pages: AsyncIterable<ListPage>) => AsyncIterable<ListPage> = (pages) => pages;
  /** Of `--clean`, how many records are left out, and why: `2 left out: 2 over the limit (see ttctl inbox …)`. */
  leftOut: string | undefined;
  readonly #parts: RunParts;
  readonly #atEnd: (() => Promise<unknown>)[] = [];
  readonly #rounded = new Set<string>();
  readonly #notifyWait: (wait: WaitNotice) => void;
  /** A run that is made of this one has it told already. */
  #tellsSandbox = true;
  #lookUps: LookUps | undefined;
  #isOpen = false;
  #picking: Promise<number | undefined> | undefined;
  #pickedWorkspace: number | undefined;

  constructor(parts: RunParts) {
    const { machine, settings, output } = parts;
    Object.assign(this, parts);
    this.#parts = parts;
    this.clock = machine.clock;
    this.interrupted = machine.interrupted;
    this.commandLine = createCommandLine(settings);
    this.#notifyWait = createWaitNotifier(parts.watch.reportWait, output.note, () => machine.clock.now());
    const { config } = parts.directories;
    const file = config && `${config}/credentials.json`;
    this.credentials = new CredentialStore(file, machine.clock, output.warn);
    const run = this;
    this.session = new Session({
      profile: settings.profile.value,
      given: settings.token,
      get baseUrl() {
        return run.base();
      },
      store: this.credentials,
      timeZone: parts.timeZone,
      warn: output.warn,
      clock: machine.clock,
      register: machine.redactor.register,
      ...(settings.tokenCommand && {
        command: { token: () => this.#commandToken(), baseUrl: () => this.#readOwnAddress() },
      }),
      renew: async (stored) => {
        const { renewCredential } = await loadRenewal();
        return parts.watch.during(
          () => 'renewing the sign-in',
          () => renewCredential(this, stored),
        );
      },
      ...(settings.embedded && { ownerToken: async () => (await this.#openEmbedded()).ownerToken() }),
    });
    this.accessToken = this.session.token.bind(this.session);
    this.identity = this.session.identity.bind(this.session);
    this.api = this.#createApi();
    this.lists = new Lists(this.api, () => machine.clock.now());
    this.names = createNames(this.lists);
  }

  get lookUps(): LookUps {
    this.#lookUps ??= new LookUps(this.lists, createCommandLine(this.settings));
    return this.#lookUps;
  }

  /** At the end of the run, however it ends: in the order given. */
  readonly onEnd = (work: () => Promise<unknown>): void => {
    this.#atEnd.push(work);
  };

  /** Closes the chain, where there is one: a run that asked nothing opens none for it. */
  async close(): Promise<void> {
    for (const work of this.#atEnd) await work();
    if (this.#isOpen) await (await this.chain()).close();
  }

  base(): string {
    const { settings } = this;
    const address = settings.baseUrl?.value ?? (settings.embedded ? EMBEDDED_BASE : undefined);
    if (address !== undefined) return address;
    throw new UsageError('no service address', {
      code: 'missing_base_url',
      reason: `Profile ${settings.profile.value} has no base_url, and there is no built-in address.`,
      hint:
        `Sign in: ${this.commandLine`ttctl auth login --base-url https://<host>/api/v2`} (with a Personal Access Token: add --token-stdin)\n` +
        'Or try the sandbox: --profile sandbox',
    });
  }

  #commandToken = lazy(async (): Promise<string> => {
    const { settings, machine, watch } = this;
    const release = watch.hold();
    try {
      const { runTokenCommand } = await loadRenewal();
      return await runTokenCommand(settings.tokenCommand?.value ?? '', settings.profile.value, machine);
    } finally {
      release();
    }
  });

  /** The address that the profile has, whatever a flag or a variable says. */
  #readOwnAddress(): string | undefined {
    const { profile, baseUrl } = this.settings;
    if (baseUrl?.from === 'profile') return baseUrl.value;
    const { base_url: own } = this.settingsStore.read().profiles[profile.value] ?? {};
    return own === undefined || findAddressProblem(own) !== undefined ? undefined : own;
  }

  readonly chain = lazy(async () => {
    const { machine, settings, session, requests, directories, output } = this;
    this.#isOpen = true;
    return openChain({
      ...{ machine, settings, session, requests, warn: output.warn },
      embedded: settings.embedded ? await this.#openEmbedded() : undefined,
      limitsDirectory: directories.state && `${directories.state}/limits`,
      onWait: (wait) => {
        this.#notifyWait(wait);
        if (wait.why === 'budget') requests.decide({ decision: 'wait', reason: 'rate_limit', ms: wait.ms });
      },
    });
  });

  /** From now on requests are some of very many: they let those of other commands pass. */
  async bulk(): Promise<void> {
    (await this.chain()).isBulk = true;
  }

  /** The client with another token, before it and its address are stored. @throws UsageError when there is none */
  as(token: string, baseUrl?: string): Api {
    const sourced = (value: string) => ({ value, from: 'flag', name: SIGN_IN }) as const;
    const address = baseUrl === undefined ? {} : { baseUrl: sourced(baseUrl) };
    return this.#derive({ settings: { ...this.settings, token: sourced(token), ...address } }).api;
  }

  /** The client for what is still to be done after Ctrl-C: to take back what was made for this run alone. */
  afterwards(): Api {
    // A second signal ends it all the same.
    const interrupted = { value: new AbortController().signal };
    return this.#derive({ machine: Object.create(this.machine, { interrupted }) }).api;
  }

  #derive(changes: Partial<RunParts>): Run {
    const run = new Run({ ...this.#parts, ...changes });
    run.#tellsSandbox = false;
    run.#commandToken = this.#commandToken;
    return run;
  }

  async raw<T = unknown>(request: RawRequest): Promise<ApiReply<T>> {
    const base = this.base();
    const reply = await sendRaw<T>({ base, transport: (await this.chain()).transport }, request);
    this.#warnRounded(reply);
    return reply;
  }

  /** The workspace of this run by id, or `undefined` where none is set. */
  readonly knownWorkspaceId = async (): Promise<number | undefined> =>
    (await this.#findConfiguredWorkspace()) ?? this.#pickedWorkspace;

  readonly workspaceId = async (): Promise<number> => {
    const id = await this.knownWorkspaceId();
    if (id !== undefined) return id;
    // Where nothing is set up at all, that is the thing to say.
    this.base();
    this.#picking ??= this.#parts.pickWorkspace(this);
    this.#pickedWorkspace = await this.#picking;
    if (this.#pickedWorkspace !== undefined) return this.#pickedWorkspace;
    const use = createCommandLine(this.settings)`ttctl workspaces use <workspace>`;
    throw new UsageError('no workspace', {
      code: 'missing_workspace',
      hint: `Pass --workspace, set TTCTL_WORKSPACE, or choose a default: ${use}`,
    });
  };

  /** Who writes, and where: lines for a question. */
  async describeAccount(): Promise<readonly string[]> {
    const { profile, source } = await this.session.identity();
    const workspace = await this.knownWorkspaceId();
    return [
      `profile    ${profile} (${source})`,
      ...(workspace === undefined ? [] : [`workspace  ${await this.#formatWorkspace(workspace)}`]),
    ];
  }

  /**
   * Asks before what destroys or decides; `--yes` answers.
   * @throws Cancelled (exit 9) when declined, UsageError when nobody can be asked
   */
  readonly confirm = async (confirmation: Confirmation): Promise<void> => {
    const { question, facts, local } = confirmation;
    // What is sure to be refused is not asked about.
    if (local !== true) await this.session.checkWriteScope();
    if (this.settings.yes.value) return;
    if (!this.prompter.available) {
      // `submit 2 timesheets`: submitting them.
      const gerund = question.replace(
        /^\w+/,
        (verb) => `${verb.replace(/e$/, '').replace(/mit$/, 'mitt')}ing`,
      );
      throw new UsageError(`${gerund} needs confirmation`, {
        code: 'confirmation_needed',
        reason: 'There is no terminal to ask in.',
        hint: 'Add --yes to run without a prompt, or preview with --dry-run.',
      });
    }
    const account = local === true ? [] : await this.describeAccount();
    if (!(await this.prompter.confirm({ ...confirmation, facts: [...account, ...facts] })))
      throw new Cancelled('cancelled: nothing was sent');
    this.interrupted.throwIfAborted();
  };

  readonly #findConfiguredWorkspace = lazy(async (): Promise<number | undefined> => {
    const { workspace, embedded } = this.settings;
    if (workspace === undefined) return embedded ? (await this.#openEmbedded()).workspaceId() : undefined;
    const wanted = String(workspace.value);
    return /^\d+$/.test(wanted) ? toNumber(wanted) : (await this.lookUps.workspace(wanted)).id;
  });

  /** By its name, so that nobody has to know the numbers; by its id alone where the service does not tell. */
  async #formatWorkspace(id: number): Promise<string> {
    try {
      for await (const page of this.lists.pages(this.api.workspaces.list({}))) {
        const row = page.rows.find((one) => toText(one.id) === toText(id));
        if (row?.workspace_name != null) return `${toText(row.workspace_name)} (${id})`;
      }
    } catch (error) {
      if (!(error instanceof Failure) || error instanceof Cancelled) throw error;
    }
    return String(id);
  }

  readonly #openEmbedded = lazy(async (): Promise<EmbeddedSandbox> => {
    const { machine, settings, output } = this;
    if (machine.stderr.isTTY && this.#tellsSandbox) output.note('Using the sandbox (practice data).');
    const { locateSandbox, openEmbedded } = await import('./sandbox-host/embedded.ts');
    const timeoutMs = settings.timeoutSeconds.value * 1000;
    return openEmbedded(locateSandbox(this.directories), machine.clock, machine.interrupted, timeoutMs);
  });

  #createApi(): Api {
    const { machine, extra, invocation, session } = this;
    const { memory } = this.#parts;
    const run = this;
    return createApi({
      get base() {
        return run.base();
      },
      transport: async (request) => (await this.chain()).transport(request),
      workspaceId: this.workspaceId,
      // The raw values are for the operation of the running command alone.
      extraFor: ({ id }) => (id === invocation.command.operation?.id ? extra : NO_EXTRA),
      flagOf: createFlagNamer(invocation.command),
      commandLine: this.commandLine,
      redact: machine.redactor.json,
      rounded: this.#rounded,
      onReply: (operation, values, request, reply) => {
        memory.add(operation, values, request, reply);
        this.#warnRounded(reply);
      },
      identity: () => session.identity(),
      knownWorkspaceId: this.knownWorkspaceId,
    });
  }

  /** Warns of numbers in a reply that could not be kept, once a field. */
  #warnRounded({ rounded }: Pick<ApiReply, 'rounded'>): void {
    for (const [number, field] of rounded ?? []) {
      this.#rounded.add(String(number));
      if (this.#rounded.has(field)) continue;
      this.#rounded.add(field);
      this.output.warn(`Numbers of ${field} have more digits than can be kept. They are shown rounded.`);
    }
  }
}
