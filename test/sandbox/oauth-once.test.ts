import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createOAuthBench, type OAuthBench } from './oauth-bench.ts';

/** Random orders of approvals, exchanges and refreshes against a small model: what was used, and what came of it. */

interface Step {
  readonly verb: 'approve' | 'exchange' | 'refresh' | 'wait';
  readonly pick: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    verb: fc.constantFrom('approve', 'exchange', 'exchange', 'refresh', 'refresh', 'wait'),
    pick: fc.nat(7),
  }),
  { maxLength: 40 },
);

interface Model {
  readonly codes: string[];
  readonly refreshTokens: string[];
  readonly spent: Set<string>;
  /** The access tokens that came of one approval, oldest first; by code and by refresh token. */
  readonly chains: Map<string, string[]>;
}

const use = (at: OAuthBench, model: Model, verb: 'exchange' | 'refresh', pick: number): void => {
  const pool = verb === 'exchange' ? model.codes : model.refreshTokens;
  const one = pool[pick % Math.max(pool.length, 1)];
  if (one === undefined) return;
  const { status, body } = verb === 'exchange' ? at.exchange(one) : at.refresh(one);
  expect(status).toBe(model.spent.has(one) ? 400 : 200);
  if (status !== 200) return;
  model.spent.add(one);
  const chain = model.chains.get(one) ?? [];
  chain.push(body.access_token);
  model.chains.set(one, chain).set(body.refresh_token, chain);
  model.refreshTokens.push(body.refresh_token);
};

const take = (at: OAuthBench, model: Model, { verb, pick }: Step): void => {
  if (verb === 'wait') at.bench.now += 1000;
  else if (verb === 'approve') model.codes.push(at.approve());
  else use(at, model, verb, pick);
};

it('codes and refresh tokens work once under any order, and the newest access token of an approval alone is alive', async () => {
  const at = await createOAuthBench();
  fc.assert(
    fc.property(steps, (run) => {
      const model: Model = { codes: [], refreshTokens: [], spent: new Set(), chains: new Map() };
      for (const step of run) take(at, model, step);
      for (const chain of new Set(model.chains.values())) {
        const alive = chain.filter((token) => at.bench.world.tokens[token]?.revoked === false);
        expect(alive).toEqual(chain.slice(-1));
      }
    }),
    { numRuns: 80 },
  );
});
