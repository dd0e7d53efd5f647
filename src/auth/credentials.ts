import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../clock.ts';
import { EXIT, Failure } from '../errors.ts';
import { isRecord, parseJson, stringifyJson } from '../json.ts';
import { withLock } from '../storage/lock.ts';
import { formatRepair, readPrivate } from '../storage/own-files.ts';
import { prepareFile, removeQuietly, reserveWrite, writeDurably } from '../storage/write.ts';

/** The credentials file: 0600 in a 0700 directory, apart from the settings. */

const KINDS = ['personal', 'oauth', 'client'] as const;

/** `body`: among the fields of a token request. `basic`: in its `Authorization` header. */
const CLIENT_AUTHS = ['body', 'basic'] as const;

/** What is stored of a sign-in. Times are ISO 8601. Unknown members are kept. */
export interface Credential {
  readonly kind: (typeof KINDS)[number];
  /** The only origin that the token may be sent to. */
  readonly base_url: string;
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly scopes?: readonly string[];
  readonly created_at?: string;
  readonly access_expires_at?: string;
  readonly refresh_expires_at?: string;
  readonly account?: string;
  /** The token host and the application that the tokens belong to: they are renewed there and nowhere else. */
  readonly token_url?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  /** How the client shows its secret. Default `body`. */
  readonly client_auth?: (typeof CLIENT_AUTHS)[number];
  /** The service refused to renew it; kept, so that nothing is lost by a mistake. */
  readonly dead?: boolean;
}

const TIMES = ['created_at', 'access_expires_at', 'refresh_expires_at'];
const TEXTS = ['refresh_token', 'account', 'token_url', 'client_id', 'client_secret', ...TIMES];

interface CredentialsFile {
  readonly version: 1;
  readonly profiles: Readonly<Record<string, Credential>>;
}

type Warn = (text: string) => void;

/** Room for one more credential with long tokens, and for others that grow meanwhile. */
const SPARE_BYTES = 64 * 1024;

/** Longer than the holder of an exchange can take: 30 s for the token host, and the disk. */
const LOCK_TIMEOUT_MS = 45_000;

interface HeldCredential {
  readonly read: () => Credential | undefined;
  /** Stores the profile's credential, the others as they stand on the disk now. May be called once. */
  readonly commit: (credential: Credential) => void;
}

export class CredentialStore {
  /** Where `credentials.json` is; undefined where no place is known. */
  readonly file: string | undefined;
  readonly #clock: Clock;
  readonly #warn: Warn;

  constructor(file: string | undefined, clock: Clock, warn: Warn) {
    this.file = file;
    this.#clock = clock;
    this.#warn = warn;
  }

  read(profile: string): Credential | undefined {
    const profiles = this.file === undefined ? {} : readFile(this.file, this.#warn).profiles;
    return Object.hasOwn(profiles, profile) ? profiles[profile] : undefined;
  }

  async write(profile: string, credential: Credential): Promise<void> {
    await this.hold(profile, async (held) => held.commit(credential));
  }

  /** Removes the secrets from the file and its `.bak`. @returns whether there were some */
  async remove(profile: string): Promise<boolean> {
    if (this.read(profile) === undefined) return false;
    return this.#underLock(async (file) => {
      const content = readFile(file, this.#warn);
      const { [profile]: removed, ...profiles } = content.profiles;
      const text = serialize({ ...content, profiles });
      // The copy first: after a cut in between the credential is still shown, and signing out is asked again.
      writeDurably(`${file}.bak`, text);
      writeDurably(file, text);
      return removed !== undefined;
    });
  }

  /** Notes whose the stored sign-in is, so that the history can tell without asking the service. */
  async rememberAccount(profile: string, account: string): Promise<void> {
    await this.hold(profile, async ({ read, commit }) => {
      const stored = read();
      if (stored !== undefined) commit({ ...stored, account });
    });
  }

  /**
   * Runs an exchange whose result must not be lost: the file's lock is held and space for the result is taken before
   * `work` begins, so that nothing but a dying disk can stand between the answer and the file.
   */
  hold<T>(profile: string, work: (held: HeldCredential) => Promise<T>): Promise<T> {
    return this.#underLock(async (file) => {
      const bytes = SPARE_BYTES + 2 * serialize(readFile(file, this.#warn)).length;
      const space = reserveWrite(file, bytes, { backup: true });
      const commit = (credential: Credential): void => {
        const content = readFile(file, this.#warn);
        const text = serialize({ ...content, profiles: { ...content.profiles, [profile]: credential } });
        try {
          space.commit(text);
        } catch {
          // That fails only where the file before cannot be kept; its space is free again by then.
          writeDurably(file, text);
        }
      };
      try {
        return await work({ read: () => this.read(profile), commit });
      } finally {
        space.release();
      }
    });
  }

  async #underLock<T>(work: (file: string) => Promise<T>): Promise<T> {
    const file = prepareFile(this.file, 'credentials');
    const run = () => {
      // Nobody else writes it now: what killed processes left beside it may hold a secret.
      for (const name of readdirSync(dirname(file)))
        if (name.startsWith(`${basename(file)}.`) && name.endsWith('.tmp'))
          removeQuietly(join(dirname(file), name));
      return work(file);
    };
    return withLock(file, this.#clock, run, { timeoutMs: LOCK_TIMEOUT_MS });
  }
}

function readFile(file: string, warn: Warn = () => {}): CredentialsFile {
  const text = readPrivate(file, warn);
  if (text === undefined) return { version: 1, profiles: {} };
  const parsed = parseJson(text);
  const value = 'value' in parsed ? parsed.value : undefined;
  // Without repeating any of it: it is secret.
  let reason: string | undefined;
  if ('problem' in parsed)
    reason = `line ${parsed.problem.line}, column ${parsed.problem.column}: ${parsed.problem.what}`;
  else if (text.includes('\uFFFD')) reason = 'it is not UTF-8 text';
  else reason = findDamage(value);
  if (reason === undefined) return value as CredentialsFile;
  throw new Failure(`the credentials file is broken: ${file}`, {
    code: 'broken_credentials',
    exit: EXIT.usage,
    reason,
    hint: formatRepair(file, (copy) => readFile(copy), 'sign in again: ttctl auth login'),
    details: { file },
  });
}

function findDamage(value: unknown): string | undefined {
  if (!isRecord(value) || !isRecord(value.profiles)) return '"profiles" is missing';
  if (value.version !== 1) return '"version" is not 1 (was it written by a newer ttctl?)';
  const broken = Object.entries(value.profiles).find(([, credential]) => !isCredential(credential));
  return broken && `profile ${JSON.stringify(broken[0])} is damaged`;
}

function isCredential(value: unknown): value is Credential {
  if (!isRecord(value)) return false;
  const { client_auth: auth = 'body', scopes = [], dead = false } = value;
  const isText = (name: string): boolean => typeof value[name] === 'string';
  return (
    KINDS.some((known) => known === value.kind) &&
    CLIENT_AUTHS.some((known) => known === auth) &&
    ['base_url', 'access_token'].every((name) => isText(name) && value[name] !== '') &&
    TEXTS.every((name) => value[name] === undefined || isText(name)) &&
    TIMES.every((name) => value[name] === undefined || Number.isFinite(Date.parse(String(value[name])))) &&
    Array.isArray(scopes) &&
    scopes.every((scope) => typeof scope === 'string') &&
    typeof dead === 'boolean'
  );
}

function serialize(content: CredentialsFile): string {
  return `${stringifyJson(content, 2)}\n`;
}
