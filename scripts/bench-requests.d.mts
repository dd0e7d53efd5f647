/** The sandbox, and what runs a command line against it. */
export interface Program {
  readonly createSandbox: (options: object) => Promise<object>;
  readonly run: (
    args: readonly string[],
    options: { readonly env: Readonly<Record<string, string>>; readonly input?: string },
  ) => Promise<{ readonly exit: number | null; readonly stdout: string; readonly stderr: string }>;
}

export const cases: readonly { readonly name: string }[];
export const most: (least: number) => number;

/** @returns `routes`: `GET /members` of each request */
export const measure: (
  program: Program,
  one: { readonly name: string },
) => Promise<Record<'requests' | 'least', number> & { readonly stderr: string; readonly routes: string[] }>;
