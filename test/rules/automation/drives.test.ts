// Each name on a drive has exactly one URL, with any characters.
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { addressOf, Drive, segmentsOf } from '../../../rules/automation/drives.ts'
import { draws } from '../../kit/draws.ts'

const credentials = { access_key_id: 'a', secret_access_key: 'b' }
const s3 = (settings: Record<string, unknown>) =>
  Drive.parse({ type: 's3', settings: { bucket: 'uploads', ...settings }, credentials })
const webdav = (url: string) =>
  Drive.parse({ type: 'webdav', settings: { url }, credentials: { username: 'u', password: 'p' } })

test.each<[Drive, string]>([
  [s3({}), 'https://uploads.s3.us-east-1.amazonaws.com/a%20b/c.txt'],
  [s3({ region: 'eu-central-1' }), 'https://uploads.s3.eu-central-1.amazonaws.com/a%20b/c.txt'],
  [s3({ path_style: true }), 'https://s3.us-east-1.amazonaws.com/uploads/a%20b/c.txt'],
  [s3({ endpoint: 'https://minio.example:9000/' }), 'https://minio.example:9000/uploads/a%20b/c.txt'],
  [s3({ endpoint: 'https://r2.example/storage/s3' }), 'https://r2.example/storage/s3/uploads/a%20b/c.txt'],
  [s3({ endpoint: 'https://spaces.example', path_style: false }), 'https://uploads.spaces.example/a%20b/c.txt'],
  [webdav('https://cloud.example/dav/ada/'), 'https://cloud.example/dav/ada/a%20b/c.txt'],
])('The URL of a file on %j is %s', (drive, address) => {
  expect(addressOf(drive, ['a b', 'c.txt'])).toBe(address)
})

test('The URL of any file is below the root, is spelled as signed and decodes to its name', () => {
  const drives = [s3({ endpoint: 'https://s3.example' }), webdav('https://s3.example/uploads')]
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
      (names) => {
        const segments = segmentsOf(names.join('/'))
        if (!segments) return
        for (const drive of drives) {
          const address = addressOf(drive, segments)
          expect(new URL(address).href).toBe(address)
          expect(new URL(address).pathname).toMatch(/^\/uploads\/[A-Za-z0-9\-._~%/]+$/)
          expect(new URL(address).pathname.split('/').slice(2).map(decodeURIComponent)).toEqual(segments)
        }
      },
    ),
    { numRuns: draws(400) },
  )
})
