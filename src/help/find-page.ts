import { listSubcommands } from '../cli/command.ts';
import { loadNoun } from '../cli/registry.ts';
import type { HelpPage } from './page.ts';
import type { ProjectLinks } from './root-page.ts';
import { TOPICS } from './topics.ts';

/** The help of the program, a topic or a command by their exact names; `undefined` where there is none. */
export const findHelpPage = async (
  [first, ...verbs]: readonly string[],
  links: ProjectLinks,
): Promise<HelpPage | undefined> => {
  if (first === undefined) return (await import('./root-page.ts')).buildRootPage(links);
  const topic = TOPICS.find(({ name }) => name === first);
  if (topic !== undefined && verbs.length === 0) return topic.load();
  let node = await loadNoun({ path: first });
  for (const verb of verbs) node = node && listSubcommands(node).find(({ name }) => name === verb);
  return node && (await import('./command-page.ts')).buildCommandPage(node);
};
