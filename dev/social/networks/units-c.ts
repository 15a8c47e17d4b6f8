// The units that the app spends at network c in a day.
import { google } from '../errors.ts'
import { withToken } from '../graph.ts'
import type { Answer, Call, Handler } from '../network.ts'
import { settingsOf } from '../settings.ts'
import { keyed, now, type Token } from '../state.ts'

// Of the app, not of an account: 10,000 units a day, and 100 uploads.
const units = keyed<{ day: number; units: number; uploads: number }>('units', ({ day }) => String(day))
/** The day of the Pacific coast, an hour off in summer. */
const today = () => Math.floor((now() - 8 * 3_600) / 86_400)
export function spend(cost: number, uploads = 0): Answer | undefined {
  const spent = units.get(String(today())) ?? { day: today(), units: 0, uploads: 0 }
  const { quota } = settingsOf('c', '')
  const exceeded = spent.units + cost > quota || (Number.isFinite(quota) && spent.uploads + uploads > 100)
  if (exceeded)
    return google(
      403,
      'quotaExceeded',
      'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
      'youtube.quota',
    )
  units.save({ day: spent.day, units: spent.units + cost, uploads: spent.uploads + uploads })
  return undefined
}
export const spentUnits = () => units.all()

export const costs = (cost: number, handler: (call: Call, token: Token) => Answer | Promise<() => Answer>): Handler =>
  withToken((call, token) => spend(cost) ?? handler(call, token))
