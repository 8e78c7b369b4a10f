import {
  type DynamicModule,
  Injectable,
  Module,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { pairsIn, servicesIn } from '../module/registration.js';
import { recordEvents } from './record-events.js';

/**
 * Module-level state, because diagnostics channels and the SDK belong to the process too. If several applications run in one
 * process, each event still counts once: the first application starts the recording, and the last one to close ends it. An application
 * whose boot failed may never be closed, and must not stay in memory.
 */
const recording = { applications: new Set<WeakRef<ModulesContainer>>(), end: (): void => {} };

/** An application stays in memory as long as its tokens are in use. A worker may keep nothing but a client. */
const applicationOf = new WeakMap<object, ModulesContainer>();

function livingIn(applications: Iterable<WeakRef<ModulesContainer>>): ModulesContainer[] {
  return [...applications].flatMap((application) => application.deref() ?? []);
}

/** Records from the start of the application until it has closed. Token requests during the close are recorded too. */
@Injectable()
class TelemetrySubscription implements OnModuleInit, OnApplicationShutdown {
  readonly #application: WeakRef<ModulesContainer>;

  constructor(private readonly modules: ModulesContainer) {
    this.#application = new WeakRef(modules);
  }

  onModuleInit(): void {
    const { applications } = recording;
    if (livingIn(applications).length === 0) {
      recording.end();
      applications.clear();
      recording.end = recordEvents(() => livingIn(applications).flatMap(pairsIn));
    }
    applications.add(this.#application);
    for (const tokens of servicesIn(this.modules).flatMap((service) => service.providers()))
      applicationOf.set(tokens, this.modules);
  }

  async onApplicationShutdown(): Promise<void> {
    // Nest may call this first, while calls of the module are still under way.
    await Promise.allSettled(servicesIn(this.modules).map((service) => service.onApplicationShutdown()));
    // An application that is closed twice counts once.
    if (recording.applications.delete(this.#application) && recording.applications.size === 0)
      recording.end();
  }
}

/**
 * Records token requests and 401 responses as OpenTelemetry metrics and spans. Register OpenTelemetry's SDK before your app
 * starts.
 *
 * @example
 * imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider()), ProviderAuthTelemetryModule.forRoot()]
 */
@Module({})
export class ProviderAuthTelemetryModule {
  /** Records from the start of your app until it has closed. */
  static forRoot(): DynamicModule {
    // Global as the clients are, so that Nest closes it as late as them: other modules may still make calls.
    return { module: ProviderAuthTelemetryModule, global: true, providers: [TelemetrySubscription] };
  }
}
