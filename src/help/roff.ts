import type { HelpBlock, HelpPage, HelpSection } from './page.ts';
import { INDENT, wrapCommand } from './text.ts';

/** Sets pages for `man`, in the macros that every `man` knows. */

/** A backslash, a line that begins like a macro, and dashes and quotes that are to be copied as they are. */
const escapeRoff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('\u00a0', '\\ ')
    .replace(/^\./gm, '\\&.')
    .replace(
      /[^\0-\x7f]/gu,
      (letter) => `\\[u${letter.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    );

/** Of the 80 columns what `man` and `.RS 4` leave, and our own indent, which is taken off. */
const ROOM = 80 - 7 - 4 - 1 + INDENT;

const quoteRoff = (text: string): string => `"${escapeRoff(text).replaceAll('"', '\\(dq')}"`;

const renderBlock = (block: HelpBlock): string[] => {
  if ('text' in block) return ['.PP', escapeRoff(block.text)];
  if ('entries' in block) {
    return block.entries.flatMap(([term, about]) => [
      '.TP',
      `\\fB${escapeRoff(term.trim())}\\fR`,
      escapeRoff(about),
    ]);
  }
  // Not filled: broken here, where a shell reads on.
  const lines = block.commands.flatMap((command) =>
    wrapCommand(command, ROOM).map((line) => line.slice(INDENT)),
  );
  return ['.PP', '.RS 4', '.nf', ...lines.map(escapeRoff), '.fi', '.RE'];
};

/** A macro that begins a paragraph right after a heading would leave an empty one. */
const renderBody = (blocks: readonly HelpBlock[]): string[] => {
  const lines = blocks.flatMap(renderBlock);
  const first = lines[0] === '.PP' ? lines.slice(1) : lines;
  return first[0] === '.RS 4' ? ['.RS 0', ...first.slice(1)] : first;
};

const renderSection = ({ title, blocks }: HelpSection, macro: '.SH' | '.SS'): string[] => [
  ...(title === undefined
    ? ['.PP']
    : [`${macro} ${quoteRoff(macro === '.SH' ? title.toUpperCase() : title)}`]),
  ...renderBody(blocks),
];

/** The sections of a page below a heading of its own: a command within the manual of its noun. */
export const renderRoffPart = (title: string, page: HelpPage): string[] => [
  `.SS ${quoteRoff(title)}`,
  escapeRoff(page.lead),
  ...page.sections.flatMap(({ title: name, blocks }) => [
    ...(name === undefined ? [] : ['.PP', `\\fB${escapeRoff(name)}\\fR`]),
    ...blocks.flatMap(renderBlock),
  ]),
];

export const renderRoffSections = (sections: readonly HelpSection[]): string[] =>
  sections.flatMap((section) => renderSection(section, '.SH'));

export interface RoffHeader {
  /** `ttctl-members` */
  readonly name: string;
  /** 1: commands, 7: topics. */
  readonly section: 1 | 7;
  /** `ttctl 0.1.0` */
  readonly version: string;
  /** Lower-case phrase. */
  readonly about: string;
}

/** The first lines of a manual page. No date: the same source gives the same bytes. */
export const renderRoffHeader = ({ name, section, version, about }: RoffHeader): string[] => [
  `.TH ${quoteRoff(name.toUpperCase())} ${section} "" ${quoteRoff(version)} "ttctl manual"`,
  // Words are neither broken nor spread: flags are copied from here.
  '.nh',
  '.ad l',
  '.SH NAME',
  `${escapeRoff(name)} \\- ${escapeRoff(about)}`,
];
