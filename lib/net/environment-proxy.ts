/** All variables in which the axios versions of the peer range look for a proxy. */
const PROXIES = ['https_proxy', 'all_proxy', 'npm_config_https_proxy', 'npm_config_proxy'].map(inBothCases);
const NO_PROXY = inBothCases('no_proxy');

type Spellings = readonly [lowerCase: string, upperCase: string];

/** Made once, because each request looks for a proxy. */
function inBothCases(name: string): Spellings {
  return [name, name.toUpperCase()];
}

/**
 * Whether the environment may name a proxy for an address. If it may, axios decides. In doubt the answer is yes, because a
 * request that needs a proxy must not be sent without it. Only a plain entry of `NO_PROXY` makes the answer no.
 */
export function mayHaveEnvironmentProxy(address: string, environment: NodeJS.ProcessEnv): boolean {
  if (!PROXIES.some((name) => valueOf(name, environment))) return false;
  const { hostname, port } = new URL(address);
  const exceptions = valueOf(NO_PROXY, environment)
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

/** The value of a variable in lower case or in upper case. The empty string if neither is set. */
function valueOf([lowerCase, upperCase]: Spellings, environment: NodeJS.ProcessEnv): string {
  return environment[lowerCase] || environment[upperCase] || '';
}

/** A proxy that is certainly not reached by TLS. axios gives a value without a scheme the scheme of the request: `https:`. */
const WITHOUT_TLS = /^\s*(?:http|socks\w*):/i;

/**
 * The same for a proxy that may itself be reached by TLS.
 *
 * @param address undefined if a redirect may lead to any address: then `NO_PROXY` does not count.
 */
export function mayHaveEnvironmentTlsProxy(
  address: string | undefined,
  environment: NodeJS.ProcessEnv,
): boolean {
  const mayUseTls = (name: Spellings): boolean => {
    const proxy = valueOf(name, environment);
    return proxy.trim() !== '' && !WITHOUT_TLS.test(proxy);
  };
  return PROXIES.some(mayUseTls) && (address === undefined || mayHaveEnvironmentProxy(address, environment));
}
