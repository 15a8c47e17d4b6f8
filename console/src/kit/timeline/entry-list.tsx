// What happened, as a list: for screen readers, and for those who rather read.
import { useHere } from '../access.tsx'
import { clockText, dayText } from '../format.ts'
import { Json } from '../ui/copy.tsx'
import { Status } from '../ui/ui.tsx'
import type { Entry } from './courses.ts'
import { laneNames } from './layout.ts'
import classes from './picture.module.css'

const whoOf = ({ by }: Entry): string | undefined =>
  by
    ? (by.label ??
      { account: 'An operator', visitor: 'A visitor', provider: 'The provider', system: undefined }[by.type])
    : undefined

export function EntryList({ entries }: { entries: readonly Entry[] }) {
  const { zone } = useHere()
  return (
    <ol className={classes.list}>
      {entries.map((entry, at) => {
        const who = whoOf(entry)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are only added at the beginning
          <li key={at}>
            <span className={classes.when}>
              {dayText(entry.at, zone)}
              <br />
              {clockText(entry.at, zone)}
            </span>
            <div>
              <div dir="auto">{entry.title}</div>
              <div className={classes.who}>
                {laneNames[entry.lane]}
                {who && (
                  <>
                    {' · '}
                    <span dir="auto">{who}</span>
                  </>
                )}
                {entry.kind === 'settled' && entry.effect && (
                  <>
                    {' · '}
                    <Status value={String(entry.details.status ?? entry.effect.status)} />
                  </>
                )}
              </div>
              {Object.keys(entry.details).length > 0 && (
                <details className={classes.more}>
                  <summary>Details</summary>
                  <Json value={entry.details} label="Details" />
                </details>
              )}
            </div>
          </li>
        )
      })}
    </ol>
  )
}
