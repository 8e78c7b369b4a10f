import { NestFactory } from '@nestjs/core';
import { library } from '../library.mjs';

/** This package, in an application as in the README. */
export const open = opened({});

/** The same with `token.renewAheadMs`. */
export const openAhead = opened({ token: { renewAheadMs: 500 } });

function opened(settings) {
  return async ({ tokenUrl, apiUrl, clientId, clientSecret, agent }) => {
    const { EasyHttpService, ProviderAuthModule } = await library('esm/index.js');
    const sandbox = { tokenUrl, baseUrl: apiUrl, clientId, clientSecret };
    const options = {
      environment: 'sandbox',
      interfaces: { easy: { sandbox } },
      http: { httpsAgent: agent },
      ...settings,
    };
    const auth = ProviderAuthModule.forRoot(options);
    const application = await NestFactory.createApplicationContext(auth, { logger: false });
    const { axiosRef } = application.get(EasyHttpService);
    return { call: (path) => axiosRef.get(path), close: () => application.close() };
  };
}
