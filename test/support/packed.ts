import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The package as it would be published, unpacked into the project of somebody who uses it. */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const run = promisify(execFile);

export interface Packed {
  /** Bytes of the archive. */
  readonly size: number;
  /** Paths in the package. */
  readonly files: readonly string[];
  /** Where the project is; `node_modules/ttctl` is in it. */
  readonly project: string;
  remove(): void;
}

/** What the project has beside ttctl: of this repository, since nothing is fetched. */
const NEIGHBOURS = ['vitest', '@types/node'];

interface Report {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** Packs what is built, and copies `folder` (of this repository) as the project. */
export const packInto = async (folder: string): Promise<Packed> => {
  const place = mkdtempSync(join(tmpdir(), 'ttctl-packed-'));
  const project = join(place, 'project');
  const installed = join(project, 'node_modules', 'ttctl');
  cpSync(join(ROOT, folder), project, { recursive: true });
  mkdirSync(installed, { recursive: true });
  const wish = ['pack', '--json', '--ignore-scripts', '--pack-destination', place];
  const [report] = JSON.parse((await run('npm', wish, { cwd: ROOT })).stdout) as Report[];
  if (report === undefined) throw new Error('npm packed nothing');
  await run('tar', ['-xzf', join(place, report.filename), '-C', installed, '--strip-components=1']);
  for (const name of NEIGHBOURS) {
    const link = join(project, 'node_modules', name);
    mkdirSync(join(link, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link, 'junction');
  }
  return {
    size: report.size,
    files: report.files.map(({ path }) => path),
    project,
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
};
