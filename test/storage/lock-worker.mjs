// One contender of the lock test: adds one to a counter file again and again, by an unprotected read and write.
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [modulePath, folder, name, turns] = process.argv.slice(2);
const { withLock } = await import(modulePath);
const clock = { now: Date.now, sleep: (ms) => sleep(ms), random: Math.random };
const counter = join(folder, 'counter');

// Those that are left alone begin together, however slowly a process starts here.
writeFileSync(join(folder, `ready-${name}`), '');
while (!['s0', 's1'].every((each) => existsSync(join(folder, `ready-${each}`)))) await sleep(2);

const turn = async () => {
  const value = Number(readFileSync(counter, 'utf8'));
  await sleep(Math.random() * 2);
  writeFileSync(`${counter}.${process.pid}`, String(value + 1));
  renameSync(`${counter}.${process.pid}`, counter);
  appendFileSync(join(folder, `done-${name}`), '.');
};
for (let n = 0; n < Number(turns); n += 1) await withLock(counter, clock, turn, { timeoutMs: 20_000 });
