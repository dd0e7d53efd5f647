/**
 * One contender of the lock test: adds one to a counter file again and again, by an unprotected read and write.
 * Arguments: built lock module, folder, name of this worker, how many turns.
 */
import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [modulePath, folder, name, turns] = process.argv.slice(2);
const { withLock } = await import(modulePath);
const clock = { now: Date.now, sleep: (ms) => sleep(ms), random: Math.random };
const counter = join(folder, 'counter');
const inside = join(folder, 'inside');

const lives = (pid) => {
  try {
    process.kill(pid, 0);
    // A killed one that its parent has not buried yet is not inside any more.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
};

const enter = () => {
  try {
    writeFileSync(inside, `${process.pid}`, { flag: 'wx' });
  } catch {
    const other = Number(readFileSync(inside, 'utf8'));
    if (lives(other)) appendFileSync(join(folder, 'double'), `${name}\n`);
    else writeFileSync(inside, `${process.pid}`);
  }
};

const turn = async () => {
  enter();
  const value = Number(readFileSync(counter, 'utf8'));
  await sleep(Math.random() * 2);
  const next = `${counter}.${process.pid}`;
  writeFileSync(next, String(value + 1));
  renameSync(next, counter);
  appendFileSync(join(folder, `done-${name}`), '.');
  rmSync(inside, { force: true });
};

// Those that are left alone begin together, however slowly a process starts here.
writeFileSync(join(folder, `ready-${name}`), '');
while (!['s0', 's1'].every((each) => existsSync(join(folder, `ready-${each}`)))) await sleep(2);

for (let index = 0; index < Number(turns); index += 1) {
  await withLock(counter, clock, turn, { timeoutMs: 20_000 });
}
