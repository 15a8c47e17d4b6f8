// User code ends soon with a value or a named error, and leaves nothing behind for the next call.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { evaluate, newSandbox, SandboxError } from '../../activities/automation/sandbox.ts'
import { ownOwner } from '../kit/owners.ts'

const sandbox = newSandbox(2)
const expression = (code: string, input: unknown = {}, nodes: unknown = {}) =>
  sandbox.evaluate({ code, kind: 'expression', input, nodes })
const body = (code: string, input: unknown = {}, nodes: unknown = {}) =>
  sandbox.evaluate({ code, kind: 'body', input, nodes })
const failure = (running: Promise<unknown>): Promise<SandboxError> =>
  running.then(
    (value) => Promise.reject(new Error(`a value: ${JSON.stringify(value)?.slice(0, 100)}`)),
    (error) => error,
  )

/** On a quiet machine it takes half a second; on a busy one the thread gets its CPU time later. */
async function stopped(running: Promise<unknown>): Promise<SandboxError> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it still ran after 9 s')), 9_000)
  })
  const error = await Promise.race([failure(running), late]).finally(() => clearTimeout(timer))
  expect(error).toBeInstanceOf(SandboxError)
  return error
}

let warnings: unknown[] = []
const warned = (...all: unknown[]) => warnings.push(all)
beforeAll(() => {
  process.on('unhandledRejection', warned)
})
afterAll(() => {
  process.off('unhandledRejection', warned)
  expect(warnings).toEqual([])
  warnings = []
})

test('Code returns the value of its expression or function over its input', async () => {
  expect(
    await expression(
      'input.price > 10 && nodes.http.output.status === 200',
      { price: 11 },
      { http: { output: { status: 200 } } },
    ),
  ).toBe(true)
  expect(
    await body('const total = input.items.reduce((sum, { price }) => sum + price, 0)\nreturn { total }', {
      items: [{ price: 1 }, { price: 2 }],
    }),
  ).toEqual({
    total: 3,
  })
  expect(await expression('({ a: [1, "x", null, true] }) // with a comment')).toEqual({ a: [1, 'x', null, true] })
  expect(await expression('input')).toEqual({})
  expect(await sandbox.evaluate({ code: '[input, nodes]', kind: 'expression', input: undefined, nodes: null })).toEqual(
    [null, null],
  )
})

test('A value keeps every character', async () => {
  const text = 'é😀\u0000\u2028"\\\n\ud800 ﷽ ‮'
  expect(await expression('input.text', { text })).toBe(text)
  expect(await expression(`${JSON.stringify('é😀﷽')} + input.text.length`, { text })).toBe(`é😀﷽${text.length}`)
  expect(await body('const größe = [...input.text].length\nreturn größe', { text })).toBe([...text].length)
})

test('A value is serialised as JSON.stringify does, whatever the object', async () => {
  expect(await expression('({ toJSON() { return { a: 1 } } })')).toEqual({ a: 1 })
  expect(await expression('({ get a() { return 2 }, b: undefined, c() {}, d: NaN })')).toEqual({ a: 2, d: null })
  expect(await expression('new Proxy({ a: 3 }, {})')).toEqual({ a: 3 })
  expect(await expression('new Map([[1, 2]])')).toEqual({})
})

test('A value and the input may each be 256 KiB long', async () => {
  const text = 'x'.repeat(262_100)
  expect(await expression('input.length', text)).toBe(262_100)
  expect(await expression('"x".repeat(262_142)')).toHaveLength(262_142)
  expect((await stopped(expression('"x".repeat(262_143)'))).code).toBe('sandbox_output_too_large')
  expect((await stopped(expression('"é".repeat(140_000)'))).code).toBe('sandbox_output_too_large')
  expect((await stopped(expression('1', text.repeat(2)))).code).toBe('sandbox_input_too_large')
  expect((await stopped(expression(`"${text.repeat(2)}"`))).code).toBe('sandbox_input_too_large')
})

describe('Stopped code', () => {
  const limits = /^sandbox_(timeout|memory)$/
  test.each([
    ['an endless loop', 'while (true) {}', limits],
    ['an endless loop that catches everything', 'for (;;) try { for (;;); } catch {} finally { continue }', limits],
    ['an allocation bomb', 'const a = []; while (true) a.push(new Array(1e4).fill(1))', limits],
    ['a bomb that catches', 'let a = []; for (;;) try { for (;;) a.push({ a }) } catch {}', limits],
    ['one large buffer', 'return new ArrayBuffer(1e9).byteLength', limits],
    [
      'a doubling string',
      'let s = "a"; while (true) s = (s + s).replace("a", "aa")',
      /^sandbox_(timeout|memory|error)$/,
    ],
    ['a long join, which no interrupt reaches', 'return new Array(1e9) + ""', limits],
    ['a join of long strings', 'return Array(2e5).fill("a".repeat(1e3)).join("").length', limits],
    ['a raw string of a billion parts', 'return String.raw.call(0, { raw: { length: 1e9 } })', limits],
    ['a split', 'return "a".repeat(5e6).split("").length', limits],
    ['catastrophic backtracking', 'return /^(a+)+$/.test("a".repeat(40) + "b")', limits],
    ['numbers without end', 'let x = 7n; for (;;) x *= x', /^sandbox_(timeout|memory|error)$/],
    ['a sort of everything', 'return Array.from({ length: 1e6 }, (_, i) => -i).sort()', limits],
    ['deep recursion', 'const f = () => f() + 1; return f()', /^sandbox_(error|timeout)$/],
    [
      'recursion that goes on in finally',
      '(function f() { try { f() } finally { f() } })()',
      /^sandbox_(error|timeout|memory)$/,
    ],
    ['deep brackets', `return ${'['.repeat(20_000)}`, /^sandbox_(error|timeout)$/],
    ['deep JSON', 'return JSON.parse("[".repeat(1e5))', /^sandbox_(error|timeout)$/],
    ['an array in itself, flattened', 'const a = []; a[0] = a; return a.flat(Infinity)', /^sandbox_(error|timeout)$/],
    [
      'a deep result',
      'let o = {}; for (let i = 0; i < 20_000; i++) o = { o }; return o',
      /^sandbox_(error|timeout|not_json|output_too_large)$/,
    ],
    ['a huge result', 'return Array(1e5).fill("abcdefgh")', /^sandbox_output_too_large$/],
    ['a result that never ends writing itself', 'return { toJSON() { for (;;); } }', limits],
    ['a getter that never ends', 'return { get a() { for (;;); } }', limits],
    ['a proxy that never ends', 'return new Proxy({}, { ownKeys() { for (;;); } })', limits],
    ['an error that never ends printing itself', 'throw { toString() { for (;;); } }', limits],
    [
      'an error whose name never ends',
      'const e = new Error("x"); Object.defineProperty(e, "stack", { get() { for (;;); } }); throw e',
      limits,
    ],
    ['promises that make promises', 'const f = () => Promise.resolve().then(f); f(); for (;;);', limits],
    ['a generator without end', 'return [...(function* () { for (;;) yield 1 })()]', limits],
  ])('The sandbox stops %s, and the next call is correct', async (_, code, expected) => {
    await expression('1')
    expect((await stopped(body(code))).code).toMatch(expected)
    expect(await expression('input.a + 1', { a: 41 })).toBe(42)
  })
})

test.each([
  ['undefined', 'undefined', 'the result is undefined'],
  ['a function', '() => 1', 'the result is a function'],
  ['a symbol', 'Symbol("x")', 'the result is a symbol'],
  ['a BigInt', '7n', /BigInt/],
  ['a BigInt inside', '({ a: [7n] })', /BigInt/],
  ['a circular value', '(() => { const a = {}; a.a = a; return a })()', /circular/],
  ['a promise', 'Promise.resolve(1)', /promise/],
  ['the result of an async function', '(async () => 1)()', /promise/],
  ['an import', 'import("fs")', /promise/],
  ['a value whose toJSON throws', '({ toJSON() { throw new Error("no") } })', /^Error: no/],
  [
    'a revoked proxy',
    '(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy })()',
    /revoked/,
  ],
])('The sandbox rejects %s as not JSON', async (_, code, message) => {
  expect(await stopped(expression(code))).toMatchObject({
    code: 'sandbox_not_json',
    message: expect.stringMatching(message),
  })
})

test.each([
  ['const a = 1\nconst b = ;', /^SyntaxError: .* \(line 2\)$/],
  ['const a = null\n\nreturn a.b', /^TypeError: .* \(line 3\)$/],
  ['return nothing', /^ReferenceError: 'nothing' is not defined \(line 1\)$/],
  ['throw new RangeError("mine")', /^RangeError: mine \(line 1\)$/],
  ['throw "text"', /^text$/],
  ['throw null', /^null$/],
  ['throw { message: "x" }', /^\[object Object\]$/],
  ['throw Symbol("x")', /^something that does not print$/],
  ['throw new Error("x".repeat(1e5))', /^Error: x{400,500} \(line 1\)$/],
  ['return {', /^SyntaxError: .* \(line 1\)$/],
  ['await 1', /^SyntaxError/],
  ['undeclared = 1', /^ReferenceError/],
])('The sandbox reports the error and the line of: %s', async (code, message) => {
  expect(await stopped(body(code))).toMatchObject({ code: 'sandbox_error', message: expect.stringMatching(message) })
})

test('Code has no process, modules, network or timers', async () => {
  const names = [
    'process',
    'require',
    'module',
    'fetch',
    'XMLHttpRequest',
    'WebSocket',
    'setTimeout',
    'setInterval',
    'setImmediate',
    'queueMicrotask',
  ]
  const more = [
    'Buffer',
    'WebAssembly',
    'Worker',
    'Deno',
    'std',
    'os',
    'console',
    'print',
    'load',
    'read',
    'gc',
    'SharedArrayBuffer',
    'Atomics',
  ]
  const code = `[${[...names, ...more].map((name) => `typeof ${name}`).join()}].filter((type) => type !== 'undefined')`
  expect(await expression(code)).toEqual([])
})

test.each([
  "this.constructor.constructor('return process')()",
  "({}).constructor.constructor('return process')()",
  "(() => {}).constructor('return process')()",
  "(async () => {}).constructor('return process')()",
  "(0, eval)('process')",
  "new Function('return this.process.env')()",
  "Reflect.construct(Function, ['return process'])()",
  'new Error().constructor.prepareStackTrace(1, 2)[0].getThis().process',
  'input.constructor.constructor("return process.exit(1)")()',
])('The escape attempt %s fails', async (code) => {
  expect((await stopped(expression(code))).code).toMatch(/^sandbox_(error|not_json)$/)
})

test('Code has no clock and no randomness, so that a replay returns the same value', async () => {
  expect(
    await expression(
      '[typeof Date, typeof Math.random, typeof performance, typeof WeakRef, typeof FinalizationRegistry, typeof Intl]',
    ),
  ).toEqual(Array(6).fill('undefined'))
  const code = `
      const seen = new Set()
      const walk = (value, path) => {
        if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return
        seen.add(value)
        for (const key of Reflect.ownKeys(value)) {
          if (/^(random|now|Date|hrtime)$/.test(String(key))) throw new Error(path + '.' + String(key))
          const at = Object.getOwnPropertyDescriptor(value, key)
          walk(at.value, path + '.' + String(key)); walk(at.get, path + '.get ' + String(key))
        }
        walk(Object.getPrototypeOf(value), path + '.[[Prototype]]')
      }
      walk(globalThis, 'globalThis')
      return [seen.size, new Error('x').stack, Object.keys({ b: 1, a: 2, 1: 3 }), [3, 1, 2].toSorted(), (0.1 + 0.2).toString()]`
  const first = await body(code)
  expect(first).toEqual(await body(code))
  expect((first as number[])[0]).toBeGreaterThan(300)
})

test('A call finds nothing that an earlier call left behind', async () => {
  await body(`
      globalThis.left = 1
      Object.prototype.left = 1
      Array.prototype.map = () => 'bent'
      JSON.stringify = () => '"bent"'
      return 1`)
  const look = () => expression('[typeof left, ({}).left === undefined, [1].map((n) => n + 1)]')
  for (let i = 0; i < 4; i++) expect(await look()).toEqual(['undefined', true, [2]])
})

test('Code that overwrites built-ins affects neither its result nor this process', async () => {
  expect(
    await body(
      "JSON.stringify = () => 'bent'; JSON.parse = null; Reflect.apply = null; globalThis.Promise = null; return { a: 1 }",
    ),
  ).toEqual({ a: 1 })
  const value = (await expression(
    'JSON.parse(\'{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}\')',
  )) as object
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  expect(await body('Object.prototype.toJSON = function () { return "mine" }; return { a: 1 }')).toBe('mine')
  expect(
    (
      await stopped(
        body('Object.setPrototypeOf(Error.prototype, null); Error.prototype.toString = null; throw new Error("x")'),
      )
    ).code,
  ).toBe('sandbox_error')
})

test('Fifty concurrent calls, some of them failing, each get their own result', async () => {
  const bad: Record<number, string> = {
    7: 'for (;;);',
    19: 'return new Array(1e9) + ""',
    23: 'throw new Error("no")',
    31: 'return new ArrayBuffer(1e9)',
  }
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      body(bad[n] ?? 'return input.n * 2', { n }).catch((error: SandboxError) => error.code),
    ),
  )
  const expected = Array.from({ length: 50 }, (_, n) => (n * 2) as unknown)
  for (const n of Object.keys(bad)) expected[Number(n)] = expect.stringMatching(/^sandbox_/)
  expect(answers).toEqual(expected)
})

test('Code that has answered does not fail because this process was busy', async () => {
  await expression('1')
  const answer = expression('input.a + 1', { a: 41 })
  for (const until = performance.now() + 700; performance.now() < until; ) Math.sqrt(until)
  expect(await answer).toBe(42)
})

test('A tenant with one call waits behind one call of a tenant with many', async () => {
  const one = newSandbox(1)
  const order: string[] = []
  const call = (tenant: string, n: number) =>
    one
      .evaluate({ code: 'input', kind: 'expression', input: n, nodes: {}, owner: ownOwner(tenant) })
      .then((value) => order.push(`${tenant}${value}`))
  await Promise.all([...Array.from({ length: 8 }, (_, n) => call('many', n)), call('few', 0), call('few', 1)])
  expect(order.slice(0, 4)).toEqual(['many0', 'few0', 'many1', 'few1'])
})

test('The process’s own sandbox threads evaluate too', async () => {
  expect(await evaluate({ code: 'input + 1', kind: 'expression', input: 1, nodes: {} })).toBe(2)
})

test('Idle sandbox threads do not keep a process alive', async () => {
  const file = new URL('../../activities/automation/sandbox.ts', import.meta.url).href
  const script = `const { newSandbox } = await import('${file}')
    const sandbox = newSandbox(2)
    console.log(await sandbox.evaluate({ code: 'input.a', kind: 'expression', input: { a: 'done' }, nodes: {} }))
    await sandbox.evaluate({ code: 'new Array(1e9) + ""', kind: 'expression', input: {}, nodes: {} }).catch((error) => console.log(error.code))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  expect(await once(child, 'close')).toEqual([0, null])
  expect(output).toBe('done\nsandbox_timeout\n')
})
