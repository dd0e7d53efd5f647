import { isRecord } from '../json.ts';

export type Redactor = ReturnType<typeof createRedactor>;

const MASK = '***';
const MIN_SECRET_LENGTH = 6;

/** @param env its secrets (`TTCTL_TOKEN`, `TTCTL_CLIENT_SECRET` …) are registered */
export function createRedactor(env: Readonly<Record<string, string | undefined>> = {}) {
  let forms: readonly string[] = [];

  /** From now on this value is masked wherever it appears. Below 6 characters it is ignored. */
  function register(secret: string): void {
    if (secret.length < MIN_SECRET_LENGTH) return;
    const inUrl = encodeURIComponent(Buffer.from(secret).toString());
    const inForm = new URLSearchParams([['', secret]]).toString().slice(1);
    const inJson = JSON.stringify(secret).slice(1, -1);
    const all = new Set([...forms, secret, inUrl, inForm, inJson]);
    forms = [...all].sort((one, other) => other.length - one.length);
  }

  /**
   * Masks registered values (as they are, as in URLs and forms, as in JSON, also with the end cut off with `…`), `Bearer`
   * and `Basic` credentials, passwords in URLs, and the values of secret keys in JSON and queries.
   */
  function text(given: string): string {
    let shown = given;
    for (const form of forms) {
      const head = form.slice(0, MIN_SECRET_LENGTH);
      for (let at = shown.indexOf(head); at >= 0; at = shown.indexOf(head, at)) {
        let end = at + head.length;
        while (end - at < form.length && shown[end] === form[end - at]) end += 1;
        const isSecret = end - at === form.length || shown[end] === '…';
        if (isSecret) shown = shown.slice(0, at) + MASK + shown.slice(end);
        at += isSecret ? MASK.length : 1;
      }
    }
    return shown
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

  /** Masks the values of secret keys at any depth, and every text in it. `null` stays. Does not change its argument. */
  function json(value: unknown): unknown {
    if (typeof value === 'string') return text(value);
    if (Array.isArray(value)) return value.map(json);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        text(key),
        isSecretName(key) && inner != null ? MASK : json(inner),
      ]),
    );
  }

  /** The value of a header, masked: of `authorization` the scheme stays. */
  function header(name: string, value: string): string {
    if (!isSecretName(name)) return text(value);
    const scheme = /authorization$/i.test(name) ? /^(?:bearer|basic|digest) /i.exec(value)?.[0] : undefined;
    return `${scheme ?? ''}${MASK}`;
  }

  for (const [name, value = ''] of Object.entries(env))
    if (name.startsWith('TTCTL_') && isSecretKey(name)) register(value);
  return { register, text, json, header };
}

const SECRET_KEY = /(?:token|secret|password|authorization|cookie|apikey|codeverifier|invitationlink)$/;

/** Whether a key, or a part of one (`auth[token]`, `auth%5BAccess_Token%5D`), says that its value is secret. */
export function isSecretKey(key: string): boolean {
  const plain = key.replaceAll(/%5b|%5d/gi, '.').replaceAll(/[_-]/g, '');
  return plain
    .toLowerCase()
    .split(/[.[\]]+/)
    .some((part) => SECRET_KEY.test(part));
}

/** In queries and bodies `code` and `state` are secret too; in the text of an error they are words. */
function isSecretName(key: string): boolean {
  return isSecretKey(key) || /(?:^|[.[\]]|%5[bd])(?:code|state)(?:$|[.[\]]|%5[bd])/i.test(key);
}

/** What the addresses of other people's webhooks call their secrets. */
const SECRET_PARAMETER = /(?:key|sig|signature|auth|code|pass|pwd|credential)$/i;

/** A web address with its user and the secrets in its query masked; without any, the same text. */
export function maskAddress(address: string): string {
  return address
    .replace(/^([a-z][a-z0-9+.-]*:[/\\]*)[^/\\?#]*@/i, '$1***@')
    .replace(/([?&#])([^?=&#]+)=([^&#]+)/g, (all: string, mark: string, name: string) =>
      isSecretKey(name) || SECRET_PARAMETER.test(name) ? `${mark}${name}=***` : all,
    );
}
