import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { ShopService } from './shop.service.js';
import { warehouse } from './warehouse.js';

@Module({
  imports: [ConfigModule.forRoot(), warehouse.Module.forRootAsync(warehouse.config.asProvider())],
  providers: [ShopService],
})
export class AppModule {}
