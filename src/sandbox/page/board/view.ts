import type { SandboxControl } from '../../control.ts';
import type { RequestLimits } from '../../limits.ts';
import type { World } from '../../world.ts';
import type { Markup } from '../html.ts';
import { html } from '../html.ts';

/** What a view of the page is made from, and what it is. */

export interface ViewModel {
  readonly control: SandboxControl;
  readonly world: World;
  /** The sandbox's time, ms. */
  readonly now: number;
  readonly limits: RequestLimits | 'off';
  readonly query: ReadonlyMap<string, string>;
  /** What stands after `/_sandbox/view/<name>/`, decoded. */
  readonly rest: readonly string[];
  /** The address of this view, with its query. */
  readonly here: string;
  /** Whether who looks may act; without it there are no forms. */
  readonly acts: boolean;
  /** The word of the forms. */
  readonly word: string;
}

export interface View {
  readonly title: string;
  readonly body: Markup;
}

/** Undefined: there is no such thing. */
export type RenderView = (model: ViewModel) => Promise<View | undefined>;

interface FormOptions {
  /** In one line, beside others. */
  readonly inline?: true;
  /** Asked for before it is sent, where there is script. */
  readonly confirm?: string;
}

/** A form that does `/_sandbox/do/<act>` and comes back here; nothing where nobody may act. */
export const renderForm = (
  model: ViewModel,
  action: string,
  body: Markup,
  options: FormOptions = {},
): Markup => {
  if (!model.acts) return html``;
  const confirmation = options.confirm === undefined ? html`` : html` data-confirm="${options.confirm}"`;
  return html`<form method="post" action="/_sandbox/do/${action}" class="${options.inline ? 'inline' : 'act'}"${confirmation}>
<input type="hidden" name="word" value="${model.word}"><input type="hidden" name="back" value="${model.here}">
${body}</form>`;
};

/** A part of a view that is kept up to date where there is script. */
export const renderLive = (id: string, body: Markup): Markup =>
  html`<div id="${id}" data-live>\n${body}\n</div>`;

export const renderHiddenInput = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}">`;
