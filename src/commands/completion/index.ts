import { type Command, defineCommand, type Group, type Noun } from '../../cli/command.ts';
import { SCRIPTS, type Script } from '../../completion/shells.ts';

const NAMES: Readonly<Record<string, string>> = { powershell: 'PowerShell' };

export function completion(noun: Noun): Group {
  return { ...noun, commands: SCRIPTS.map(defineScriptCommand) };
}

function defineScriptCommand({ shell, text, install }: Script): Command {
  return defineCommand({
    path: `completion ${shell}`,
    about: `print the completion script for ${NAMES[shell] ?? shell}`,
    examples: [`ttctl completion ${shell}`],
    more: install.map(([location, line]) => ({ title: `Install ${location}`, commands: [line] })),
    prints: { shape: 'text', about: 'the completion script' },
    run: ({ output }) => output.text(text),
  });
}
