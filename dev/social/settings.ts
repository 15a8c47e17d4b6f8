// How a network behaves: the pace of its clocks and listings, and its limits. Set for a network, or for one of its
// accounts.
import { keyed, type Letter } from './state.ts'

export type Settings = {
  /** Milliseconds until a picture and a video are processed. */
  image_ms: number
  video_ms: number
  /** Seconds after which a post is in the listings of its account. Reading it by its id is never late. */
  lag_s: number
  /** How many of the next files end in an error of processing. */
  fail_next: number
  /** In the headers of usage of Graph, and minutes until it falls. From 100 on, calls are refused. */
  usage_percent: number
  regain_minutes: number
  /** Calls in 15 minutes of each endpoint of network d. */
  rate_limit: number
  /** Network d refuses the text of a post that is visible. */
  refuses_duplicates: boolean
  /** Units of network c in a day, and posts of b and e in 24 hours. */
  quota: number
}

const defaults: Settings = {
  ...{
    image_ms: 200,
    video_ms: 1_000,
    lag_s: 0,
    fail_next: 0,
    usage_percent: 1,
    regain_minutes: 0,
    rate_limit: 100_000,
    refuses_duplicates: true,
  },
  quota: Number.POSITIVE_INFINITY,
}
type Row = { network: Letter; account: string; changed: Partial<Settings> }
const rows = keyed<Row>('settings', ({ network, account }) => `${network} ${account}`)

export const settingsOf = (network: Letter, account: string): Settings => ({
  ...defaults,
  ...rows.get(`${network} `)?.changed,
  ...rows.get(`${network} ${account}`)?.changed,
})

/** `account` empty: of all accounts. Null takes a setting back. */
export function change(network: Letter, account: string, given: Record<string, unknown>): Settings {
  const changed: Record<string, unknown> = { ...rows.get(`${network} ${account}`)?.changed }
  for (const [name, value] of Object.entries(given)) {
    if (!(name in defaults)) continue
    if (value === null) delete changed[name]
    else changed[name] = value
  }
  rows.save({ network, account, changed })
  return settingsOf(network, account)
}

/** Whether the next file fails; counts down. */
export function takeFailure(network: Letter, account: string): boolean {
  for (const at of [account, '']) {
    const left = rows.get(`${network} ${at}`)?.changed.fail_next ?? 0
    if (left > 0) {
      change(network, at, { fail_next: left - 1 })
      return true
    }
  }
  return false
}
