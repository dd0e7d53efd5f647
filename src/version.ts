import { fileURLToPath } from 'node:url';
import type { Machine } from './platform/machine.ts';

/**
 * `ttctl version --json`: what a report of a fault needs. Stands at the top, since `..` has to be the package in the source
 * as in what is built of it.
 */
export function getVersionInfo({ version, nodeVersion, platform }: Machine) {
  return {
    version,
    node: nodeVersion,
    platform,
    install_path: fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, ''),
  };
}
