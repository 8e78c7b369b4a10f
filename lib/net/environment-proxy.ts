/** All variables in which the axios versions of the peer range look for a proxy. */
const PROXIES = ['https_proxy', 'all_proxy', 'npm_config_https_proxy', 'npm_config_proxy'];

/**
 * Whether the environment may name a proxy for an address. If it may, axios decides. In doubt the answer is yes, because a
 * request that needs a proxy must not be sent without it. Only a plain entry of `NO_PROXY` makes the answer no.
 */
export function mayHaveEnvironmentProxy(address: string, environment: NodeJS.ProcessEnv): boolean {
  const valueOf = (name: string): string => environment[name] || environment[name.toUpperCase()] || '';
  if (!PROXIES.some(valueOf)) return false;
  const { hostname, port } = new URL(address);
  const exceptions = valueOf('no_proxy')
    .toLowerCase()
    .split(/[,\s]+/);
  return !exceptions.some((exception) => {
    if (exception === '') return false;
    if (exception === '*' || exception === hostname || exception === `${hostname}:${port || 443}`)
      return true;
    const suffix = exception.replace(/^\*/, '');
    return suffix.startsWith('.') && hostname.endsWith(suffix);
  });
}

/** The same for a proxy that is itself reached by TLS. */
export function mayHaveEnvironmentTlsProxy(address: string, environment: NodeJS.ProcessEnv): boolean {
  const isTls = (name: string): boolean =>
    /^https:/i.test(environment[name] || environment[name.toUpperCase()] || '');
  return PROXIES.some(isTls) && mayHaveEnvironmentProxy(address, environment);
}
