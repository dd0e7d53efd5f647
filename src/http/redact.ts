import { isRecord } from '../json.ts';

export type Redactor = ReturnType<typeof createRedactor>;

/** @param env its secrets (`TTCTL_TOKEN`, `TTCTL_CLIENT_SECRET` …) are registered */
export function createRedactor(env: Readonly<Record<string, string | undefined>> = {}) {
  const forms = new Set<string>();
  /** From now on this value is masked wherever it appears. Below 6 characters it is ignored. */
  function register(secret: string): void {
    if (secret.length < MIN_SECRET_LENGTH) return;
    const inUrl = encodeURIComponent(Buffer.from(secret).toString());
    const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
    const inJson = JSON.stringify(secret).slice(1, -1);
    for (const form of [secret, inUrl, inForm, inJson]) forms.add(form);
  }
  /**
   * Masks registered values (as they are, as in URLs and forms, as in JSON), `Bearer` and `Basic` credentials,
   * passwords in URLs, and the values of secret keys in JSON and queries.
   */
  function text(given: string): string {
    return maskPatterns([...forms].sort((a, b) => b.length - a.length).reduce(maskForm, given));
  }
  /** Masks the values of secret keys at any depth, and every text in it. `null` stays. Does not change its argument. */
  function json(value: unknown): unknown {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (!isRecord(value)) return value;
    const mask = (key: string, inner: unknown): unknown =>
      isSecretName(key) && inner !== null && inner !== undefined ? MASK : json(inner);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [text(key), mask(key, inner)]));
  }
  /** The value of a header, masked: of `authorization` the scheme stays. */
  function header(name: string, value: string): string {
    if (!isSecretName(name)) return text(value);
    const scheme = /authorization$/i.test(name) ? /^(?:bearer|basic|digest) /i.exec(value)?.[0] : undefined;
    return `${scheme ?? ''}${MASK}`;
  }
  for (const [name, value] of Object.entries(env))
    if (name.startsWith('TTCTL_') && isSecretKey(name)) register(value ?? '');
  return { register, text, json, header };
}

const MASK = '***';
const MIN_SECRET_LENGTH = 6;

/** `code` and `state` are secret in queries and bodies; in the text of an error they are words. */
function isSecretName(key: string): boolean {
  return isSecretKey(key) || listKeyParts(key).some((part) => part === 'code' || part === 'state');
}

/** Masks a secret, also one whose end is cut off with `…`. */
function maskForm(text: string, form: string): string {
  const head = form.slice(0, MIN_SECRET_LENGTH);
  const parts: string[] = [];
  let done = 0;
  for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, Math.max(at + 1, done))) {
    let end = at + head.length;
    while (end - at < form.length && text[end] === form[end - at]) end += 1;
    if (end - at < form.length && text[end] !== '…') continue;
    parts.push(text.slice(done, at), MASK);
    done = end;
  }
  return parts.join('') + text.slice(done);
}

/** Secrets that nobody registered: "a valid Bearer token." is none. */
function maskPatterns(text: string): string {
  return text
    .replace(/\b(Bearer|Basic) +(?!tokens?[.,]?(?:["'\s]|$))[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${MASK}`)
    .replace(
      /("([\w.%[\]-]{1,100})"\s*:\s*)(?:"(?:[^"\\]|\\.)*(?:"|$)|-?\d[\d.eE+-]*)/g,
      (all: string, start: string, key: string) => (isSecretKey(key) ? `${start}"${MASK}"` : all),
    )
    .replace(
      /((?:^|[?&#\s"'])([\w.%[\]-]{1,100})=)[^&#\s"'<>]+/g,
      (all: string, start: string, key: string) => (isSecretName(key) ? `${start}${MASK}` : all),
    )
    .replace(/(:(?:\\?\/){2}[^\s/?#:@"'<>]*:)[^\s/?#@"'<>]+(?=@|…)/g, `$1${MASK}`);
}

/** Whether a key, or a part of one (`auth[token]`, `auth.token`), says that its value is secret. */
export function isSecretKey(key: string): boolean {
  return listKeyParts(key).some((part) => SECRET_KEY.test(part));
}

const SECRET_KEY = /(?:token|secret|password|authorization|cookie|apikey|codeverifier|invitationlink)$/;

/** `auth%5BAccess_Token%5D`: `auth`, `accesstoken`. */
export function listKeyParts(key: string): string[] {
  const plain = key.replaceAll(/%5b|%5d/gi, '.').replaceAll(/[_-]/g, '');
  return plain.toLowerCase().split(/[.[\]]+/);
}

/** A web address with its user and the secrets in its query masked; without any, the same text. */
export function maskAddress(address: string): string {
  return address
    .replace(/^([a-z][a-z0-9+.-]*:[/\\]*)[^/\\?#]*@/i, '$1***@')
    .replace(/([?&#])([^?=&#]+)=([^&#]+)/g, (all: string, mark: string, name: string) =>
      isSecretKey(name) || SECRET_PARAMETER.test(name) ? `${mark}${name}=***` : all,
    );
}

/** What the addresses of other people's webhooks call their secrets. */
const SECRET_PARAMETER = /(?:key|sig|signature|auth|code|pass|pwd|credential)$/i;
