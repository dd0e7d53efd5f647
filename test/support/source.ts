import { parseAst } from 'vitest/node';

/** The tests that stand in a source, read and not run: what they are called, whether they run, whether they judge. */

export interface Standing {
  /** As the source has it, without its quotes. */
  readonly title: string;
  /** The titles of the groups that it stands in, the outermost first. */
  readonly groups: readonly string[];
  /** Skipped, to be done, or expected to fail: itself, or what it stands in. */
  readonly idle: boolean;
  /** Run only where the machine has what it needs. */
  readonly conditional: boolean;
  /** Whether it expects anything; of a group: whether a test in it that runs does. */
  readonly judges: boolean;
}

/** A node of the tree, of which only some members are known. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string';

const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

function* within(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* within(child);
}

/** `['it', 'skipIf']` of `it.skipIf(x)`, and of what that gives when it is called. */
const chainOf = (callee: Node): readonly string[] => {
  if (callee.type === 'Identifier') return [String(callee.name)];
  if (callee.type === 'MemberExpression')
    return [...chainOf(callee.object as Node), String((callee.property as Node).name)];
  if (callee.type === 'CallExpression') return chainOf(callee.callee as Node);
  return callee.type === 'TaggedTemplateExpression' ? chainOf(callee.tag as Node) : [];
};

const argumentsOf = (call: Node): readonly Node[] => call.arguments as readonly Node[];

const isFunction = ({ type }: Node): boolean => /^(Arrow)?Function/.test(type);

/** What the names of a source stand for; `undefined` for what is imported from another. */
const namesIn = (program: Node): ReadonlyMap<string, Node | undefined> => {
  const found = new Map<string, Node | undefined>();
  for (const node of within(program)) {
    if (node.type === 'ImportSpecifier') found.set(String((node.local as Node).name), undefined);
    if (node.type === 'FunctionDeclaration') found.set(String((node.id as Node).name), node);
    if (node.type === 'VariableDeclarator' && isNode(node.init) && isNode(node.id))
      found.set(String(node.id.name), node.init);
  }
  return found;
};

type Names = ReturnType<typeof namesIn>;

/** `expect(…)`, what a property is held to, or a fault that is thrown. */
const isVerdict = (node: Node): boolean => {
  if (node.type === 'ThrowStatement') return true;
  const chain = node.type === 'CallExpression' ? chainOf(node.callee as Node) : [];
  return chain[0] === 'expect' || chain.join('.') === 'fc.assert';
};

/** Whether what is done there comes to a verdict, by way of functions of the same source too. */
const judging = (names: Names) => {
  const judges = (node: Node, seen: ReadonlySet<Node> = new Set()): boolean => {
    if (seen.has(node)) return false;
    const next = new Set([...seen, node]);
    const parts = [...within(node)];
    if (parts.some(isVerdict)) return true;
    // Functions of the source, called or handed on.
    const named = parts.flatMap(({ type, name }) => (type === 'Identifier' ? names.get(String(name)) : []));
    return named.some((one) => one !== undefined && judges(one, next));
  };
  return judges;
};

const IDLE = new Set(['skip', 'todo', 'fails']);
const CONDITIONAL = new Set(['skipIf', 'runIf']);
const GROUPS = new Set(['describe', 'suite']);
const TESTS = new Set(['it', 'test']);

/** The chain of what is called; `const inBrowser = describe.skipIf(…)` is one too. */
const calledAs = (node: Node, names: Names): readonly string[] => {
  if (node.type !== 'CallExpression') return [];
  const chain = chainOf(node.callee as Node);
  const alias = names.get(chain[0] ?? '');
  return alias === undefined ? chain : [...chainOf(alias), ...chain.slice(1)];
};

/** `group` or `test`; one that another source makes is run where that says so. */
const kindOf = (root: string, node: Node, names: Names): 'group' | 'test' | 'made' | undefined => {
  if (GROUPS.has(root)) return 'group';
  if (TESTS.has(root)) return 'test';
  const work = names.has(root) ? argumentsOf(node).at(-1) : undefined;
  return work !== undefined && isFunction(work) ? 'made' : undefined;
};

type State = Pick<Standing, 'groups' | 'idle' | 'conditional'>;

/** @param source TypeScript */
export const testsIn = (source: string): readonly Standing[] => {
  const program = parseAst(source, { lang: 'ts' }) as unknown as Node;
  const names = namesIn(program);
  const judges = judging(names);
  const titleOf = (node: Node | undefined): string | undefined => {
    if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
    return node?.type === 'TemplateLiteral' ? source.slice(node.start + 1, node.end - 1) : undefined;
  };
  const visit = (node: Node, state: State): Standing[] => {
    const [root = '', ...more] = calledAs(node, names);
    const kind = kindOf(root, node, names);
    const [first, ...others] = kind === undefined ? [] : argumentsOf(node);
    const title = titleOf(first);
    if (title === undefined) return childrenOf(node).flatMap((child) => visit(child, state));
    const own = {
      groups: state.groups,
      idle: state.idle || more.some((name) => IDLE.has(name)),
      conditional: state.conditional || kind === 'made' || more.some((name) => CONDITIONAL.has(name)),
    };
    const inside = others.flatMap((child) => visit(child, { ...own, groups: [...own.groups, title] }));
    const work = others.find((child) => isFunction(child) || child.type === 'Identifier');
    const tells = inside.some((one) => one.judges && !one.idle);
    const judged = tells || (kind !== 'group' && work !== undefined && judges(work));
    return [{ title, ...own, judges: judged }, ...inside];
  };
  return visit(program, { groups: [], idle: false, conditional: false });
};
