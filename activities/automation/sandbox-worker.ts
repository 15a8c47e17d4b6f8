// One thread of the sandbox: evaluates code that a user wrote in a WebAssembly runtime with nothing but its input, and
// returns JSON.
import fs from 'node:fs'
import { parentPort } from 'node:worker_threads'
import variant from '@jitl/quickjs-wasmfile-release-sync'
import {
  type CustomizeVariantOptions,
  DefaultIntrinsics,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
  Scope,
} from 'quickjs-emscripten-core'
import { cut } from '../../rules/excerpts.ts'

export type SandboxCode =
  | 'sandbox_timeout'
  | 'sandbox_memory'
  | 'sandbox_error'
  | 'sandbox_input_too_large'
  | 'sandbox_output_too_large'
  | 'sandbox_not_json'
export type SandboxKind = 'expression' | 'body'
/** `inputs` is the JSON of `{input, nodes}`, `values` of the array that the code reads by `name`. */
export type SandboxTask = {
  tenant: string
  code: string
  kind: SandboxKind
  inputs: string
  values: string
  name: string
}
export type SandboxReply = { json: string } | { code: SandboxCode; message: string }
/** The answer to a task, or none when the thread is ready; `used_ms`: CPU time of the thread so far. */
export type SandboxMessage = { used_ms: number; answer: SandboxReply | null }

const cpuMs = 100
const memoryBytes = 16 * 1_048_576
const stackBytes = 262_144
const outputMax = 262_144
const messageMax = 500

// Compiled once in each thread: an instance takes a millisecond instead of eight. Neither TypeScript's nor Node's types
// know WebAssembly without a browser.
type Compiled = NonNullable<CustomizeVariantOptions['wasmModule']>
declare const WebAssembly: { Module: new (bytes: Uint8Array) => Compiled }
const wasmModule = new WebAssembly.Module(
  fs.readFileSync(new URL(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/wasm'))),
)
// The package's types describe its CommonJS half, where this import would be the module.
const built = newVariant(variant as unknown as QuickJSSyncVariant, { wasmModule })
const instance = (): Promise<QuickJSWASMModule> => newQuickJSWASMModuleFromVariant(built)

/** The thread's own CPU time, where Node provides it (24), so that a busy machine causes no timeout. */
const usedMs = (): number => {
  if (!('threadCpuUsage' in process)) return performance.now()
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/**
 * Runs before the user's code, and keeps references that the code may overwrite. Clock and random numbers are removed:
 * evaluations are deterministic.
 */
const prelude = `(() => {
  'use strict'
  const { parse, stringify } = JSON
  const { apply } = Reflect
  const { Promise, Error } = globalThis
  delete Math.random
  for (const name of ['Date', 'WeakRef', 'FinalizationRegistry', 'performance', 'queueMicrotask', 'SharedArrayBuffer', 'Atomics']) delete globalThis[name]
  const print = (value) => {
    try {
      return \`\${value}\`
    } catch {
      return 'something that does not print'
    }
  }
  return {
    run(code, inputs, values) {
      const { input, nodes } = parse(inputs)
      return apply(code, undefined, [input, nodes, parse(values)])
    },
    write(value) {
      if (value instanceof Promise) throw 'the result is a promise, and nothing waits here'
      const json = stringify(value)
      if (json === undefined) throw 'the result is ' + (value === undefined ? 'undefined' : 'a ' + typeof value)
      return json
    },
    message: (error) => print(error),
    place: (error) => (error instanceof Error ? print(error.stack) : ''),
  }
})()`

class Failed extends Error {
  readonly code: SandboxCode
  constructor(code: SandboxCode, message: string) {
    super(message)
    this.code = code
  }
}

function evaluate(quickjs: QuickJSWASMModule, { code, kind, inputs, values, name }: SandboxTask, scope: Scope): string {
  const runtime = scope.manage(quickjs.newRuntime({ memoryLimitBytes: memoryBytes, maxStackSizeBytes: stackBytes }))
  const vm = scope.manage(runtime.newContext({ intrinsics: { ...DefaultIntrinsics, BigInt: true, Date: false } }))
  const until = usedMs() + cpuMs
  let interrupted = false
  runtime.setInterruptHandler(() => {
    interrupted ||= usedMs() > until
    return interrupted
  })
  const timeout = () => new Failed('sandbox_timeout', `the code needs more than ${cpuMs} ms`)

  const ours = scope.manage(vm.unwrapResult(vm.evalCode(prelude, 'prelude.js')))
  const printed = (name: 'message' | 'place', error: QuickJSHandle): string => {
    const result = scope.manage(vm.callMethod(ours, name, [error]))
    return result.error || vm.typeof(result.value) !== 'string' ? '' : vm.getString(result.value)
  }
  /** The value, or the error with the user's line numbers. */
  const settled = (
    result: ReturnType<typeof vm.evalCode>,
    failure: 'sandbox_error' | 'sandbox_not_json',
  ): QuickJSHandle => {
    scope.manage(result)
    if (!result.error) return result.value
    if (interrupted) throw timeout()
    const message = printed('message', result.error)
    if (/^InternalError: out of memory/.test(message))
      throw new Failed('sandbox_memory', `the code needs more than ${memoryBytes / 1_048_576} MiB`)
    const line = /\bcode\.js:(\d+)/.exec(printed('place', result.error))?.[1]
    if (interrupted) throw timeout()
    const lines = code.split('\n').length
    throw new Failed(
      failure,
      `${cut(message, messageMax) || 'an error that does not print'}${line ? ` (line ${Math.min(Number(line), lines)})` : ''}`,
    )
  }

  // On one line with the user's first, so that line numbers match; the end is on a line of its own, as the code may end
  // in a comment.
  const source =
    kind === 'body'
      ? `(function (input, nodes) { 'use strict'; ${code}\n})`
      : `(function (input, nodes, ${name}) { 'use strict'; return (${code}\n)})`
  const compiled = settled(vm.evalCode(source, 'code.js'), 'sandbox_error')
  const value = settled(
    vm.callMethod(ours, 'run', [compiled, scope.manage(vm.newString(inputs)), scope.manage(vm.newString(values))]),
    'sandbox_error',
  )
  const written = settled(vm.callMethod(ours, 'write', [value]), 'sandbox_not_json')
  const tooLarge = new Failed('sandbox_output_too_large', `the result is longer than ${outputMax / 1_024} KiB of JSON`)
  if (vm.getNumber(scope.manage(vm.getProp(written, 'length'))) > outputMax) throw tooLarge
  const json = vm.getString(written)
  if (Buffer.byteLength(json) > outputMax) throw tooLarge
  return json
}

let quickjs = await instance()
let tenant = ''

async function reply(task: SandboxTask): Promise<SandboxReply> {
  // An error of the engine may corrupt its memory, which is never used for another tenant's code.
  if (task.tenant !== tenant) quickjs = await instance()
  tenant = task.tenant
  const scope = new Scope()
  let failed: Failed | undefined
  let spoiled = false
  let json = ''
  try {
    json = evaluate(quickjs, task, scope)
  } catch (error) {
    // Any other error came from the engine: a stack overflow or a trap.
    spoiled = !(error instanceof Failed) || error.code === 'sandbox_timeout' || error.code === 'sandbox_memory'
    failed =
      error instanceof Failed
        ? error
        : new Failed(
            'sandbox_error',
            error instanceof RangeError ? 'RangeError: nested too deeply' : 'the engine gave up',
          )
  }
  try {
    // Freeing an interrupted runtime may fail: its memory is dropped as a whole.
    if (!spoiled) scope.dispose()
  } catch {
    spoiled = true
  }
  if (spoiled) quickjs = await instance()
  return failed ? { code: failed.code, message: failed.message } : { json }
}

// Compiles the module before the first task.
await reply({ tenant, code: '1', kind: 'expression', inputs: '{}', values: '[]', name: '__t' })
const tell = (answer: SandboxReply | null): void =>
  parentPort?.postMessage({ used_ms: usedMs(), answer } satisfies SandboxMessage)
parentPort?.on('message', async (task: SandboxTask) => tell(await reply(task)))
tell(null)
