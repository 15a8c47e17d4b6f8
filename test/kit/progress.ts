// A reporter for Jest: how many files are done and about how long the rest takes, and which files took longest.
import fs from 'node:fs'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
/** Seconds of every file of the last run. */
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

type Ended = { perfStats: { start: number; end: number } }

export default class Progress {
  private begun = 0
  private before = new Map<string, number>()
  private readonly times = new Map<string, number>()

  onRunStart(): void {
    this.begun = performance.now()
    this.before = timesBefore()
  }

  onTestResult({ path: file }: { path: string }, { perfStats }: Ended, run: { numTotalTestSuites: number }): void {
    const { numTotalTestSuites: total } = run
    this.times.set(path.relative(root, file), (perfStats.end - perfStats.start) / 1000)
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
    const lines = slowest.slice(0, files.named).map(([file, seconds]) => `${seconds.toFixed(0).padStart(5)} s  ${file}`)
    process.stderr.write(`The files that took longest:\n${lines.join('\n')}\n`)
    fs.mkdirSync(path.dirname(timesFile), { recursive: true })
    fs.writeFileSync(timesFile, slowest.map(([file, seconds]) => `${file}\t${seconds.toFixed(1)}\n`).join(''))
  }
}
