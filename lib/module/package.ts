/** As in package.json. Code that runs as ESM and as CommonJS cannot import that file, so a test compares the two. @internal */
export const PACKAGE = { name: 'nestjs-provider-auth', version: '0.1.0' } as const;
