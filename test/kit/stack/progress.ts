// A reporter for Jest: how many files are done and about how long the rest takes, and which files took longest.
// `.dev/test-times.tsv` has a line for each file of the last whole run: seconds, processor seconds, number of tests.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../../..')
const timesFile = path.join(root, '.dev/test-times.tsv')
const files = { everyNth: 10, named: 15 }

/** "4 min", "50 s". */
const spanOf = (seconds: number): string =>
  seconds >= 90 ? `${Math.round(seconds / 60)} min` : `${Math.ceil(seconds / 10) * 10} s`

/** The seconds of files in the last run, by path. */
function timesBefore(): Map<string, number> {
  if (!fs.existsSync(timesFile)) return new Map()
  const lines = fs.readFileSync(timesFile, 'utf8').trim().split('\n')
  return new Map(lines.map((line) => line.split('\t') as [string, string]).map(([file, s]) => [file, Number(s)]))
}

/** Seconds for which the processors of this machine have computed anything, since it was started. */
const busySeconds = (): number =>
  os.cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) / 1000

type Ended = { perfStats: { start: number; end: number }; testResults: readonly unknown[] }

export default class Progress {
  private begun = 0
  private before = new Map<string, number>()
  private readonly times = new Map<string, number>()
  private readonly tests = new Map<string, number>()
  /**
   * Processor seconds of the whole machine while a file ran, in equal shares of the files that ran at the same time.
   */
  private readonly processor = new Map<string, number>()
  private readonly running = new Set<string>()
  private busy = 0

  onRunStart(): void {
    this.begun = performance.now()
    this.before = timesBefore()
    this.busy = busySeconds()
  }

  private account(): void {
    const busy = busySeconds()
    const share = (busy - this.busy) / this.running.size
    for (const file of this.running) this.processor.set(file, (this.processor.get(file) ?? 0) + share)
    this.busy = busy
  }

  onTestStart({ path: file }: { path: string }): void {
    this.account()
    this.running.add(path.relative(root, file))
  }

  onTestResult(
    { path: absolute }: { path: string },
    { perfStats, testResults }: Ended,
    run: { numTotalTestSuites: number },
  ): void {
    const { numTotalTestSuites: total } = run
    const file = path.relative(root, absolute)
    this.account()
    this.running.delete(file)
    this.times.set(file, (perfStats.end - perfStats.start) / 1000)
    this.tests.set(file, testResults.length)
    const { size: done } = this.times
    if (done % files.everyNth !== 0 || done === total) return
    const spent = (performance.now() - this.begun) / 1000
    process.stderr.write(
      `${done} of ${total} files after ${spanOf(spent)}, about ${spanOf(this.left(spent, total))} left\n`,
    )
  }

  /** By the times of the last run, else as if every file took the same time. Seconds. */
  private left(spent: number, total: number): number {
    const sumOf = (times: Map<string, number>, chosen: (file: string) => boolean) =>
      [...times].reduce((sum, [file, seconds]) => sum + (chosen(file) ? seconds : 0), 0)
    const doneBefore = sumOf(this.before, (file) => this.times.has(file))
    if (this.before.size < total || doneBefore === 0) return (spent / this.times.size) * (total - this.times.size)
    return (spent * sumOf(this.before, (file) => !this.times.has(file))) / doneBefore
  }

  onRunComplete(): void {
    const slowest = [...this.times].sort(([, a], [, b]) => b - a)
    if (slowest.length < 2 * files.named) return
    const lines = slowest.slice(0, files.named).map(([file, seconds]) => {
      const computed = (this.processor.get(file) ?? 0).toFixed(0)
      return `${seconds.toFixed(0).padStart(5)} s, ${computed.padStart(4)} s of processors  ${file}`
    })
    process.stderr.write(`The files that took longest:\n${lines.join('\n')}\n`)
    fs.mkdirSync(path.dirname(timesFile), { recursive: true })
    const row = ([file, seconds]: [string, number]) =>
      [file, seconds.toFixed(1), (this.processor.get(file) ?? 0).toFixed(1), this.tests.get(file)].join('\t')
    fs.writeFileSync(timesFile, `${slowest.map(row).join('\n')}\n`)
  }
}
