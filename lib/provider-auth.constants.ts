/** Where the validated settings stand in Nest's container. @internal */
export const PROVIDER_AUTH_SETTINGS = 'PROVIDER_AUTH:SETTINGS';

/** Whether a module is a registration with options, and so none that may stand in for one. @internal */
export const PROVIDER_AUTH_IS_REGISTRATION = 'PROVIDER_AUTH:IS_REGISTRATION';

/** As in package.json, which code that is both ESM and CommonJS cannot read; a test compares the two. @internal */
export const PACKAGE = { name: 'nestjs-provider-auth', version: '0.1.0' } as const;
