/** The package brings no types. Only what `run.ts` uses. */
declare module 'jmespath' {
  const jmespath: {
    /** Throws on wrong syntax. */
    compile(expression: string): import('./run.ts').QueryNode;
  };
  // biome-ignore lint/style/noDefaultExport: the package is CommonJS
  export default jmespath;
}
