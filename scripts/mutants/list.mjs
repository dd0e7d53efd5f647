import { decisions } from './decisions.mjs';
import { trust } from './trust.mjs';
import { wire } from './wire.mjs';
import { words } from './words.mjs';
import { writes } from './writes.mjs';

/** Each is one thing that the program could do wrong, and the tests that notice it. `mutants.mjs` says how to add one. */
export const mutants = [...trust, ...writes, ...wire, ...words, ...decisions];
