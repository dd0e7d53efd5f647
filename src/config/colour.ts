import type { Environment } from './paths.ts';

export interface ColourOptions {
  /** `--no-color` gives false; true or undefined is no wish. */
  readonly flag: boolean | undefined;
  readonly env: Environment;
}

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '';

/**
 * Whether one stream is coloured (docs/requirements.md, CLI-2): `--no-color`, then `NO_COLOR` (not empty), then
 * `FORCE_COLOR` (not empty, not `0` or `false`), else a terminal that is not `TERM=dumb`.
 */
export const isColoured = (stream: { readonly isTTY?: boolean }, { flag, env }: ColourOptions): boolean => {
  if (flag === false || isSet(env['NO_COLOR'])) return false;
  const force = env['FORCE_COLOR'];
  if (isSet(force) && force !== '0' && force !== 'false') return true;
  return stream.isTTY === true && env['TERM'] !== 'dumb';
};
