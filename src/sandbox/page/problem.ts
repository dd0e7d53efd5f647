import type { SandboxResponse } from '../exchange.ts';
import { createCardResponse } from './frame.ts';
import { html } from './html.ts';

/**
 * A page that says what is wrong, where nothing else can be done.
 * @param facts what was sent and what was expected, shown as they are
 */
export const renderProblemPage = (
  status: number,
  reason: string,
  facts: readonly (readonly [name: string, value: string])[],
): SandboxResponse => {
  const rows = facts.map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`);
  const list = rows.length === 0 ? html`` : html`<dl>${rows}</dl>`;
  return createCardResponse(status, {
    title: 'Authorization failed',
    body: html`<h1>Authorization failed</h1>
<p>${reason}</p>
${list}
<p class="soft">Nothing was approved. List the applications with <code>ttctl sandbox app list</code>.</p>`,
  });
};
