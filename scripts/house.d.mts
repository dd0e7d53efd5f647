/** Every measure as the list of what it counts; `imports` are all there are; `characters`, `files` and `lines` are numbers. */
export interface SourceMeasures {
  readonly names: readonly string[];
  readonly commander: readonly string[];
  readonly weak: readonly string[];
  /** Calls whose arguments are spread. */
  readonly spread: readonly { readonly callee: string; readonly place: string }[];
  readonly functions: readonly string[];
  readonly small: readonly string[];
  readonly cycles: readonly string[];
  readonly dynamic: readonly string[];
  /** Paths below src; a package, or `node:…`. */
  readonly imports: readonly {
    readonly from: string;
    readonly to: string;
    readonly dynamic: boolean;
    readonly typeOnly: boolean;
  }[];
  readonly characters: number;
  readonly files: number;
  readonly lines: number;
}

export const measureSources: () => SourceMeasures;
