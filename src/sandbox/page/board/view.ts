import type { SandboxControl } from '../../control.ts';
import type { Limits } from '../../limits.ts';
import type { World } from '../../world.ts';
import type { Markup } from '../html.ts';
import { html } from '../html.ts';

/** What a view of the page is made from, and what it is. */

export interface Scene {
  readonly control: SandboxControl;
  readonly world: World;
  /** The sandbox's time, ms. */
  readonly now: number;
  readonly limits: Limits | 'off';
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
export type Show = (scene: Scene) => Promise<View | undefined>;

interface FormLook {
  /** In one line, beside others. */
  readonly inline?: true;
  /** Asked for before it is sent, where there is script. */
  readonly confirm?: string;
}

/** A form that does `/_sandbox/do/<act>` and comes back here; nothing where nobody may act. */
export const form = (scene: Scene, act: string, body: Markup, look: FormLook = {}): Markup => {
  if (!scene.acts) return html``;
  const ask = look.confirm === undefined ? html`` : html` data-confirm="${look.confirm}"`;
  return html`<form method="post" action="/_sandbox/do/${act}" class="${look.inline ? 'inline' : 'act'}"${ask}>
<input type="hidden" name="word" value="${scene.word}"><input type="hidden" name="back" value="${scene.here}">
${body}</form>`;
};

/** A part of a view that is kept up to date where there is script. */
export const live = (id: string, body: Markup): Markup => html`<div id="${id}" data-live>\n${body}\n</div>`;

export const hidden = (name: string, value: string): Markup =>
  html`<input type="hidden" name="${name}" value="${value}">`;
