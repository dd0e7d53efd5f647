import { plural } from '../../bulk/tally.ts';
import { UsageError } from '../../outcome.ts';
import { type Door, run } from '../../run.ts';
import { localCommand } from '../command.ts';
import { tellChange } from '../planned.ts';
import { faultAdd } from './fault-add.ts';
import { faultList } from './fault-list.ts';
import { lookAt, urlOf, withUrl } from './target.ts';

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
    run(door, async (context, targets, options) => {
      const control = (await context.sandbox()).control(urlOf(options));
      const cleared = await control.clearFaults({
        ids: targets.map(idOf),
        plan: context.settings.dryRun.value,
      });
      const text = `${plural(cleared, ['fault was', 'faults were'])} taken away`;
      await tellChange(context, { record: { cleared }, text, look: lookAt('fault list', options) });
    }),
  );

/** `sandbox fault …` */
export const sandboxFault = (door: Door) =>
  localCommand('fault', 'calls of the sandbox that go wrong on purpose', { examples: [] })
    .addCommand(faultAdd(door))
    .addCommand(faultList(door))
    .addCommand(faultClear(door));
