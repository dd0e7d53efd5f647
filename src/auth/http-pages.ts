/** The pages that a person sees in the browser at the end of a sign-in. No scripts, nothing fetched. */

export interface HttpPage {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

const STYLE = [
  ':root{color-scheme:light dark}',
  'body{margin:0;min-height:100vh;display:grid;place-items:center;font:1rem/1.5 system-ui,sans-serif}',
  'main{max-width:32rem;padding:2rem}',
  'h1{font-size:1.5rem;margin:0 0 .5rem}',
  'p{margin:0 0 .5rem;overflow-wrap:anywhere}',
].join('');

/** The address of a page may be a code: it is neither cached nor sent as a referrer. */
const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  connection: 'close',
} as const;

/** A whole page. The texts are escaped here. */
const renderHttpPage = (status: number, title: string, lines: readonly string[]): HttpPage => {
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`).join('\n');
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · ttctl</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${paragraphs}
</main>
</body>
</html>
`;
  const policy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return {
    status,
    headers: { ...HEADERS, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
    body,
  };
};

/** Leads away from the address that has the code in it. */
export const redirectTo = (path: string): HttpPage => ({
  status: 303,
  headers: { ...HEADERS, location: path },
  body: '',
});

export const renderSignedInPage = (): HttpPage =>
  renderHttpPage(200, 'Signed in', ['You can close this window and return to the terminal.']);

export const renderDeniedPage = (reason: string): HttpPage =>
  renderHttpPage(200, 'Not signed in', [
    `The service said: ${reason}`,
    'You can close this window. See the terminal for how to try again.',
  ]);

export const renderFailedPage = (reason: string): HttpPage =>
  renderHttpPage(200, 'Not signed in', [reason, 'You can close this window. See the terminal for details.']);

export const renderRefusedPage = (status: number, reason: string): HttpPage =>
  renderHttpPage(status, 'Not accepted', [reason, 'ttctl is still waiting for its own sign-in.']);
