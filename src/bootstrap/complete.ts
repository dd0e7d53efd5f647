import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { completeLine } from '../completion/engine.ts';
import { print } from './print.ts';

/**
 * Composition root of the process that answers a shell (`ttctl __complete …`). It is a bundle of its own: the tree of
 * commands is data beside it, no command is loaded, no request is made, nothing is written. Its exit code is 0 and
 * stderr stays empty whatever happens.
 */

const { env, platform, argv } = process;
const environment = { env, platform, home: env.HOME ?? env.USERPROFILE };

function readTree() {
  return JSON.parse(readFileSync(join(__dirname, 'complete.json'), 'utf8'));
}

// A shell that has gone on already reads no more.
print(completeLine(argv.slice(3), readTree, environment), () => {});
