/** What a person was asked in this run, as the words of a command line that would have said it. */
export interface PromptedAnswers {
  /** Flags with their values: `--project`, `12`. */
  addFlags(words: readonly string[]): void;
  /** Targets and other positionals. */
  addOperands(words: readonly string[]): void;
  /** The workspace was chosen for this run alone. */
  setWorkspace(id: number): void;
  readonly chosen: number | undefined;
  /** A confirmation was answered with yes. */
  addConfirmation(): void;
  /** The command line that needs no question; `undefined` where none was asked but for confirmations. */
  buildLine(args: readonly string[]): readonly string[] | undefined;
}

/** Words after `--` are never flags. */
const joinLine = (
  args: readonly string[],
  operands: readonly string[],
  flags: readonly string[],
): readonly string[] => {
  const end = args.indexOf('--');
  if (end >= 0) return [...args.slice(0, end), ...flags, ...args.slice(end), ...operands];
  if (operands.some((word) => word.startsWith('-'))) return [...args, ...flags, '--', ...operands];
  return [...args, ...operands, ...flags];
};

export const createPromptedAnswers = (): PromptedAnswers => {
  const [flags, operands]: [string[], string[]] = [[], []];
  let yes = false;
  let chosen: number | undefined;
  return {
    setWorkspace(id) {
      chosen = id;
      flags.push('--workspace', String(id));
    },
    get chosen() {
      return chosen;
    },
    addFlags(words) {
      for (const word of words) flags.push(word);
    },
    addOperands(words) {
      for (const word of words) operands.push(word);
    },
    addConfirmation() {
      yes = true;
    },
    buildLine(args) {
      if (flags.length + operands.length === 0) return undefined;
      return joinLine(args, operands, yes ? [...flags, '--yes'] : flags);
    },
  };
};
