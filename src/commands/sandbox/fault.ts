import { UsageError } from '../../outcome.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { told } from '../planned.ts';
import { faultAdd } from './fault-add.ts';
import { faultList } from './fault-list.ts';
import { urlOf, withUrl } from './target.ts';

const idOf = (text: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is not the number of a fault`, {
    hint: 'See them: ttctl sandbox fault list',
  });
};

const faultClear = (door: Door) =>
  withUrl(
    localCommand('clear', 'take faults away: those named, or all', {
      examples: ['ttctl sandbox fault clear', 'ttctl sandbox fault clear 2 3'],
      prints: { shape: 'record', fields: ['cleared'] },
      exits: [7],
    }).argument('[fault...]', 'numbers of faults; none: all of them'),
  ).action(
    run(door, async ({ sandbox, output, settings }, targets, options) => {
      const plan = settings.dryRun.value;
      const cleared = await (await sandbox()).control(urlOf(options)).clearFaults(targets.map(idOf), plan);
      await output.record(...told(plan, { cleared }));
    }),
  );

/** `sandbox fault …` */
export const sandboxFault = (door: Door) =>
  localCommand('fault', 'calls of the sandbox that go wrong on purpose', { examples: [] })
    .addCommand(faultAdd(door))
    .addCommand(faultList(door))
    .addCommand(faultClear(door));
