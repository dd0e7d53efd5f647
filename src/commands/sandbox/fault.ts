import { pluralize } from '../../changes/run-summary.ts';
import { defineCommand, defineGroup } from '../../cli/command.ts';
import { UsageError } from '../../outcome.ts';
import { variadic } from '../flags.ts';
import { printLocalChange } from '../local-change.ts';
import { faultAdd } from './fault-add.ts';
import { faultList } from './fault-list.ts';
import { formatInspect, urlFlag } from './target.ts';

const parseFaultId = (text: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`"${text}" is not the number of a fault`, {
    hint: 'List them: ttctl sandbox fault list',
  });
};

const faultClear = defineCommand({
  path: 'sandbox fault clear',
  about: 'clear faults',
  examples: ['ttctl sandbox fault clear', 'ttctl sandbox fault clear 2 3'],
  prints: { shape: 'record', fields: ['cleared'] },
  exits: [7],
  positionals: [variadic('fault', 'numbers of faults (default: all)')],
  flags: [urlFlag],
  run: async (context, { targets, options }) => {
    const control = (await context.sandbox()).control(options.url);
    const cleared = await control.clearFaults({ ids: targets.map(parseFaultId) });
    const text = `${pluralize(cleared, ['fault was', 'faults were'])} cleared`;
    await printLocalChange(context, {
      record: { cleared },
      text,
      inspectLine: formatInspect('fault list', options),
    });
  },
});

/** `sandbox fault …` */
export const sandboxFault = defineGroup('sandbox fault', 'make calls of the sandbox fail on purpose', [
  faultAdd,
  faultList,
  faultClear,
]);
