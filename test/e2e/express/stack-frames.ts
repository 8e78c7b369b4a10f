const FRAMES = /(?:\n\s+at [^\n]*?)+( \{)?(?=\n|$)/g;

const FRAMES_IN_JSON = /(?:\\n\s+at .*?)+(?=\\n|")/g;

/** The two paths have other functions on the stack. What stays is the message, the causes and what `inspect` adds. */
export function withoutFrames(text: string): string {
  return text
    .replaceAll(FRAMES, (_, brace: string | undefined) => brace ?? '')
    .replaceAll(FRAMES_IN_JSON, '');
}
