/** An underscore within a word is no markup. */
const MARKUP = /[\\|`*~[\]<]|(?<!\w)_|_(?!\w)/g;

/** What GitHub and others make a link or a mention of, however it is escaped: addresses, `@name`. */
const LIVE = /(?:(?<![a-z0-9])www\.|[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s`|]+|(?<![a-z0-9])@[a-z0-9][\w./-]*/gi;

/**
 * A text as Markdown that shows exactly this text. Addresses and mentions become code: nothing else keeps them from being
 * live, and they can still be copied.
 */
export function escapeMarkdown(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { 0: live, index } of text.matchAll(LIVE)) {
    parts.push(escapeMarkup(text.slice(done, index)), `\`${live}\``);
    done = index + live.length;
  }
  return parts.join('') + escapeMarkup(text.slice(done));
}

function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replace(MARKUP, '\\$&');
}
