import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { realClock } from '../../src/platform/machine.ts';
import { createForwarder } from '../../src/webhooks/forwarder.ts';
import { createForwardingQueue } from '../../src/webhooks/forwarding-queue.ts';
import { createAttemptView, createIntake } from '../../src/webhooks/intake.ts';
import { createProgressStore } from '../../src/webhooks/progress.ts';
import { UNMASKED } from '../../src/webhooks/rows.ts';
import { createDeliveryStore, type DeliveryStore, prepareDeliveryStore } from '../../src/webhooks/store.ts';

/** A delivery that was kept and could not be handed on: the command that is named hands on that very one. */

let folder: string;
let store: DeliveryStore;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ttctl-intake-'));
  prepareDeliveryStore(folder, Date.now());
  store = createDeliveryStore(folder, { warn: () => {} });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const WAITS = 'Not forwarded. Next attempt in 5 s, or when the next listener starts. Forward it again with: ';

/** What is said after a delivery of this id that a command refused. */
const saidOf = async (id: string): Promise<readonly string[]> => {
  const notes: string[] = [];
  const listener = {
    host: '127.0.0.1',
    port: 0,
    events: [],
    forwardStatus: false,
    answerAfterHandler: false,
    requireSignature: false,
    refuseUnsigned: false,
    handlerTimeoutMs: 1000,
    exec: 'exit 3',
  };
  const messages = {
    note: (text: string) => void notes.push(text),
    reportReady: () => {},
    failed: async () => undefined,
  };
  const { signal: interrupted } = new AbortController();
  const [masks, show, now] = [UNMASKED, () => {}, () => Date.UTC(2026, 10, 21)];
  const progress = createProgressStore(folder, { warn: () => {} });
  const queue = createForwardingQueue({
    store,
    progress,
    forward: createForwarder({ exec: async () => ({ exit: 3 }), interrupted }),
    maxInFlight: 1,
    clock: { now, sleep: realClock.sleep },
    interrupted,
    onAttempt: createAttemptView({ listener, masks, messages, show }),
    onFault: messages.failed,
  });
  const getSigningTime = async () => now();
  const intake = createIntake({
    listener,
    clock: { now },
    masks,
    store,
    progress,
    messages,
    queue,
    getSigningTime,
    show,
  });
  const headers = [['webhook-id', id] as const];
  await intake.take({ method: 'POST', target: '/', headers, body: Buffer.from('{}') }, undefined);
  await queue.drain();
  return notes;
};

it('is named by its id', async () => {
  expect(await saidOf('m1')).toEqual([`${WAITS}ttctl webhooks replay m1 --exec 'exit 3'`]);
});

it.each(['-x', '--yes', '-'])('is named by its key where the id %s would be read as a flag', async (id) => {
  const notes = await saidOf(id);
  expect(notes).toEqual([`${WAITS}ttctl webhooks replay ${store.keys()[0]} --exec 'exit 3'`]);
});
