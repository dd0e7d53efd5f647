import { expect, it } from 'vitest';
import { isColoured } from '../../src/config/environment.ts';

const terminal = { isTTY: true };
const pipe = {};

it.each([
  ['a terminal', terminal, undefined, {}, true],
  ['a pipe', pipe, undefined, {}, false],
  ['a dumb terminal', terminal, undefined, { TERM: 'dumb' }, false],
  ['NO_COLOR', terminal, undefined, { NO_COLOR: '0' }, false],
  ['an empty NO_COLOR', terminal, undefined, { NO_COLOR: '' }, true],
  ['FORCE_COLOR in a pipe', pipe, undefined, { FORCE_COLOR: '1', TERM: 'dumb' }, true],
  ['FORCE_COLOR=0 on a terminal', terminal, undefined, { FORCE_COLOR: '0' }, true],
  ['FORCE_COLOR=0 in a pipe', pipe, undefined, { FORCE_COLOR: '0' }, false],
  ['an empty FORCE_COLOR', pipe, undefined, { FORCE_COLOR: '' }, false],
  ['NO_COLOR over FORCE_COLOR', terminal, undefined, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
  ['--no-color over FORCE_COLOR', terminal, false, { FORCE_COLOR: '1' }, false],
  ["commander's default of --no-color", pipe, true, {}, false],
])('%s', (_, stream, flag, env, colour) => {
  expect(isColoured(stream, { flag, env })).toBe(colour);
});
