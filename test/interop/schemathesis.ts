// schemathesis sends valid and invalid requests of the document with an operator's and a visitor's credentials, and
// checks every answer against it.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { connected, product } from '../kit/orders/buying.ts'
import { newShop } from '../kit/shop.ts'
import { documentFile, printed } from './document.ts'
import type { Case, Outcome } from './outcome.ts'
import { python, versions } from './tools.ts'
import { checkPackages, type World } from './world.ts'

/** These end the credentials that all later requests need. */
const excluded = [
  'DELETE /v1/accounts',
  'POST /v1/storefront/account/logout',
  'POST /v1/stores/{storeId}/publishable-key/rotate',
]

/** Failures that no expectation excuses. */
const neverExpected = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'ignored_auth',
]

/**
 * Rows of expected.tsv: reports about rules that an OpenAPI document cannot express. Code and operation are patterns of
 * the whole text. A report that is drawn at random is marked as occasional; a row whose report no longer occurs is a
 * fault.
 */
type Expected = { check: string; status: string; code: RegExp; operation: RegExp; happens: string; reason: string }

const expectations = (): Expected[] =>
  fs
    .readFileSync(new URL('expected.tsv', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [check = '', status = '', code = '', operation = '', happens = '', reason = ''] = line.split('\t')
      return {
        check,
        status,
        code: new RegExp(`^(${code})$`),
        operation: new RegExp(`^(${operation})$`),
        happens,
        reason,
      }
    })

/** One failed check: its request, and the codes of the problem in the answer. */
type Report = { check: string; operation: string; status: number; codes: string[]; asked: string; message: string }

type Encoded = { $base64: string } | null
type Interaction = {
  request: { method: string; uri: string; body?: Encoded }
  response: { status_code: number; content: Encoded } | null
}
type Check = {
  name: string
  status: string
  failure_info?: { failure: { operation: string; title: string; message: string } }
}
type Recorder = { checks?: Record<string, Check[]>; interactions: Record<string, Interaction> }
type Line = {
  ScenarioFinished?: { recorder: Recorder }
  NonFatalError?: { value: { type: string; message: string }; label?: string }
}

const decoded = (bytes: Encoded | undefined) => (bytes ? Buffer.from(bytes.$base64, 'base64').toString() : '')

function codesOf(text: string): string[] {
  try {
    const { code, errors = [] } = JSON.parse(text) as { code?: string; errors?: { code: string; detail: string }[] }
    // A list of values is in the document; another rule about a value may not be.
    const codeOf = (one: { code: string; detail: string }) =>
      one.code === 'invalid_value' && !one.detail.startsWith('Expected one of') ? 'rule_of_a_value' : one.code
    return code === 'invalid_input' && errors.length > 0 ? [...new Set(errors.map(codeOf))] : code ? [code] : []
  } catch {
    return []
  }
}

function reportsIn(lines: readonly Line[]): Report[] {
  return lines.flatMap(({ ScenarioFinished: scenario }) =>
    Object.entries(scenario?.recorder.checks ?? {}).flatMap(([id, checks]) =>
      checks.flatMap(({ name, status, failure_info }) => {
        if (status === 'success' || !failure_info) return []
        const { request, response } = scenario?.recorder.interactions[id] ?? {}
        const text = decoded(response?.content)
        const asked = `${request?.method} ${request?.uri.slice(0, 300)} ${decoded(request?.body).slice(0, 300)} -> ${response?.status_code} ${text.slice(0, 500)}`
        const { operation, message } = failure_info.failure
        return [{ check: name, operation, status: response?.status_code ?? 0, codes: codesOf(text), asked, message }]
      }),
    ),
  )
}

/** The rows that expect a report. None if a code of the answer is not expected: it may be a defect. */
function expectedBy(report: Report, expected: readonly Expected[]): Expected[] {
  if (neverExpected.includes(report.check)) return []
  const rowOf = (code: string) =>
    expected.find(
      (one) =>
        one.check === report.check &&
        one.status === String(report.status) &&
        one.operation.test(report.operation) &&
        one.code.test(code),
    )
  const rows = (report.codes.length > 0 ? report.codes : ['']).map(rowOf)
  return rows.every((row) => row !== undefined) ? rows : []
}

async function credentials(): Promise<{ storeId: string; headers: Record<string, string> }> {
  const shop = await newShop()
  await connected(shop)
  await product(shop, { stock: 100 })
  const visitor = await shop.visitor()
  // In the document's spelling: schemathesis takes a header of another spelling for one that it has made itself.
  const spelt = (name: string) => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase())
  const headers = Object.entries({ ...shop.op.headers, ...visitor.headers }).map(([name, value]) => [
    spelt(name),
    value,
  ])
  return { storeId: shop.store_id, headers: Object.fromEntries(headers) }
}

async function play(world: World, interpreter: string): Promise<Outcome> {
  const dir = path.join(world.dir, 'schemathesis')
  fs.mkdirSync(dir)
  const { storeId, headers } = await credentials()
  const hooks = fileURLToPath(new URL('hooks.py', import.meta.url))
  const config = path.join(dir, 'schemathesis.toml')
  fs.writeFileSync(config, `[parameters]\n"path.storeId" = "${storeId}"\n`)
  const [ndjson, json] = [path.join(dir, 'events.ndjson'), path.join(dir, 'run.json')]
  const options = {
    ...{
      '--url': world.api,
      '--checks': 'all',
      '--phases': 'examples,coverage,fuzzing',
      '--max-examples': '5',
      '--workers': '2',
    },
    ...{
      '--suppress-health-check': 'all',
      '--request-timeout': '30',
      '--report': 'ndjson,json',
      '--report-ndjson-path': ndjson,
      '--report-json-path': json,
    },
  }
  const args = [
    ...[
      '-m',
      'schemathesis.cli',
      '--config-file',
      config,
      'run',
      await documentFile(world),
      '--no-color',
      '--continue-on-failure',
      '--generation-deterministic',
    ],
    ...Object.entries(options).flat(),
    ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ...excluded.flatMap((name) => ['--exclude-name', name]),
  ]
  const { text } = await printed(interpreter, args, {
    cwd: dir,
    env: { ...process.env, SCHEMATHESIS_HOOKS: hooks },
    timeout: 1_800_000,
  })
  if (!fs.existsSync(json)) return { shown: '', faults: [text.trim().slice(-2000)] }
  type Run = { complete: boolean; operations: { selected: number; tested: number }; test_cases: { generated: number } }
  const run = JSON.parse(fs.readFileSync(json, 'utf8')) as Run
  const lines = fs
    .readFileSync(ndjson, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  const reports = reportsIn(lines)
  const expected = expectations()
  const judged = reports.map((report) => ({ report, rows: expectedBy(report, expected) }))
  const wrong = judged.filter(({ rows }) => rows.length === 0).map(({ report }) => report)
  const met = new Set(judged.flatMap(({ rows }) => rows))
  const errors = lines.flatMap(({ NonFatalError: error }) =>
    error ? [`${error.label ?? ''} ${error.value.type}: ${error.value.message.slice(0, 300)}`] : [],
  )
  // One report per operation, check and code: many cases meet the same defect.
  const distinct = new Map(
    wrong.map((report) => [[report.check, report.operation, report.status, ...report.codes].join(' '), report]),
  )
  const { selected, tested } = run.operations
  return {
    shown: `${run.test_cases.generated} cases over ${tested} of ${selected} operations, ${reports.length - wrong.length} expected reports`,
    faults: [
      ...(run.complete && tested === selected ? [] : [`${tested} of ${selected} operations were tested`]),
      ...new Set(errors),
      ...expected
        .filter((row) => row.happens === 'always' && !met.has(row))
        .map(({ reason }) => `expected.tsv expects what no longer happens: ${reason}`),
      ...[...distinct].map(([what, { asked, message }]) => `${what}: ${message.split('\n')[0]}\n  ${asked}`),
    ],
  }
}

export const schemathesis: Case = {
  name: 'schemathesis',
  with: `schemathesis ${versions.schemathesis}`,
  run: async (world, say) => play(world, await python('checks', checkPackages, say)),
}
