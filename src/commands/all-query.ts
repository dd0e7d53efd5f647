import type { Command, Option } from 'commander';
import type { Operation } from '../api/operation.ts';
import { placeFlags } from '../config/command-line.ts';
import type { Context } from '../context.ts';
import { shellWord } from '../notation/shell-word.ts';
import { UsageError } from '../outcome.ts';
import { ARCHIVED } from '../resources/resource.ts';
import { transitionOf } from '../resources/transitions.ts';
import { factsOf } from './command.ts';
import { FILTERS } from './filters.ts';

/** `--query` beside `--all`: whoever writes it means to choose records with it, and it would choose none. */

/** Of what is archived no state tells. */
const pastOf = ({ id }: Operation): string => transitionOf(id)?.transition.verb[1] ?? ARCHIVED;

type Settings = Context['settings'];

/** The options of the command line as it has them, but `--all`. */
const givenWords = (command: Command, isMeant: (option: Option) => boolean): readonly string[] =>
  command.options.flatMap((option) => {
    const name = option.attributeName();
    const isGiven = command.getOptionValueSource(name) === 'cli' && name !== 'all';
    if (!isGiven || !isMeant(option)) return [];
    const value: unknown = command.getOptionValue(name);
    const flag = option.long ?? '';
    if (typeof value === 'boolean') return [flag];
    return [value].flat().flatMap((one) => [flag, shellWord(String(one))]);
  });

/** The same in two steps: exactly what the list shows is acted on. */
const inTwoSteps = (command: Command, settings: Settings): string => {
  const { query, yes } = settings;
  const noun = command.parent?.name() ?? '';
  const {
    from,
    oneByOne: { list: lister, write: writer } = { list: `${noun} list`, write: `${noun} ${command.name()}` },
  } = factsOf(command);
  const isFilter = ({ helpGroupHeading: group }: Option): boolean => group === FILTERS;
  const isPlace = ({ long }: Option): boolean => long === '--project' || long === '--url';
  const place = placeFlags(settings).map(shellWord);
  const filters = givenWords(command, (option) => isFilter(option) || isPlace(option));
  const state = from === undefined || filters.includes('--status') ? [] : ['--status', from];
  const chosen = [...filters, ...state, '--query', shellWord(query?.value ?? ''), '--output ids'];
  const others = givenWords(command, (option) => !isFilter(option));
  const list = ['ttctl', lister, ...chosen, ...place].join(' ');
  const write = ['ttctl', writer, '-', ...others, ...(yes.value ? ['--yes'] : []), ...place];
  return `${list} | ${write.join(' ')}`;
};

/** @throws UsageError for a write over all that a list finds with a query */
export const checkAllQuery = (command: Command, settings: Settings): void => {
  if (settings.query === undefined || command.opts().all !== true) return;
  const { operation } = factsOf(command);
  if (operation?.method === 'GET') return;
  const done = operation === undefined ? 'done' : pastOf(operation);
  throw new UsageError(`--query changes what is printed, not what is ${done}`, {
    code: 'query_with_all',
    reason: 'With --all every record that the filters match is meant, whatever the query leaves out.',
    hint: `List the records that you mean, and name them: ${inTwoSteps(command, settings)}`,
  });
};
