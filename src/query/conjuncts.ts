/** The parts of a condition that all have to be true, so that somebody can be told which of them is not. */

const TOKEN = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|&&|\|\||[()[\]{}]/gs;

/** `a && (b || c)` → `a`, `(b || c)`; the whole text where a part of it is enough. */
export const splitConjuncts = (text: string): readonly string[] => {
  const cuts: number[] = [];
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if ('([{'.includes(token)) depth += 1;
    else if (')]}'.includes(token)) depth -= 1;
    else if (depth > 0) continue;
    else if (token === '||') return [text];
    else if (token === '&&') cuts.push(index);
  }
  return [-2, ...cuts].map((cut, i) => text.slice(cut + 2, cuts[i]).trim());
};
