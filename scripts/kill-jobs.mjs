// Kills bulk runs, and commands that renew a sign-in, at random instants and many times: `npm run test:kills [kills]`
// (1,000).
// A failure names its seed: TTCTL_SEED=<seed> npm run test:kills 12
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const kills = process.argv[2] ?? '1000';
if (!/^[1-9]\d*$/.test(kills)) {
  console.error(`"${kills}" is no number of kills`);
  process.exitCode = 2;
} else {
  const build = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  const { status } =
    build.status === 0
      ? spawnSync('npx', ['vitest', 'run', 'test/jobs-kill.test.ts', 'test/auth/renewal-killed.test.ts'], {
          cwd: root,
          stdio: 'inherit',
          env: { ...process.env, TTCTL_KILLS: kills },
        })
      : build;
  process.exitCode = status ?? 1;
}
