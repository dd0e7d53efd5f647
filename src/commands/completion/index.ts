import { type Command, defineCommand, type Group, type Noun } from '../../cli/command.ts';
import { SCRIPTS, type Script } from '../../completion/scripts.ts';

const NAMES: Readonly<Record<string, string>> = { powershell: 'PowerShell' };

const defineScriptCommand = ({ shell, text, install }: Script): Command =>
  defineCommand({
    path: `completion ${shell}`,
    about: `print the completion script for ${NAMES[shell] ?? shell}`,
    examples: [`ttctl completion ${shell}`],
    more: install.map(([location, line]) => ({ title: `Install ${location}`, commands: [line] })),
    prints: { shape: 'text', about: 'the completion script' },
    run: ({ output }) => output.text(text),
  });

/** `ttctl completion <shell>` */
export const completion = (noun: Noun): Group => ({ ...noun, commands: SCRIPTS.map(defineScriptCommand) });
