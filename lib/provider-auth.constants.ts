/** The injection token of the validated settings. @internal */
export const PROVIDER_AUTH_SETTINGS = 'PROVIDER_AUTH:SETTINGS';

/** As in package.json. Code that runs as ESM and as CommonJS cannot import that file, so a test compares the two. @internal */
export const PACKAGE = { name: 'nestjs-provider-auth', version: '0.1.0' } as const;
