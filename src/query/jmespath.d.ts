/** The package brings no types. Only what `run.ts` uses. */
declare module 'jmespath' {
  interface Node {
    readonly type: string;
    readonly name?: unknown;
    readonly children?: unknown;
    readonly value?: unknown;
  }
  const jmespath: {
    /** Throws on wrong syntax. */
    compile(expression: string): Node;
  };
  // biome-ignore lint/style/noDefaultExport: the package is CommonJS
  export default jmespath;
}
