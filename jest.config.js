// The tests run as ES modules, each file transformed by swc, against one stack that is started before and stopped after all of them.
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
  maxWorkers: 2,
  testTimeout: 30_000,
}
