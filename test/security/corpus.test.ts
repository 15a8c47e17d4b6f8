// A corpus of known attack strings: private addresses, redirect targets and sandbox escapes.

import net, { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newSandbox, SandboxError } from '../../activities/automation/sandbox.ts'
import { newEgress } from '../../activities/providers/http.ts'
import { returnUrl } from '../../rules/input/return-url.ts'
import { ownOwner } from '../kit/owners.ts'

let trap: net.Server
let visits = 0
let port: number
beforeAll(async () => {
  trap = net.createServer((socket) => {
    visits++
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  })
  await new Promise<void>((done) => trap.listen(0, '::', done))
  port = (trap.address() as AddressInfo).port
})
afterAll(() => new Promise((done) => trap.close(done)))

describe('Private addresses', () => {
  /** Resolves as a resolver would that normalises what it is asked for. */
  const guarded = newEgress({ allow: [], resolve: async () => ['127.0.0.1'] })
  test.each([
    '೧೨೭.೦.೦.೧',
    '١٢٧.٠.٠.١',
    '127.0.0.1%00.example.com',
    '127.0.0.1%2eexample.com',
    '127。1',
    '127.0.0.1..',
    '0x7F.0x000000001',
    '0177.1',
    '0x100000000',
    '127.0.0.0x1',
    '[::ffff:0:0]',
    '[::ffff:a9fe:a9fe]',
    '[::a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b:1::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
    '[2001::1]',
    '[fe80::a9fe:a9fe%25eth0]',
    '[::1]x',
    '[[::1]]',
    '[0000:0000:0000:0000:0000:0000:0000:0001]',
    '[::127.1]',
    '[fd00:ec2::254]',
    'metadata',
    'metadata.google.internal.',
    'instance-data.ec2.internal',
    '169.254.169.254.nip.io',
    '0xA9.0xFE.0xA9.0xFE',
    '0251.0376.0251.0376',
    '2852039166.',
    'localtest.me',
    'xn--locahost-q3a',
    'ＬＯＣＡＬＨＯＳＴ',
    'local\u00adhost',
    'loc\u200dalhost',
    'localhost:80:90',
    'a'.repeat(300),
  ])('The host %s leads to no connection', async (host) => {
    await expect(guarded.request({ url: `http://${host}:${port}/`, method: 'GET', timeout_ms: 2_000 })).rejects.toThrow(
      /^egress_/,
    )
    expect(visits).toBe(0)
  })
})

test.each([
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https:///evil.example\\@shop.example',
  'https:/evil.example',
  'https:evil.example',
  'https://shop.example@evil.example',
  'https://shop.example%40@evil.example/',
  'https://shop.example:443@evil.example/',
  'https://evil.example\t.shop.example',
  'https://shop.example\r\nLocation: https://evil.example',
  'https://shop.example\u2028evil.example',
  'https://shop.example\u0000.evil.example',
  'javascript://shop.example/%0aalert(1)',
  'JaVaScRiPt:alert(1)//https://shop.example',
  'data:text/html;base64,PHNjcmlwdD4=',
  'vbscript:msgbox(1)',
  'blob:https://shop.example/0',
  'file://localhost/etc/passwd',
  'http://localhost.evil.example',
  'http://localhost@evil.example',
  'http://127.0.0.1.evil.example',
  'http://evil.example#localhost',
  'http://evil.example?localhost',
  'http://[::ffff:8.8.8.8]/',
  'intent://shop.example#Intent;scheme=https;end',
  'view-source:https://shop.example',
  'https://',
  'https://?',
  'https://#',
  'https://%00/',
  'https://shop.example:99999/',
])('The return URL %j is refused', (url) => {
  expect(returnUrl(url).ok).toBe(false)
})

describe('Sandbox escapes', () => {
  const sandbox = newSandbox(1)
  const body = (code: string, tenant: string, input: unknown = {}) =>
    sandbox.evaluate({ code, kind: 'body', input, nodes: {}, owner: ownOwner(tenant) })

  test.each([
    "return import('node:fs')",
    "return require('fs')",
    "return new (Object.getPrototypeOf(async function () {}).constructor)('return process')()",
    "return (function* () {}).constructor('return process')().next()",
    "return Reflect.getPrototypeOf(input).constructor.constructor('return process.env')()",
    "return [].constructor.constructor('return globalThis.process.exit()')()",
    'return Array.from.call(function () { return this.process.mainModule }, [])',
    "try { null.x } catch (e) { return e.constructor.constructor('return process')().pid }",
    "return new Proxy({}, { get: (_, key) => { throw key.constructor.constructor('return process')() } }).x",
    'return { get a() { return process.env } }',
    "return { toJSON: () => require('child_process') }",
    "return Object.defineProperty({}, 'then', { get: () => process.exit(1) }).then",
    "return eval('process.env')",
    "return JSON.parse('{\"a\":1}', function () { return this.constructor.constructor('return process')() })",
    "return 'a'.replace(/a/, () => process.env.PATH)",
    'class A { static { process.exit(1) } } return A',
    "return '' + { [Symbol.toPrimitive]: () => process.env }",
    "return Error.captureStackTrace.constructor('return process')()",
    "return std.getenv('PATH')",
    "return Function('return this')().process.env",
  ])('The escape attempt %s fails', async (code) => {
    const error = await body(code, 'a').then(
      (value) => value,
      (thrown) => thrown,
    )
    expect([error instanceof SandboxError, error.code]).toEqual([
      true,
      expect.stringMatching(/^sandbox_(error|not_json)$/),
    ])
  })

  test('A tenant’s code leaves nothing behind for another tenant on the same thread', async () => {
    const leave = `
      for (const kind of [Object, Array, String, Number, Function, Promise, RegExp, Map, Set, Symbol, Error, JSON, Math, Reflect])
        try { kind.left = input.secret; if (kind.prototype) kind.prototype.left = input.secret } catch {}
      globalThis.left = input.secret
      Symbol.for('left').description
      Object.prototype.__defineGetter__('secret', () => 'bent')
      Object.defineProperty(Array.prototype, Symbol.iterator, { value: function* () { yield 'bent' } })
      return 'left'`
    const look = `
      const kinds = [Object, Array, String, Number, Function, Promise, RegExp, Map, Set, Symbol, Error, JSON, Math, Reflect]
      return [kinds.filter((kind) => kind.left !== undefined || kind.prototype?.left !== undefined).length, typeof left, input.secret ?? null, [...[1]], RegExp.lastMatch ?? null]`
    expect(await body(leave, 'a', { secret: 'of a' })).toBe('left')
    expect(await body('return /(of) a/.exec(input.secret)[0]', 'a', { secret: 'of a' })).toBe('of a')
    const [kinds, global, secret, list, last] = (await body(look, 'b')) as unknown[]
    expect([kinds, global, secret, list]).toEqual([0, 'undefined', null, [1]])
    expect(last).not.toBe('of a')
  })
})
