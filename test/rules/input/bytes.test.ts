// Bytes from outside become text by one decoder: byte-order mark, declared charset, UTF-8.
import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { strictTextOfBytes, textOfBytes } from '../../../rules/input/bytes.ts'

const bytes = (text: string, encoding: BufferEncoding = 'utf8', mark: number[] = []) =>
  new Uint8Array([...mark, ...Buffer.from(text, encoding)])
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()

const tea = 'Grüner Tee „Gyōkuro“ 緑茶'
const same: [string, Uint8Array, string | undefined][] = [
  ['UTF-8', bytes(tea), undefined],
  ['UTF-8 with a mark', bytes(tea, 'utf8', [0xef, 0xbb, 0xbf]), undefined],
  ['UTF-8 that is declared', bytes(tea), 'application/json; charset=utf8'],
  [
    'UTF-8 with a mark, declared as another charset',
    bytes(tea, 'utf8', [0xef, 0xbb, 0xbf]),
    'text/html; charset=iso-8859-1',
  ],
  ['UTF-16 with a mark', bytes(tea, 'utf16le', [0xff, 0xfe]), 'text/plain'],
  ['big-endian UTF-16 with a mark', new Uint8Array([0xfe, 0xff, ...utf16be(tea)]), undefined],
  ['UTF-16 that is declared', bytes(tea, 'utf16le'), 'application/json; charset="UTF-16LE"'],
]
test.each(same)('%s is read as the same text', (_, given, type) => {
  expect(textOfBytes(given, type)).toBe(tea)
  expect(strictTextOfBytes(given, type)).toBe(tea)
})

test.each([
  ['declared by the answer', 'text/html; Charset = "ISO-8859-1"', '<p>caf\xe9</p>'],
  ['declared by the page', 'text/html', '<head><meta charset=windows-1252></head>caf\xe9'],
  [
    'declared by the page in words',
    'text/html',
    '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-15">caf\xe9',
  ],
  ['declared by the document', 'application/xml', '<?xml version="1.0" encoding="ISO-8859-1"?><a>caf\xe9</a>'],
])('A Latin charset %s is read as such', (_, type, text) => {
  expect(textOfBytes(bytes(text, 'latin1'), type)).toContain('café')
})

test('What is no text in its encoding is replaced in an answer, and no text of a body', () => {
  const half = new Uint8Array([0x22, 0xc3, 0x22])
  expect(textOfBytes(half, 'application/json')).toBe('"\ufffd"')
  expect(strictTextOfBytes(half, 'application/json')).toBeUndefined()
  expect(strictTextOfBytes(bytes('{}'), 'application/json; charset=no-such')).toBeUndefined()
  expect(textOfBytes(bytes(tea), 'text/plain; charset=no-such')).toBe(tea)
})

/** Files that decode bytes of our own, or of a protocol whose bytes have no charset. */
const ours =
  /rules\/(?:input\/bytes|agents\/tools|mail\/smtp)\.ts|activities\/(?:providers\/webhook|failpoints|campaign-mime)\.ts|adapters\/(?:contained-process|mail-parser-process)\.ts|entities\/kit\/encrypted\.ts|api\/content\/file-type\.ts/

test('No other file decodes bytes from outside', () => {
  const root = path.join(import.meta.dirname, '../../..')
  const found = ['rules', 'entities', 'adapters', 'activities', 'api', 'workers', 'workflows'].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${folder}/${file}`)
      .filter((file) => !ours.test(file))
      .flatMap((file) =>
        fs
          .readFileSync(path.join(root, file), 'utf8')
          .split('\n')
          .filter((line) =>
            /new TextDecoder|\b(?:bytes|raw|buffer|chunks?|data|content|concat\([^)]*\))\.toString\((?:'utf-?8')?\)/i.test(
              line,
            ),
          )
          .map((line) => `${file}: ${line.trim()}`),
      ),
  )
  expect(found).toEqual([])
})

test('The body of a request is read in its declared encoding, except where it has none', () => {
  const root = path.join(import.meta.dirname, '../../../api')
  const found = fs
    .readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && /\btextOfBytes\(/.test(fs.readFileSync(path.join(root, file), 'utf8')))
  // An update of a bot is in UTF-8; the token of a link has letters of ASCII only.
  expect(found.sort()).toEqual(['agents/channel-updates.ts', 'kit/caller.ts'])
})
