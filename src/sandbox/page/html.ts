/** HTML that is put together safely: what is interpolated is text unless it is markup already. */

export interface Markup {
  readonly markup: string;
}

type Part = string | number | Markup | readonly Markup[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** What would not be seen, or would steer the order of other text, becomes a visible replacement character. */
const INVISIBLE = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

const escapeText = (text: string): string =>
  text.replace(INVISIBLE, '\ufffd').replace(/[&<>"']/g, (letter) => ESCAPES[letter] ?? letter);

const renderPart = (part: Part): string => {
  if (typeof part === 'string') return escapeText(part);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
};

/** html`<b>${text}</b>` */
export const html = (literals: TemplateStringsArray, ...parts: readonly Part[]): Markup => ({
  markup: literals.map((literal, index) => literal + renderPart(parts[index] ?? '')).join(''),
});

/** Text of the program itself that needs no escaping: a style sheet. */
export const asMarkup = (markup: string): Markup => ({ markup });
