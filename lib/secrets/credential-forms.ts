/** The forms in which a server might repeat a credential, in lower case. */
export function formsOf(credential: string): string[] {
  const bytes = Buffer.from(credential);
  return [
    credential,
    encodeURIComponent(credential),
    new URLSearchParams({ '': credential }).toString().slice(1),
    bytes.toString('base64').replaceAll('=', ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ].map((form) => form.toLowerCase());
}
