interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The sandbox, and what runs a command line against it. */
export interface Program {
  readonly createSandbox: (options: object) => Promise<object>;
  readonly run: (
    args: readonly string[],
    options: { readonly env: Readonly<Record<string, string>>; readonly input?: string },
  ) => Promise<Ended>;
}

export interface RequestCase {
  readonly name: string;
}

export const cases: readonly RequestCase[];
export const most: (least: number) => number;
export interface Measured {
  readonly requests: number;
  readonly least: number;
  readonly stderr: string;
  /** `GET /members` of each request. */
  readonly routes: readonly string[];
}

export const measure: (program: Program, one: RequestCase) => Promise<Measured>;
