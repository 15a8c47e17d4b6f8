// Runs the shell blocks of a Markdown file in order, in one shell, and compares what each prints with the block below
// it.
//   ```sh                        runs; it must exit with 0
//   ```sh no-run: the reason     does not run
//   ```json or ```text           directly below: what the block prints, one value after the other
// In an expected value, `…` stands for any text, `"…"` for any value, and members of an object that are left out are
// not compared.
import { spawn } from 'node:child_process'

export type Block = { line: number; text: string; expected: Expected | undefined; skipped: string | undefined }
type Expected = { line: number; text: string }

const fence = /^```(.*)$/

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  let open: { line: number; info: string; text: string[] } | undefined
  let last: Block | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    const info = fence.exec(line)?.[1]
    if (info === undefined) {
      if (open) open.text.push(line)
      else if (line.trim() !== '') last = undefined
    } else if (!open) {
      open = { line: index + 1, info, text: [] }
    } else {
      const text = open.text.join('\n')
      if (/^sh\b/.test(open.info)) {
        last = { line: open.line, text, expected: undefined, skipped: /^sh no-run: (.+)/.exec(open.info)?.[1] }
        if (open.info !== 'sh' && !last.skipped)
          throw new Error(`line ${open.line}: expected \`sh\` or \`sh no-run: <reason>\`, got \`${open.info}\``)
        blocks.push(last)
      } else {
        if (last && /^(json|text)$/.test(open.info)) last.expected = { line: open.line, text }
        last = undefined
      }
      open = undefined
    }
  }
  return blocks
}

/** Lines of text, and JSON values of one or more lines. */
function valuesOf(text: string): unknown[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const values: unknown[] = []
  for (let from = 0; from < lines.length; ) {
    let to = from + 1
    let value: unknown = lines[from]
    for (let end = from + 1; end <= lines.length; end++) {
      try {
        value = JSON.parse(lines.slice(from, end).join('\n'))
        to = end
        break
      } catch {}
    }
    values.push(value)
    from = to
  }
  return values
}

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function fits(actual: unknown, expected: unknown): boolean {
  if (expected === '…') return actual !== undefined && actual !== ''
  if (typeof expected === 'string')
    return (
      typeof actual === 'string' && new RegExp(`^${expected.split('…').map(literal).join('.+')}$`, 's').test(actual)
    )
  if (Array.isArray(expected))
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((value, index) => fits(actual[index], value))
    )
  if (expected === null || typeof expected !== 'object') return actual === expected
  if (actual === null || typeof actual !== 'object') return false
  return Object.entries(expected).every(([key, value]) => fits((actual as Record<string, unknown>)[key], value))
}

const mark = '\u001e'

/** The script has each command in the line that it has in the file, so that bash names the file's lines. */
function scriptOf(markdown: string, blocks: readonly Block[]): string {
  const lines = markdown.split('\n').map(() => '')
  for (const { line, text, skipped } of blocks) {
    if (skipped) continue
    lines[line - 1] = `printf '\\n${mark}%s\\n' ${line}`
    for (const [index, command] of text.split('\n').entries()) lines[line + index] = command
  }
  return lines.join('\n')
}

type Shell = { cwd: string; env: NodeJS.ProcessEnv; timeoutMs?: number }

function bash(
  script: string,
  { cwd, env, timeoutMs = 90_000 }: Shell,
): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((done, fail) => {
    const trap = `trap 'code=$?; echo "${mark}$LINENO $code" >&2' ERR`
    const child = spawn('bash', ['-eEuo', 'pipefail', '-c', `${trap}; ${script}`], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      err += text
    })
    // A loop that waits for something that never happens ends with its whole group.
    const timer = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), timeoutMs)
    child.on('error', fail).on('close', (code) => {
      clearTimeout(timer)
      done({ code, out, err })
    })
  })
}

/** One line per fault, each with the file and line it is about; empty if every block did what the file says. */
export async function faultsOf(name: string, markdown: string, shell: Shell): Promise<string[]> {
  const blocks = blocksOf(markdown)
  const { code, out, err } = await bash(scriptOf(markdown, blocks), shell)
  const printed = new Map(
    out
      .split(`\n${mark}`)
      .slice(1)
      .map((part) => {
        const end = part.indexOf('\n')
        return [Number(part.slice(0, end)), part.slice(end + 1)] as const
      }),
  )
  const faults: string[] = []
  const reached = [...printed.keys()].at(-1)
  if (code !== 0) {
    const [, line, status] = new RegExp(`${mark}(\\d+) (\\d+)`).exec(err) ?? []
    const said = err.replaceAll(new RegExp(`${mark}.*\n`, 'g'), '').trim()
    const what = code === null ? `the block did not end in time` : `exit code ${status ?? code}`
    faults.push(`${name}:${line ?? reached ?? 1}: ${what}${said ? `: ${said.slice(-1500)}` : ''}`)
  }
  for (const { line, expected, skipped } of blocks) {
    const text = printed.get(line)
    if (skipped || text === undefined || (code !== 0 && line === reached)) continue
    const actual = valuesOf(text)
    if (!expected) {
      if (actual.length > 0)
        faults.push(
          `${name}:${line}: the block prints, and no \`json\` or \`text\` block below says what: ${text.trim()}`,
        )
    } else if (!fits(actual, valuesOf(expected.text))) {
      faults.push(`${name}:${expected.line}: printed\n${text.trim()}\nexpected\n${expected.text}`)
    }
  }
  return faults
}
