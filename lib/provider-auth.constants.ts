/** Where the validated settings stand in Nest's container. @internal */
export const PROVIDER_AUTH_SETTINGS = 'PROVIDER_AUTH:SETTINGS';

/** As in package.json, which code that is both ESM and CommonJS cannot read; a test compares the two. @internal */
export const PACKAGE = { name: 'nestjs-provider-auth', version: '0.1.0' } as const;
