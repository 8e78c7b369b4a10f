/** What an operator looks at. */
export interface Surfaces {
  /** Status and body of `/health`. */
  health(): Promise<{ status: number; provider: Record<string, unknown> }>;
  /** Samples of `/metrics` whose name begins like this, without the labels that are the same everywhere. */
  metrics(name: string): Promise<string[]>;
  /** What was logged under the library's context since the last look. */
  logs(): string[];
  /** Status of a call that a customer makes. */
  payment(): Promise<number>;
  /** Everything that any of them has shown. */
  readonly shown: string;
}

export function surfacesOf(origin: string, lines: readonly string[]): Surfaces {
  let looked = 0;
  let shown = '';
  const get = async (path: string): Promise<{ status: number; text: string }> => {
    const answer = await fetch(origin + path);
    const text = await answer.text();
    shown += text;
    return { status: answer.status, text };
  };
  return {
    async health() {
      const { status, text } = await get('/health');
      const { details } = JSON.parse(text) as { details: { provider: Record<string, unknown> } };
      return { status, provider: details.provider };
    },
    async metrics(name) {
      const { text } = await get('/metrics');
      return text
        .split('\n')
        .filter((line) => line.startsWith(name))
        .map((line) => line.replaceAll(/,?(interface|environment|otel_scope_\w+)="[^"]*",?/g, ''));
    },
    logs() {
      const since = lines.slice(looked);
      looked = lines.length;
      return since.filter((line) => line.includes('"ProviderAuth"')).map((line) => line.trim());
    },
    async payment() {
      return (await get('/payments')).status;
    },
    get shown() {
      return shown + lines.join('');
    },
  };
}
