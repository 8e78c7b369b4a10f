import { Test } from '@nestjs/testing';
import { ProviderAuthModule } from 'nestjs-provider-auth';
import nock from 'nock';
import { firstValueFrom } from 'rxjs';
import { AppModule, CheckoutService } from '../checkout.js';

// THE BLOCK
