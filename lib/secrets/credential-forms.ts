/** Whether a text of a server repeats a credential: as it is, percent-encoded, as in a form, or with the escapes of JSON (S10). */
export function holdsCredential(text: string, credential: string): boolean {
  const texts = [text, withoutEscapes(text)].map((one) => one.toLowerCase());
  const forms = [credential, encodeURIComponent(credential), formEncoded(credential)];
  return forms.some((form) => texts.some((one) => one.includes(form.toLowerCase())));
}

/** RFC 6749, section 2.3.1: the header of Basic authentication contains this form. */
export function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function withoutEscapes(text: string): string {
  return text.replaceAll(
    /\\(?:u([\da-f]{4})|(["\\/]))/gi,
    (_, hex: string, plain?: string) => plain ?? String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
