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
