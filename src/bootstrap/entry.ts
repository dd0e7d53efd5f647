import { print } from './print.ts';

/** What Node is started with. Says the version and help with few modules loaded; for the rest it starts the program. */

declare const __VERSION__: string;

answer(process.argv.slice(2)).then(async (text) => {
  if (text === undefined) return (await import('../main.ts')).start();
  print(text, (error) => {
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    process.stderr.write(`error: the output could not be written\n  ${error.message}\n`);
  });
});

async function answer(words: readonly string[]): Promise<string | undefined> {
  if (words.length === 1 && /^(--version|-V|version)$/.test(words[0] ?? '')) return `ttctl ${__VERSION__}\n`;
  const asksHelp = words.length === 0 || words[0] === 'help' || /^(--help|-h)$/.test(words.at(-1) ?? '');
  return asksHelp ? (await import('./help.ts')).renderHelp(words) : undefined;
}
