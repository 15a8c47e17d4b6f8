// The commit that a report names.
import { execFileSync } from 'node:child_process'

export function commitOf(): string {
  try {
    const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes'}`
  } catch {
    return 'unknown'
  }
}
