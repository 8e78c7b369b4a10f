import tls from 'node:tls';
import { exchangeBuiltIn } from '../application/replaced-builtin.js';

/** Has the effect of `NODE_EXTRA_CA_CERTS`, which Node reads only when it starts. Call the result to end it. */
export function trust(pem: string): () => void {
  const { createSecureContext } = tls;
  return exchangeBuiltIn(tls, {
    createSecureContext: (options) => {
      const context = createSecureContext(options);
      // In addition to the authorities of Node, unless the options name others.
      if (options?.ca === undefined && pem !== '')
        (context.context as { addCACert(pem: string): void }).addCACert(pem);
      return context;
    },
  });
}
