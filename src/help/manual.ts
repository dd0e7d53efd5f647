import { type CommandNode, isGroup, listCommands, type Program } from '../cli/command.ts';
import { NOUNS, ROOT } from '../cli/registry.ts';
import { resolveDirectories } from '../config/environment.ts';
import { VARIABLES } from '../config/variables.ts';
import { EXIT_MEANING } from '../outcome.ts';
import { buildCommandPage, buildCommandsSection } from './command-page.ts';
import {
  createProse,
  createSection,
  type HelpEntry,
  type HelpPage,
  type HelpSection,
  toSentence,
} from './page.ts';
import { renderRoffHeader, renderRoffPart, renderRoffSections } from './roff.ts';
import { buildNounSections, listGlobalFlagEntries } from './root-page.ts';
import { TOPICS } from './topics.ts';

/** The manual: `ttctl(1)`, one page for each noun, one in section 7 for each topic. Made of what help shows. */

const HOME = '/home/you';

const listFiles = (): readonly HelpEntry[] => {
  const { config = '', state = '' } = resolveDirectories({}, 'linux', HOME);
  const at = (path: string): string => path.replace(HOME, '~');
  return [
    [at(`${config}/settings.json`), 'profiles'],
    [at(`${config}/credentials.json`), 'tokens and client secrets; readable only by you'],
    [at(`${state}/`), 'jobs, deliveries, the rate ledger, the sandbox'],
  ];
};

const buildSynopsis = (...commands: readonly string[]): HelpSection =>
  createSection('Synopsis', { commands });

const buildSeeAlso = (names: readonly string[]): HelpSection => ({
  title: 'See also',
  blocks: [{ text: names.join(', ') }],
});

const nounPages = (): readonly string[] => NOUNS.map(({ name }) => `ttctl-${name}(1)`);
const topicPages = (): readonly string[] => TOPICS.map(({ name }) => `ttctl-${name}(7)`);

const joinLines = (parts: readonly string[]): string => `${parts.join('\n')}\n`;

const mainPage = (version: string): string =>
  joinLines([
    ...renderRoffHeader({ name: 'ttctl', section: 1, version, about: ROOT.about }),
    ...renderRoffSections([
      buildSynopsis('ttctl <noun> <verb> [targets...] [flags]', 'ttctl help [<noun> [<verb>] | <topic>]'),
      createSection('Description', {
        text: 'Covers the whole REST API of the service, for one record or many, in a terminal, a script or a CI pipeline. The profile sandbox runs the whole service inside the command, so that you can try it without an account.',
      }),
      ...buildNounSections(),
      createSection('Options', { entries: listGlobalFlagEntries() }),
      createSection('Environment', { entries: VARIABLES }),
      createSection('Exit status', {
        entries: Object.entries(EXIT_MEANING).map(([code, meaning]): HelpEntry => [code, meaning]),
      }),
      createSection('Files', { entries: listFiles() }),
      createSection('Examples', {
        commands: [
          'ttctl --profile sandbox timesheets list --status submitted',
          'ttctl --profile sandbox timesheets approve --all --period last-week --dry-run',
        ],
      }),
      buildSeeAlso([...nounPages(), ...topicPages()]),
    ]),
  ]);

/** The sections of a command without what its noun's page has for all of them. */
const buildPart = (command: CommandNode): HelpPage => {
  const { lead, sections } = buildCommandPage(command);
  return { lead, sections: sections.filter(({ title, blocks }) => title !== 'Usage' && !isFooter(blocks)) };
};

const isFooter = (blocks: HelpSection['blocks']): boolean =>
  blocks.some((block) => 'text' in block && block.text.startsWith('Every command also accepts'));

const nounPage = (noun: CommandNode, version: string): string => {
  const { name, about, aliases } = noun;
  const head = renderRoffHeader({ name: `ttctl-${name}`, section: 1, version, about });
  const seen = buildSeeAlso(['ttctl(1)', ...topicPages()]);
  const also = aliases.length === 0 ? [] : [createProse(`Also called: ${aliases.join(', ')}.`)];
  const description = createSection('Description', { text: toSentence(about) });
  if (!isGroup(noun)) {
    const verbs = (noun.verbs ?? []).flatMap((leaf) => renderRoffPart(`ttctl ${leaf.path}`, buildPart(leaf)));
    const details = verbs.length === 0 ? [] : ['.SH DETAILS', ...verbs];
    const { sections } = buildPart(noun);
    const usage = buildCommandPage(noun).sections.find(({ title }) => title === 'Usage');
    const synopses = usage === undefined ? [] : [{ ...usage, title: 'Synopsis' }];
    return joinLines([
      ...head,
      ...renderRoffSections([...synopses, description, ...sections]),
      ...details,
      ...renderRoffSections([seen]),
    ]);
  }
  return joinLines([
    ...head,
    ...renderRoffSections([
      buildSynopsis(`ttctl ${name} <command> [flags]`),
      description,
      ...also,
      buildCommandsSection(noun),
    ]),
    '.SH DETAILS',
    ...listCommands(noun).flatMap((leaf) => renderRoffPart(`ttctl ${leaf.path}`, buildPart(leaf))),
    ...renderRoffSections([seen]),
  ]);
};

const topicPage = (name: string, about: string, page: HelpPage, version: string): string =>
  joinLines([
    ...renderRoffHeader({ name: `ttctl-${name}`, section: 7, version, about }),
    ...renderRoffSections([
      createSection('Description', { text: page.lead }),
      ...page.sections,
      buildSeeAlso(['ttctl(1)', ...topicPages().filter((other) => other !== `ttctl-${name}(7)`)]),
    ]),
  ]);

/**
 * Every page by the name of its file.
 * @param version `ttctl 0.1.0`
 */
export const buildManual = async (
  program: Program,
  version: string,
): Promise<ReadonlyMap<string, string>> => {
  const pages = new Map([['ttctl.1', mainPage(version)]]);
  for (const noun of program.commands) pages.set(`ttctl-${noun.name}.1`, nounPage(noun, version));
  for (const { name, about, load } of TOPICS) {
    pages.set(`ttctl-${name}.7`, await topicPage(name, about, await load(), version));
  }
  return pages;
};
