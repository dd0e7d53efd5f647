import { isGroup, leavesOf, type Node, type Program } from '../cli/command.ts';
import { NOUNS, ROOT } from '../cli/registry.ts';
import { directories } from '../config/paths.ts';
import { VARIABLES } from '../config/variables.ts';
import { EXIT_MEANING } from '../outcome.ts';
import { commandPage, commandsSection } from './command-page.ts';
import { type Entry, type Page, prose, type Section, sentence, titled } from './page.ts';
import { headRoff, partRoff, sectionsRoff } from './roff.ts';
import { globalFlags, nounSections } from './root-page.ts';
import { TOPICS } from './topics.ts';

/** The manual: `ttctl(1)`, one page for each noun, one in section 7 for each topic. Made of what help shows. */

const HOME = '/home/you';

const files = (): readonly Entry[] => {
  const { config = '', state = '' } = directories({}, 'linux', HOME);
  const at = (path: string): string => path.replace(HOME, '~');
  return [
    [at(`${config}/settings.json`), 'profiles'],
    [at(`${config}/credentials.json`), 'tokens and client secrets; readable only by you'],
    [at(`${state}/`), 'jobs, deliveries, the rate ledger, the sandbox'],
  ];
};

const synopsis = (...commands: readonly string[]): Section => titled('Synopsis', { commands });

const pagesSeen = (names: readonly string[]): Section => ({
  title: 'See also',
  blocks: [{ text: names.join(', ') }],
});

const nounPages = (): readonly string[] => NOUNS.map(({ name }) => `ttctl-${name}(1)`);
const topicPages = (): readonly string[] => TOPICS.map(({ name }) => `ttctl-${name}(7)`);

const lines = (parts: readonly string[]): string => `${parts.join('\n')}\n`;

const mainPage = (version: string): string =>
  lines([
    ...headRoff({ name: 'ttctl', section: 1, version, about: ROOT.about }),
    ...sectionsRoff([
      synopsis('ttctl <noun> <verb> [targets...] [flags]', 'ttctl help [<noun> [<verb>] | <topic>]'),
      titled('Description', {
        text: 'Covers the whole REST API of the service, for one record or many, in a terminal, a script or a CI pipeline. The profile sandbox runs the whole service inside the command, so that you can try it without an account.',
      }),
      ...nounSections(),
      titled('Options', { entries: globalFlags() }),
      titled('Environment', { entries: VARIABLES }),
      titled('Exit status', {
        entries: Object.entries(EXIT_MEANING).map(([code, meaning]): Entry => [code, meaning]),
      }),
      titled('Files', { entries: files() }),
      titled('Examples', {
        commands: [
          'ttctl --profile sandbox timesheets list --status submitted',
          'ttctl --profile sandbox timesheets approve --all --period last-week --dry-run',
        ],
      }),
      pagesSeen([...nounPages(), ...topicPages()]),
    ]),
  ]);

/** The sections of a command without what its noun's page has for all of them. */
const partOf = (command: Node): Page => {
  const { lead, sections } = commandPage(command);
  return { lead, sections: sections.filter(({ title, blocks }) => title !== 'Usage' && !isFooter(blocks)) };
};

const isFooter = (blocks: Section['blocks']): boolean =>
  blocks.some((block) => 'text' in block && block.text.startsWith('Every command also accepts'));

const nounPage = (noun: Node, version: string): string => {
  const { name, about, aliases } = noun;
  const head = headRoff({ name: `ttctl-${name}`, section: 1, version, about });
  const seen = pagesSeen(['ttctl(1)', ...topicPages()]);
  const also = aliases.length === 0 ? [] : [prose(`Also called: ${aliases.join(', ')}.`)];
  const description = titled('Description', { text: sentence(about) });
  if (!isGroup(noun)) {
    const { sections } = partOf(noun);
    const usage = commandPage(noun).sections.find(({ title }) => title === 'Usage');
    const synopses = usage === undefined ? [] : [{ ...usage, title: 'Synopsis' }];
    return lines([...head, ...sectionsRoff([...synopses, description, ...sections, seen])]);
  }
  return lines([
    ...head,
    ...sectionsRoff([
      synopsis(`ttctl ${name} <command> [flags]`),
      description,
      ...also,
      commandsSection(noun),
    ]),
    '.SH DETAILS',
    ...leavesOf(noun).flatMap((leaf) => partRoff(`ttctl ${leaf.path}`, partOf(leaf))),
    ...sectionsRoff([seen]),
  ]);
};

const topicPage = (name: string, about: string, page: Page, version: string): string =>
  lines([
    ...headRoff({ name: `ttctl-${name}`, section: 7, version, about }),
    ...sectionsRoff([
      titled('Description', { text: page.lead }),
      ...page.sections,
      pagesSeen(['ttctl(1)', ...topicPages().filter((other) => other !== `ttctl-${name}(7)`)]),
    ]),
  ]);

/**
 * Every page by the name of its file.
 * @param version `ttctl 0.1.0`
 */
export const manual = async (program: Program, version: string): Promise<ReadonlyMap<string, string>> => {
  const pages = new Map([['ttctl.1', mainPage(version)]]);
  for (const noun of program.commands) pages.set(`ttctl-${noun.name}.1`, nounPage(noun, version));
  for (const { name, about, load } of TOPICS) {
    pages.set(`ttctl-${name}.7`, await topicPage(name, about, await load(), version));
  }
  return pages;
};
