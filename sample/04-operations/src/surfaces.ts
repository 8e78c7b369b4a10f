/** The outputs of the application that an operator reads. */
export interface Surfaces {
  /** Status and body of `/health`. */
  health(): Promise<{ status: number; provider: Record<string, unknown> }>;
  /** The samples of `/metrics` with this prefix, without the labels that all samples share. */
  metrics(name: string): Promise<string[]>;
  /** The log lines of the library since the last call of this function. */
  logs(): string[];
  /** The status of a call by a customer. */
  payment(): Promise<number>;
  /** All output of all surfaces so far. */
  readonly shown: string;
}

export function surfacesOf(origin: string, lines: readonly string[]): Surfaces {
  let looked = 0;
  let shown = '';
  const get = async (path: string): Promise<{ status: number; text: string }> => {
    const response = await fetch(origin + path);
    const text = await response.text();
    shown += text;
    return { status: response.status, text };
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
        .map((line) => line.replaceAll(/,?(provider|interface|environment|otel_scope_\w+)="[^"]*",?/g, ''));
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
