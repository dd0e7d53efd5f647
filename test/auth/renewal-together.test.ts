import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { BIN, type Finished, finished } from '../support/binary.ts';
import {
  type OAuthService,
  type ServiceHome,
  serviceHome,
  startOAuthService,
} from '../support/oauth-service.ts';

/**
 * Many processes and one sign-in. `TTCTL_ROUNDS=20` for the long run.
 */

const PROCESSES = 64;
const ROUNDS = Number(process.env.TTCTL_ROUNDS ?? 2);

const runAll = (home: ServiceHome, entry: string, processes: number): Promise<Finished[]> =>
  Promise.all(
    Array.from({ length: processes }, () =>
      finished(spawn(process.execPath, [entry, 'workspaces', 'list', '--json'], { env: home.env })),
    ),
  );

interface Round {
  readonly outcomes: readonly Finished[];
  readonly service: OAuthService;
  readonly home: ServiceHome;
}

interface Variant {
  readonly entry: string;
  readonly processes: number;
  /** Between the moment a refresh token is spent and the answer. */
  readonly delayMs: number;
  /** What the answer waits for besides. */
  readonly held?: (calls: number) => Promise<void>;
}

const round = async (
  kind: 'ended' | 'refused',
  { entry, processes, delayMs, held }: Variant,
  look: (round: Round) => void | Promise<void>,
): Promise<void> => {
  const service = await startOAuthService();
  const home = serviceHome(service);
  try {
    service.mood.delayMs = delayMs;
    service.mood.held = held;
    const first = service.issue();
    home.keep(first, kind === 'ended' ? -1000 : undefined);
    if (kind === 'refused') service.endAccess(first.access);
    await look({ outcomes: await runAll(home, entry, processes), service, home });
  } finally {
    await service.close();
    home.remove();
  }
};

const temporaries = (home: ServiceHome): string[] =>
  readdirSync(home.config).filter((name) => name.endsWith('.tmp'));

describe.each(['ended', 'refused'] as const)('64 processes with one token that is %s', (kind) => {
  it(
    'send one refresh, and none of them fails',
    async () => {
      for (let n = 0; n < ROUNDS; n += 1) {
        await round(
          kind,
          { entry: BIN, processes: PROCESSES, delayMs: 50 },
          ({ outcomes, service, home }) => {
            // What each of them says is long: what differs is told, and how often.
            const ends = new Map<string, number>();
            for (const { exit, stderr } of outcomes) {
              const end = `${exit} ${stderr}`;
              ends.set(end, (ends.get(end) ?? 0) + 1);
            }
            expect(Object.fromEntries(ends), [...ends].join('\n')).toEqual({ '0 ': PROCESSES });
            expect(service.calls).toHaveLength(1);
            expect(service.isLive(home.pair())).toBe(true);
            expect(temporaries(home)).toEqual([]);
          },
        );
      }
    },
    240_000 + ROUNDS * 60_000,
  );
});

/** A copy of the built program whose locks let everybody in at once. */
const withoutLock = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'ttctl-no-lock-'));
  const root = dirname(dirname(BIN));
  for (const part of ['bin', 'src', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.library.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const file = join(folder, 'src/storage/lock.ts');
  const text = readFileSync(file, 'utf8');
  const open = text.replace(
    /(export async function withLock<T>[^{]*= \{\},\n\): Promise<T> \{)/,
    '$1\n  if (path) return work();',
  );
  if (open === text) throw new Error('the lock was not found');
  writeFileSync(file, open);
  execFileSync(process.execPath, [join(folder, 'scripts/build.mjs')]);
  return folder;
};

describe('the same without the lock', () => {
  const folder = withoutLock();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('sends more than one refresh: this test can tell', async () => {
    let come = (): void => {};
    const second = new Promise<void>((resolve) => {
      come = resolve;
    });
    // Nobody is answered before another has asked, however slowly processes start here.
    const held = (calls: number): Promise<void> => {
      if (calls > 1) come();
      return second;
    };
    await round(
      'ended',
      { entry: join(folder, 'bin/ttctl.js'), processes: 12, delayMs: 0, held },
      ({ service }) => {
        expect(service.calls.length).toBeGreaterThan(1);
      },
    );
  });
});
