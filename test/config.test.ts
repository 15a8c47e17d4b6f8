// Settings are validated at start, defaults apply where nothing is set, and the example files name exactly the settings
// that exist.
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { parseEnv, promisify } from 'node:util'
import { expect, test } from '@jest/globals'
import { readConfig, settingNames } from '../config.ts'

const needed = {
  DATABASE_URL: 'postgres://a@b/c',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  TEMPORAL_ADDRESS: 'a:1',
  STRIPE_SECRET_KEY: 'x',
  STRIPE_PUBLISHABLE_KEY: 'x',
  STRIPE_WEBHOOK_SECRET: 'x',
  SMTP_URL: 'smtp://a',
}
const s3 = {
  S3_ENDPOINT: 'https://s3.example/',
  S3_BUCKET: 'files',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
}

test('The routes, the entities and the workflows are imported without settings', async () => {
  const modules = ['api/routes.ts', 'api/document.ts', 'entities/kit/database/orm.ts', 'workflows/index.ts']
  const code = modules.map((file) => `await import('./${file}')`).join('\n')
  const cwd = path.resolve(import.meta.dirname, '..')
  const node = promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd, env: {} })
  expect(await node).toMatchObject({ stderr: '' })
})

test('Files are stored in a folder when no bucket is configured', () => {
  expect(readConfig({ ...needed, S3_ENDPOINT: '' })).toMatchObject({
    s3: null,
    mediaDir: expect.stringMatching(/\/media$/),
  })
})

test('A complete S3 configuration selects the bucket', () => {
  expect(readConfig({ ...needed, ...s3 }).s3).toEqual({
    endpoint: 'https://s3.example',
    name: 'files',
    region: 'us-east-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
  })
})

test('A bucket of AWS needs a name and a region, and may have its credentials from elsewhere', () => {
  expect(readConfig({ ...needed, S3_BUCKET: 'files', S3_REGION: 'eu-central-1' }).s3).toEqual({
    endpoint: null,
    name: 'files',
    region: 'eu-central-1',
    credentials: null,
  })
  expect(() => readConfig({ ...needed, S3_BUCKET: 'files' })).toThrow(/^settings: S3_REGION is missing \(/)
})

test.each(['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])('An S3 key without %s is refused by name', (name) => {
  expect(() => readConfig({ ...needed, ...s3, [name]: undefined })).toThrow(
    new RegExp(`^settings: ${name} is missing \\(`),
  )
})

test.each(Object.keys(s3).filter((name) => name !== 'S3_BUCKET'))(
  '%s without S3_BUCKET is refused by name and never becomes a folder',
  (name) => {
    expect(() => readConfig({ ...needed, ...s3, S3_BUCKET: '' })).toThrow(`${name} needs S3_BUCKET`)
  },
)

test('An invalid setting is named without its value', () => {
  expect(() => readConfig({ ...needed, ...s3, S3_ENDPOINT: 'ftp://secret', S3_BUCKET: 'a/b' })).toThrow(
    /S3_ENDPOINT must be an address.*S3_BUCKET must be/,
  )
})

test.each(Object.keys(needed))('A configuration without %s is refused', (name) => {
  expect(() => readConfig({ ...needed, [name]: ' ' })).toThrow(new RegExp(`^settings: ${name} is missing \\(`))
})

test('Production requires PUBLIC_URL', () => {
  expect(() => readConfig({ ...needed, NODE_ENV: 'production' })).toThrow(/^settings: PUBLIC_URL is missing \(/)
  expect(readConfig({ ...needed, NODE_ENV: 'production', PUBLIC_URL: 'https://shop.example/' })).toMatchObject({
    production: true,
    publicUrl: 'https://shop.example',
  })
})

test('STRIPE_WEBHOOK_SECRET is one secret or several with commas', () => {
  const of = (STRIPE_WEBHOOK_SECRET: string) => readConfig({ ...needed, STRIPE_WEBHOOK_SECRET }).stripe.webhookSecrets
  expect([of('whsec_a'), of('whsec_a, whsec_b,')]).toEqual([['whsec_a'], ['whsec_a', 'whsec_b']])
  expect(() => of(',')).toThrow('STRIPE_WEBHOOK_SECRET must be 1 to 10 secrets with commas')
})

test('Undeclared problems are bugs only where NODE_ENV is development', () => {
  const of = (NODE_ENV: string) => readConfig({ ...needed, PUBLIC_URL: 'https://shop.example', NODE_ENV }).development
  expect([of('development'), of(''), of('staging'), of('production')]).toEqual([true, false, false, false])
})

test.each([
  ['DATABASE_URL', 'mysql://a', 'must be an address that begins with postgres:// or postgresql://'],
  ['SECRETS_KEY', 'short', 'must be 32 bytes in hexadecimal or base64'],
  ['PORT', '65536', 'must be a whole number from 0 to 65535'],
  ['PORT', '8e3', 'must be a whole number'],
  ['KEEP_EVENTS_DAYS', '-1', 'must be a whole number'],
  ['KEEP_PROVIDER_EVENTS_DAYS', '30', 'must be 0 (no limit) or more than 30 days'],
  ['DELIVERY_RETRY_S', '0,5,never', 'must be 1 to 20 numbers of seconds'],
  ['CHECKOUT_HOLD_MINUTES', '0', 'must be more than 0'],
  ['TEMPORAL_TLS_CERT', '/no/such/file', 'must name a file that can be read'],
])('The setting %s cannot be %s', (name, value, said) => {
  const message = (() => {
    try {
      readConfig({ ...needed, [name]: value })
    } catch (error) {
      return (error as Error).message
    }
  })()
  expect(message).toContain(`settings: ${name} ${said}`)
  expect(message?.split('\n')).toHaveLength(1)
})

const read = (file: string) => fs.readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

test('The file .env.example names every setting once with its default', () => {
  const text = read('.env.example')
  const shown = parseEnv(text) as Record<string, string>
  const named = [...text.matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name]) => name)
  expect(named.toSorted()).toEqual([...settingNames, 'DEV_DIR', 'TEMPORAL_CLI'].toSorted())
  expect(Object.keys(needed).filter((name) => shown[name] !== '')).toEqual([])
  expect(readConfig({ ...shown, NODE_ENV: '', ...needed })).toEqual(readConfig(needed))
})

test('Compose passes existing settings to every process, the required ones among them', () => {
  const [, block = ''] = /^ {2}environment:\n((?: {4}.*\n)+)/m.exec(read('docker-compose.yml')) ?? []
  const given = [...block.matchAll(/^ {4}([A-Z0-9_]+):/gm)].map(([, name]) => name as string)
  expect(given.filter((name) => !settingNames.includes(name))).toEqual([])
  expect(
    [...Object.keys(needed), 'PUBLIC_URL', 'NODE_ENV', 'HOST', 'PORT'].filter((name) => !given.includes(name)),
  ).toEqual([])
})
