import { completeLine } from '../completion/engine.ts';
import { unpack } from '../completion/pack.ts';

/**
 * Composition root of the process that answers a shell (`ttctl __complete …`). It is a bundle of its own: the tree of
 * commands is in it as data, no command is loaded, no request is made, nothing is written. Its exit code is 0 and
 * stderr stays empty whatever happens.
 */

/** JSON of the packed tree, put in when ttctl is built. */
declare const __TABLE__: string;

const { env, platform, argv } = process;
const kill = (pid: number, signal: 0): boolean => process.kill(pid, signal);
const surroundings = { env, platform, home: env.HOME ?? env.USERPROFILE, kill };
// A shell that has gone on already reads no more.
process.stdout.on('error', () => {});
process.stdout.write(completeLine(argv.slice(3), () => unpack(JSON.parse(__TABLE__)), surroundings));
