/** Where the validated settings stand in Nest's container. @internal */
export const PROVIDER_AUTH_SETTINGS = 'PROVIDER_AUTH:SETTINGS';
