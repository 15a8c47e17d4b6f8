// All invariants of a round, in the order of the report. Each is proved to detect a broken history in
// test/chaos/judges/judges.test.ts.
import type { History, Violation } from '../history.ts'
import { besideAnother, miscounted, misenrolled, stampedWhilePaused } from './judge-campaigns.ts'
import { answeredOtherwise, lostWords, talkedOver, wrongTokens } from './judge-chats.ts'
import {
  chargedTwice,
  doubleBooked,
  eventsLost,
  lost,
  overRefunded,
  oversold,
  overused,
  releasedTooEarly,
  untried,
  wrongMoney,
} from './judge-commerce.ts'
import { imprecise, misrecorded, repeated, sentAgain, sentLate, unrecalled, unwritten } from './judge-effects.ts'
import {
  chargedWithoutRow,
  memberChargedTwice,
  mergedAway,
  misrecordedCharges,
  unpaidTime,
  unrecordedInvoices,
} from './judge-members.ts'
import { nothingShown, shownOtherwise, shownTwice, shownWrongly } from './judge-posts.ts'
import { storedTwice, unlistedReplies, unread } from './judge-talks.ts'

export const invariants: readonly (readonly [name: string, check: (history: History) => string[]])[] = [
  ['Effects per key above one', repeated],
  ['Attempts sent again', sentAgain],
  ['Effects without a row', unwritten],
  ['Double charges', chargedTwice],
  ['Oversold units', oversold],
  ['Double-booked slots', doubleBooked],
  ['Promo uses over their limits', overused],
  ['Acknowledged orders lost or changed', lost],
  ['Repeated calls with different answers', (h) => h.surprises],
  ['Refunds over the captured amount', overRefunded],
  ['Sums of money that do not add up', wrongMoney],
  ['Paid invoices without one payment', unrecordedInvoices],
  ['Members with other time than payments prove', unpaidTime],
  ['Subscriptions that are charged without a row', chargedWithoutRow],
  ['Memberships that are charged twice', memberChargedTwice],
  ['Charges of memberships that are recorded otherwise', misrecordedCharges],
  ['Records lost or left behind by merges', mergedAway],
  ['Messages of a campaign beside the one of their step', besideAnother],
  ['Enrollments that differ from their messages', misenrolled],
  ['Statistics of campaigns that differ from their rows', miscounted],
  ['Messages of campaigns stamped while they were paused', stampedWhilePaused],
  ['Chat messages lost, doubled or changed', lostWords],
  ['Turns with other answers than their outcome', answeredOtherwise],
  ['Words of an agent after a person took the chat over', talkedOver],
  ['Tokens that differ from their calls', wrongTokens],
  ['Comments that are stored twice', storedTwice],
  ['Comments that were read and are not stored', unread],
  ['Replies that succeeded and are no comment', unlistedReplies],
  ['Visible posts per publication above one', shownTwice],
  ['Posts visible before their time, or although cancelled', shownWrongly],
  ['Publications recorded otherwise than they are visible', shownOtherwise],
  ['Released while payable', releasedTooEarly],
  ['Events lost', eventsLost],
  ['Unknown without a fault in its send (precision)', imprecise],
  ['Ambiguous sends recorded as certain (recall)', unrecalled],
  ['Recorded outcomes that differ from the oracle', misrecorded],
  ['Sent after being settled', sentLate],
  ['Processes that ended by themselves', (h) => h.deaths],
  ['Not settled 120 s after healing and the last call', (h) => h.unsettled],
  ['Rounds without activity', (h) => [...untried(h), ...nothingShown(h)]],
]

export const judge = (history: History): Violation[] =>
  invariants.flatMap(([invariant, check]) => check(history).map((what): Violation => ({ invariant, what })))

/** Violations after a round was judged: an effect is sent again. Only those of `later` that `before` did not have. */
export const judgeLater = (before: History, later: History): Violation[] => {
  const known = new Set(judge(before).map(({ what }) => what))
  return judge(later).filter(({ what }) => !known.has(what))
}

/** After a restore to before some sends: the rows that were not final then, and every request that ever arrived. */
export type Restored = { rows: { name: string; status: string }[]; arrived: string[] }

export const restoreInvariants: readonly (readonly [name: string, check: (restored: Restored) => string[]])[] = [
  [
    'Sent again after a restore',
    ({ arrived }) =>
      [...Map.groupBy(arrived, (key) => key)].flatMap(([key, all]) =>
        all.length > 1 ? [`${key} arrived ${all.length} times`] : [],
      ),
  ],
  [
    'Not unknown after a restore',
    ({ rows }) => rows.flatMap(({ name, status }) => (status === 'unknown' ? [] : [`${name} is ${status}`])),
  ],
]

export const judgeRestored = (restored: Restored): Violation[] =>
  restoreInvariants.flatMap(([invariant, check]) => check(restored).map((what): Violation => ({ invariant, what })))
