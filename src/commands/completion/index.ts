import type { Command } from 'commander';
import { SCRIPTS, type Script } from '../../completion/scripts.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';

const NAMES: Readonly<Record<string, string>> = { powershell: 'PowerShell' };

const printing = (door: Door, { shell, text, install }: Script): Command =>
  localCommand(shell, `print the script that completes command lines in ${NAMES[shell] ?? shell}`, {
    examples: [`ttctl completion ${shell}`],
    more: install.map(([place, line]) => ({ title: `Install ${place}`, commands: [line] })),
    prints: { shape: 'text', about: 'the script' },
  }).action(run(door, ({ output }) => output.text(text)));

/** `ttctl completion <shell>` */
export const completion = (group: Command, door: Door): Command => {
  for (const script of SCRIPTS) group.addCommand(printing(door, script));
  return group;
};
