import type { HttpService } from '@nestjs/axios';
import type { AxiosInstance } from 'axios';
import type { ProviderInterface } from '../catalogue/provider-catalogue.js';
import { ProviderHttpService } from './provider-http.service.js';

/**
 * The HTTP client of the originations interface, in the active environment: Nest's `HttpService`, with the token.
 *
 * @example
 * constructor(private readonly originations: OriginationsHttpService) {}
 */
export class OriginationsHttpService extends ProviderHttpService {}

/**
 * The HTTP client of the easy interface, in the active environment: Nest's `HttpService`, with the token.
 *
 * @example
 * constructor(private readonly easy: EasyHttpService) {}
 *
 * payment(id: string): Observable<AxiosResponse<Payment>> {
 *   return this.easy.get<Payment>(`/payments/${id}`);
 * }
 */
export class EasyHttpService extends ProviderHttpService {}

/** The class to inject for each interface; a further interface of the catalogue needs one here. */
export const PROVIDER_HTTP_SERVICES = {
  originations: OriginationsHttpService,
  easy: EasyHttpService,
} as const satisfies Record<ProviderInterface, new (instance: AxiosInstance) => HttpService>;
