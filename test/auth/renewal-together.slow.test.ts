import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type OAuthService, type ServiceHome, serviceHome, startOAuthService } from '../support/oauth.ts';
import { BIN, type Finished, finished } from '../support/process.ts';

/**
 * Many processes and one sign-in. `TTCTL_ROUNDS=20` for the long run.
 */

const PROCESSES = 64;
const ROUNDS = Number(process.env.TTCTL_ROUNDS ?? 2);

const runAll = (home: ServiceHome): Promise<Finished[]> =>
  Promise.all(
    Array.from({ length: PROCESSES }, () =>
      finished(spawn(process.execPath, [BIN, 'workspaces', 'list', '--json'], { env: home.env })),
    ),
  );

interface Round {
  readonly outcomes: readonly Finished[];
  readonly service: OAuthService;
  readonly home: ServiceHome;
}

const round = async (
  kind: 'ended' | 'refused',
  look: (round: Round) => void | Promise<void>,
): Promise<void> => {
  const service = await startOAuthService();
  const home = serviceHome(service);
  try {
    // Between the moment a refresh token is spent and the answer.
    service.mood.delayMs = 50;
    const first = service.issue();
    home.keep(first, kind === 'ended' ? -1000 : undefined);
    if (kind === 'refused') service.endAccess(first.access);
    await look({ outcomes: await runAll(home), service, home });
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
        await round(kind, ({ outcomes, service, home }) => {
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
        });
      }
    },
    240_000 + ROUNDS * 60_000,
  );
});
