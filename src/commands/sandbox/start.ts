import type { ServeOptions } from '../../context.ts';
import { UsageError } from '../../outcome.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const wishOf = (options: Readonly<Record<string, unknown>>): ServeOptions => {
  const port = Number(options.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`--port: "${options.port}" is not a port`);
  const [state, seed, dialect] = [text(options.state), text(options.seed), text(options.dialect)];
  return {
    port,
    ...(state === undefined ? {} : { state }),
    ...(seed === undefined ? {} : { seed }),
    ...(dialect === undefined ? {} : { dialect }),
    ...(options.limits === false ? { limits: 'off' } : {}),
  };
};

/** The same wish as flags, for the process that serves. */
const flagsOf = ({ port, state, seed, dialect, limits }: ServeOptions): string[] => [
  `--port=${port}`,
  ...(state === undefined ? [] : [`--state=${state}`]),
  ...(seed === undefined ? [] : [`--seed=${seed}`]),
  ...(dialect === undefined ? [] : [`--dialect=${dialect}`]),
  ...(limits === undefined ? [] : ['--no-limits']),
];

export const sandboxStart = (door: Door) =>
  localCommand('start', 'serve a sandbox on 127.0.0.1 until it is stopped', {
    examples: ['ttctl sandbox start', 'ttctl sandbox start --port 0 --seed month-end --detach --json'],
  })
    .option('--port <n>', 'port to listen on; 0 for any free one', '4747')
    .option('--state <file>', 'keep the state in this file; without it, in memory')
    .option('--seed <name>', 'begin with a seed (demo, agency, month-end, messy, big, empty) or a seed file')
    .option(
      '--dialect <choices>',
      'answer as other generations of the service do: pagination=top,created=200',
    )
    .option('--no-limits', 'keep no rate limits')
    .option('--detach', 'serve in the background')
    .action(
      run(door, async ({ sandbox, output, settings }, _targets, options) => {
        const desk = await sandbox();
        const wish = wishOf(options);
        const json = settings.output.value === 'json';
        const tell = (place: object & { readonly base_url: string; readonly pid: number }) =>
          output.text(
            json ? JSON.stringify(place) : `sandbox ready at ${place.base_url} (process ${place.pid})`,
          );
        if (options.detach === true) return tell(await desk.detach(flagsOf(wish)));
        await desk.serve(wish, tell);
      }),
    );
