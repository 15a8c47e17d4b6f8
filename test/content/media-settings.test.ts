// Half a bucket stops the process and says what is missing: it never becomes a folder without a word.
import { expect, test } from '@jest/globals'
import { readConfig } from '../../config.ts'

const needed = {
  DATABASE_URL: 'postgres://a@b/c',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  TEMPORAL_ADDRESS: 'a:1',
  STRIPE_SECRET_KEY: 'x',
  STRIPE_PUBLISHABLE_KEY: 'x',
  STRIPE_WEBHOOK_SECRET: 'x',
  SMTP_URL: 'smtp://a',
}
const s3 = { S3_ENDPOINT: 'https://s3.example/', S3_BUCKET: 'files', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' }

test('without a bucket, files are in a folder', () => {
  expect(readConfig({ ...needed, S3_ENDPOINT: '' })).toMatchObject({ s3: null, mediaDir: expect.stringMatching(/\/media$/) })
})

test('a whole bucket is one', () => {
  expect(readConfig({ ...needed, ...s3 }).s3).toEqual({
    endpoint: 'https://s3.example',
    name: 'files',
    region: 'us-east-1',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
  })
})

test.each(Object.keys(s3))('without %s there is none, and it is named', (name) => {
  expect(() => readConfig({ ...needed, ...s3, [name]: undefined })).toThrow(new RegExp(`^settings: ${name} is missing \\(`))
})

test('what is wrong is named without being repeated', () => {
  expect(() => readConfig({ ...needed, ...s3, S3_ENDPOINT: 'ftp://secret', S3_BUCKET: 'a/b' })).toThrow(/S3_ENDPOINT must be an address.*S3_BUCKET must be/)
})
