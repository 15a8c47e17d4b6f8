// The tests run as ES modules, each file transformed by swc, against one stack that is started before and stopped after all of them.
import os from 'node:os'

// While a file waits, others compute: three keep two processors busy. Each file may run a stack of its own, of up to
// two gigabytes.
const isRoomy = os.availableParallelism() > 1 && os.totalmem() >= 12 * 2 ** 30

export default {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } },
    ],
  },
  globalSetup: '<rootDir>/test/setup.mjs',
  globalTeardown: '<rootDir>/test/teardown.mjs',
  reporters: ['default', '<rootDir>/test/kit/stack/progress.ts'],
  maxWorkers: isRoomy ? 3 : 2,
  testTimeout: 30_000,
}
