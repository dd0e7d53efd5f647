import type { Machine } from '../platform/machine.ts';
import type { PeopleStyle } from './cell.ts';
import type { Confirmation, PickedRecord, PickOptions, TextQuestion } from './questions.ts';

export interface PrompterOptions {
  readonly machine: Machine;
  readonly enabled: boolean;
  readonly style: () => PeopleStyle;
  readonly hold?: () => () => void;
}

/**
 * Questions at a terminal, on stderr. Every one has a flag that answers it. Each rejects with `Cancelled` at Ctrl-C
 * (130), Ctrl-D and a closed input (9). What they need is loaded with the first one.
 */
export class Prompter {
  readonly #options: PrompterOptions;

  constructor(options: PrompterOptions) {
    this.#options = options;
  }

  /** Whether a person can be asked: stdin and stderr are terminals, no `CI`, no `--no-input`. */
  get available(): boolean {
    const { enabled, machine } = this.#options;
    return enabled && machine.stderr.isTTY && machine.stdin.isTTY === true;
  }

  async confirm(confirmation: Confirmation): Promise<boolean> {
    return (await this.#load()).confirm(this.#open(), confirmation);
  }

  async secret(message: string): Promise<string> {
    return (await this.#load()).askSecret(this.#open(), message);
  }

  async text(message: string, question: TextQuestion = {}): Promise<string> {
    return (await this.#load()).askText(this.#open(), message, question);
  }

  async choose(message: string, choices: readonly string[]): Promise<string> {
    return (await this.#load()).choose(this.#open(), message, choices);
  }

  async pick(picking: PickOptions): Promise<readonly PickedRecord[]> {
    return (await this.#load()).pick(this.#open(), picking);
  }

  #load() {
    return import('./questions.ts');
  }

  #open() {
    const { machine, style, hold } = this.#options;
    const { stdin, stderrStream: stderr, clock, interrupted: signal, interrupt } = machine;
    const sleep = (ms: number) => clock.sleep(ms);
    return { stdin, stderr, sleep, style: style(), signal, interrupt, ...(hold && { hold }) };
  }
}
