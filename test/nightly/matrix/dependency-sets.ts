import { manifest } from '../../support/package/packed-package.js';

/** The dependencies in the package.json of an application: one column of the matrix. */
export interface DependencySet {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** undici 8 does not load on a Node below 22.19. */
export type UndiciMajor = 7 | 8;

/** The lowest version that package.json allows, so that the matrix runs what package.json claims. */
function lowest(peer: string, major = ''): string {
  const edges = manifest.peerDependencies[peer]?.split('||').map((range) => range.replace(/[^\d.]/g, ''));
  const edge = edges?.find((version) => version.startsWith(major));
  if (edge === undefined) throw new Error(`package.json asks for no ${peer} ${major}.`);
  return edge;
}

const LOWEST = {
  axios: lowest('axios'),
  'class-validator': lowest('class-validator'),
  'reflect-metadata': lowest('reflect-metadata'),
  '@opentelemetry/api': lowest('@opentelemetry/api'),
  // NestJS itself does not accept 7.0.
  rxjs: '7.1.0',
  // The first version that exports `Redis` by name.
  ioredis: '5.2.5',
};

const NEWEST = {
  axios: '1.21.1',
  'class-validator': '0.15.1',
  'reflect-metadata': '0.2.2',
  '@opentelemetry/api': '1.10.0',
  rxjs: '7.8.2',
  ioredis: '6.0.0',
};

const NEWEST_UNDICI: Record<UndiciMajor, string> = { 7: '7.30.2', 8: '8.12.4' };

const TYPES = { '@types/express': '5.0.6', '@types/node': '20.19.43' };

/** The four columns, with the lowest or the newest undici of this major version. */
export function dependencySets(undici: UndiciMajor): DependencySet[] {
  const edge = { ...LOWEST, undici: lowest('undici', `${undici}.`) };
  const newest = { ...NEWEST, undici: NEWEST_UNDICI[undici] };
  return [
    {
      name: 'nest-11-lowest',
      dependencies: {
        '@nestjs/common': lowest('@nestjs/common', '11.'),
        '@nestjs/core': lowest('@nestjs/core', '11.'),
        '@nestjs/axios': lowest('@nestjs/axios', '4.'),
        '@nestjs/config': lowest('@nestjs/config', '4.'),
        '@nestjs/terminus': lowest('@nestjs/terminus', '11.'),
        '@nestjs/platform-express': '11.0.0',
        // The first version with NestJS 11 as its peer.
        '@nestjs/platform-fastify': '11.0.3',
        ...edge,
      },
      devDependencies: { ...TYPES, typescript: '5.9.3' },
    },
    {
      name: 'nest-11-newest',
      dependencies: {
        '@nestjs/common': '11.2.10',
        '@nestjs/core': '11.2.10',
        '@nestjs/axios': '4.0.1',
        '@nestjs/config': '4.0.4',
        '@nestjs/terminus': '11.1.1',
        '@nestjs/platform-express': '11.2.10',
        '@nestjs/platform-fastify': '11.2.8',
        ...newest,
      },
      devDependencies: { ...TYPES, typescript: '5.9.3' },
    },
    {
      name: 'nest-12-lowest',
      dependencies: {
        // 12.0.0 has NestJS 11 as its peer, so npm does not install it beside NestJS 12.
        '@nestjs/common': '12.0.1',
        '@nestjs/core': '12.0.1',
        '@nestjs/axios': lowest('@nestjs/axios', '12.'),
        '@nestjs/config': lowest('@nestjs/config', '12.'),
        '@nestjs/terminus': lowest('@nestjs/terminus', '12.'),
        '@nestjs/platform-express': '12.0.1',
        '@nestjs/platform-fastify': '12.0.1',
        ...edge,
      },
      devDependencies: { ...TYPES, typescript: '6.0.3' },
    },
    {
      name: 'nest-12-newest',
      dependencies: {
        '@nestjs/common': '12.5.1',
        '@nestjs/core': '12.5.1',
        '@nestjs/axios': '12.0.1',
        '@nestjs/config': '12.0.1',
        '@nestjs/terminus': '12.1.0',
        '@nestjs/platform-express': '12.5.1',
        '@nestjs/platform-fastify': '12.5.0',
        ...newest,
      },
      devDependencies: { ...TYPES, typescript: '6.0.3' },
    },
  ];
}
