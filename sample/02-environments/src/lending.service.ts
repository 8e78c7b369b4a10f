import { HttpService } from '@nestjs/axios';
import { Injectable } from '@nestjs/common';
import { EasyHttpService, InjectProviderHttp, OriginationsHttpService } from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';

/** The code names no environment, except for the rehearsal, which must never use production. */
@Injectable()
export class LendingService {
  constructor(
    private readonly originations: OriginationsHttpService,
    private readonly easy: EasyHttpService,
    @InjectProviderHttp('originations', 'sandbox') private readonly drill: HttpService,
  ) {}

  application(id: string): Promise<string> {
    return whoAnswers(this.originations, `/applications/${encodeURIComponent(id)}`);
  }

  payment(id: string): Promise<string> {
    return whoAnswers(this.easy, `/payments/${encodeURIComponent(id)}`);
  }

  rehearse(): Promise<string> {
    return whoAnswers(this.drill, '/applications/rehearsal');
  }
}

/** The simulator answers with the interface and environment of the request. */
async function whoAnswers(http: HttpService, path: string): Promise<string> {
  const { data } = await firstValueFrom(http.get<{ interface: string; environment: string }>(path));
  return `${data.interface} ${data.environment}`;
}
