import { HttpService } from '@nestjs/axios';
import { Test } from '@nestjs/testing';
import { getProviderHttpToken, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';

// THE BLOCK
