// The report of a run: how many requests were sent, how they were answered, and every undeclared answer with its
// request.
import type { Failure, Played } from './play.ts'

export type Run = { seed: number; commit: string; played: Played; bugs: readonly string[]; died: readonly string[] }

const row = (...cells: (string | number)[]) => `| ${cells.join(' | ')} |`
const table = (head: string[], rows: (string | number)[][]): string[] => [
  row(...head),
  row(...head.map(() => '---')),
  ...rows.map((one) => row(...one)),
]

const percent = (part: number, whole: number) => `${whole === 0 ? 0 : Math.round((part / whole) * 100)} %`

/** The first of each kind, and how many there were. */
function kinds(failures: readonly Failure[]): { first: Failure; times: number }[] {
  return [...Map.groupBy(failures, ({ operation, fault }) => `${operation} ${fault}`).values()].map((all) => ({
    first: all[0] as Failure,
    times: all.length,
  }))
}

export const unasked = ({ operations }: Played): string[] =>
  [...operations].filter(([, { sent }]) => sent === 0).map(([name]) => name)
export const neverGood = ({ operations }: Played): string[] =>
  [...operations].filter(([, { good }]) => good === 0).map(([name]) => name)

/**
 * Routes that were never requested, of which every fifth request takes the next one, and, in a long run, routes that
 * were only refused, if they are more than one in twenty.
 */
export function unseen(played: Played): string[] {
  const never = played.sent < 10_000 ? [] : neverGood(played)
  return [
    ...(played.sent < 5 * played.operations.size ? [] : unasked(played).map((name) => `NEVER REQUESTED: ${name}`)),
    ...(never.length * 20 > played.operations.size ? never.map((name) => `NEVER ANSWERED WITH 2xx: ${name}`) : []),
  ]
}

export function held({ played, bugs, died }: Run): boolean {
  return played.failures.length + bugs.length + died.length + unseen(played).length === 0
}

/** Each kind of failure once, with the command that repeats it. */
export function complaints({ seed, played, bugs, died }: Run): string[] {
  return [
    ...kinds(played.failures).map(
      ({ first: { n, operation, fault, caller, way, curl, answer }, times }) =>
        `BROKEN (${times} times): ${operation}: ${fault}\n  seed ${seed}, request ${n} (${way}, by ${caller})\n  ${curl}\n  answered: ${answer}`,
    ),
    ...bugs.map((line) => `LOGGED: ${line}`),
    ...died.map((line) => `DIED: ${line}`),
    ...unseen(played),
  ]
}

export function markdown(run: Run): string {
  const { seed, commit, played, bugs, died } = run
  const { operations, statuses, lenient } = played
  const of = (test: (fault: string) => boolean) => played.failures.filter(({ fault }) => test(fault)).length
  const never = neverGood(played)
  const slowest = played.slowest.toSorted((a, b) => b.ms - a.ms).slice(0, 5)
  return [
    '# Fuzz',
    '',
    `Seed ${seed}, commit ${commit}: ${played.sent} requests over ${operations.size} routes in ${played.seconds.toFixed(0)} s (${Math.round(played.sent / played.seconds)}/s).`,
    '',
    ...table(
      ['Violation', 'Count'],
      [
        ['5xx', of((fault) => /^answered 5/.test(fault))],
        ['Undeclared status', of((fault) => /^status /.test(fault))],
        ['Undeclared body or content type', of((fault) => /^(content type|the body|a body)/.test(fault))],
        ['Misleading problem or missing header', of((fault) => /problem|pointer|X-|without/.test(fault))],
        ['Undeclared method that is answered', of((fault) => /OPTIONS|HEAD|where 405/.test(fault))],
        ['No answer or late answer', of((fault) => /^(no answer|it took)/.test(fault))],
        ['Errors in the logs', bugs.length],
        ['Processes that died', died.length],
        ['Routes never requested', unasked(played).length],
      ],
    ),
    '',
    ...table(
      ['Answer', 'Count'],
      [...statuses].sort((a, b) => a[0] - b[0]).map(([status, times]) => [status, times]),
    ),
    '',
    `Routes without a 2xx: ${never.length} of ${operations.size} (${percent(never.length, operations.size)}).${never.map((name) => `\n- ${name}: ${answersOf(played, name)}`).join('')}`,
    '',
    `The slowest: ${slowest.map(({ ms, operation }) => `${operation} ${ms} ms`).join(', ')}.`,
    '',
    ...table(
      ['Route', 'Requests', '2xx'],
      [...operations].map(([name, { sent, good }]) => [name, sent, percent(good, sent)]),
    ),
    '',
    'Accepted although the document refuses it:',
    ...[...lenient].sort((a, b) => b[1] - a[1]).map(([what, times]) => `- ${times} × ${what}`),
    '',
  ].join('\n')
}

const answersOf = ({ operations }: Played, name: string): string =>
  [...(operations.get(name)?.statuses ?? [])].map(([status, times]) => `${times} × ${status}`).join(', ')
