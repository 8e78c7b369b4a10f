import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';

/** Has the effect of `NODE_EXTRA_CA_CERTS`, which Node reads only when it starts. Call the result to end it. */
export function trust(pem: string): () => void {
  const { createSecureContext } = tls;
  setCreateSecureContext((options) => {
    const context = createSecureContext(options);
    // In addition to the authorities of Node, unless the options name others.
    if (options?.ca === undefined && pem !== '')
      (context.context as { addCACert(pem: string): void }).addCACert(pem);
    return context;
  });
  return () => setCreateSecureContext(createSecureContext);
}

function setCreateSecureContext(createSecureContext: typeof tls.createSecureContext): void {
  Object.assign(tls, { createSecureContext });
  syncBuiltinESMExports();
}
