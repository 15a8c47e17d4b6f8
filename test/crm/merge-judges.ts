// What must hold of a store whose contacts were merged, over plain data: rows, the provider's ledger, and what callers
// were answered.

export type Member = {
  id: string
  audience_id: string
  contact_id: string
  status: string
  delivery_status: string
  source: string
  paid_through_at: number | null
  access_until: number | null
}
/** `cut`: ended at once, so its time does not count. Times in Unix seconds. */
export type Subscription = {
  id: string
  member_id: string
  kind: 'recurring' | 'one_time'
  status: string
  cancel_at: number | null
  paid_through_at: number | null
  held_until: number | null
  cut: boolean
  provider_subscription_id: string | null
}
export type Payment = {
  id: string
  /** An order or a subscription. */
  owner: string
  invoice: string | null
  intent: string | null
  captured: number
  refunded: number
  pending: number
}

export type Facts = {
  /** The contacts that exist, and the pairs of those that were merged or moved by a sign-in. */
  contacts: string[]
  moves: { from: string; to: string; merged: boolean }[]
  /** Contacts that named an address, and owners of that address: a membership may follow it. */
  claims: { from: string; to: string; merged: false }[]
  /** Columns that name a contact which was merged into another. */
  names: string[]
  orders: { id: string; contact_id: string; total: number }[]
  members: Member[]
  subscriptions: Subscription[]
  payments: Payment[]
  codes: {
    id: string
    uses: number
    max: number
    max_per_contact: number
    /** `subscribed`: by a subscription, whose use goes along with its membership. */
    redemptions: { contact_id: string; owner_contact: string; subscribed: boolean }[]
  }[]
  grace_s: number
  paid_audience: string
  provider: {
    /** Paid ones, with the end of the period that they prove and the row that their metadata names. */
    invoices: { id: string; row: string; amount: number; period_end: number }[]
    charges: { intent: string; received: number; refunded: number }[]
    open_pages: { id: string; row: string }[]
    /** Subscriptions that are charged again. */
    billed: { id: string; row: string }[]
  }
  /** What visitors and operators were answered. */
  told: {
    orders: { id: string; contact_id: string; total: number }[]
    members: { audience_id: string; contact_id: string }[]
    opted_out: { audience_id: string; contact_id: string }[]
    /**
     * Answers about access at the end, to visitors who proved an address or did not, and what the API lists as members
     * with access.
     */
    access: { contact_id: string; audience_id: string; proved: boolean; has_access: boolean }[]
    listed: { audience_id: string; contacts: string[] }[]
    surprises: string[]
  }
  now: number
}

const most = (times: (number | null)[]): number | null =>
  times.reduce<number | null>((a, b) => (b === null ? a : Math.max(a ?? b, b)), null)

function reached(moves: Facts['moves'], contact: string): Set<string> {
  const found = new Set([contact])
  for (const one of found) for (const { from, to } of moves) if (from === one) found.add(to)
  return found
}

/** The contacts whose things may be of `contact` now, and itself. */
function cameFrom(moves: Facts['moves'], contact: string): Set<string> {
  return reached(
    moves.map(({ from, to, merged }) => ({ from: to, to: from, merged })),
    contact,
  )
}

/** The contacts that may have what `contact` had: itself, if it exists, and all that it was merged or moved into. */
export function heirs({ contacts, moves }: Pick<Facts, 'contacts' | 'moves'>, contact: string): string[] {
  // A merge leaves nothing behind; a sign-in may.
  const left = [...reached(moves, contact)].filter((one) => !moves.some(({ from, merged }) => merged && from === one))
  return left.filter((one) => contacts.includes(one))
}

/** How memberships move. The addresses that a contact named go along when it is merged or moved. */
const memberMoves = ({ moves, claims }: Facts): Facts['moves'] => [
  ...moves,
  ...claims.flatMap(({ from, to }) =>
    [...reached(moves, from)].map((holder) => ({ from: holder, to, merged: false as const })),
  ),
]

/** Those that may have a membership of the contact. */
const memberHeirs = (f: Facts, contact: string): string[] =>
  heirs({ contacts: f.contacts, moves: memberMoves(f) }, contact)

const hasAccess = ({ status, access_until }: Member, now: number) =>
  status === 'active' && (access_until === null || now <= access_until)

const named = (f: Facts) => f.names

const lostOrders = (f: Facts) =>
  f.told.orders.flatMap(({ id, contact_id, total }) => {
    const order = f.orders.find((one) => one.id === id)
    if (!order) return [`order ${id} of ${total} is gone`]
    const owners = heirs(f, contact_id)
    return [
      ...(order.total === total ? [] : [`order ${id} of ${total} has ${order.total}`]),
      ...(owners.length === 0 || owners.includes(order.contact_id)
        ? []
        : [`order ${id} of ${contact_id} is with ${order.contact_id}`]),
    ]
  })

const lostMembers = (f: Facts) => [
  ...f.told.members.flatMap(({ audience_id, contact_id }) => {
    const owners = memberHeirs(f, contact_id)
    if (
      owners.length === 0 ||
      f.members.some((member) => member.audience_id === audience_id && owners.includes(member.contact_id))
    )
      return []
    return [`the membership of ${contact_id} in ${audience_id} is gone`]
  }),
  ...f.members.flatMap(({ id, contact_id }) =>
    f.contacts.includes(contact_id) ? [] : [`member ${id} has no contact`],
  ),
]

const unlikeCharges = (f: Facts) => [
  ...f.provider.charges.flatMap(({ intent, received, refunded }) => {
    const own = f.payments.filter((payment) => payment.intent === intent)
    const [payment] = own
    if (!payment || own.length > 1) return [`the charge ${intent} of ${received} has ${own.length} payments`]
    return [
      ...(payment.captured === received
        ? []
        : [`the charge ${intent} of ${received} is recorded as ${payment.captured}`]),
      ...(payment.refunded === refunded && payment.pending === 0
        ? []
        : [`of the charge ${intent} ${refunded} are refunded, recorded are ${payment.refunded}`]),
      ...(refunded <= received ? [] : [`of the charge ${intent} of ${received} ${refunded} are refunded`]),
    ]
  }),
  ...f.payments.flatMap(({ id, intent, captured }) =>
    intent && captured > 0 && !f.provider.charges.some((charge) => charge.intent === intent)
      ? [`payment ${id} of ${captured} was never charged`]
      : [],
  ),
]

const unlikeInvoices = (f: Facts) =>
  f.provider.invoices.flatMap(({ id, row, amount }) => {
    const own = f.payments.filter(({ invoice }) => invoice === id)
    if (own.length !== 1) return [`invoice ${id} of ${amount} is paid and has ${own.length} payments`]
    return own[0]?.captured === amount && own[0].owner === row
      ? []
      : [`invoice ${id} of ${amount} for ${row} is a payment of ${own[0]?.captured} for ${own[0]?.owner}`]
  })

/** Subscriptions that give their member time. */
const counting = (f: Facts, { id }: Member) =>
  f.subscriptions.filter(
    (one) =>
      one.member_id === id &&
      !one.cut &&
      (one.kind === 'one_time'
        ? one.status === 'live'
        : (one.status === 'live' || one.status === 'ended') && one.paid_through_at !== null),
  )

const unprovedTime = (f: Facts) => [
  ...f.subscriptions.flatMap((one) => {
    const proved = most(f.provider.invoices.filter(({ row }) => row === one.id).map(({ period_end }) => period_end))
    return one.paid_through_at === proved
      ? []
      : [`subscription ${one.id} is paid until ${one.paid_through_at}, invoices prove ${proved}`]
  }),
  ...f.members.flatMap((member) => {
    const own = f.subscriptions.filter(({ member_id }) => member_id === member.id)
    const forever = own.some(({ kind, status }) => kind === 'one_time' && (status === 'live' || status === 'ended'))
    const all = most(own.map(({ paid_through_at }) => paid_through_at))
    const least = most(counting(f, member).map(({ paid_through_at }) => paid_through_at))
    const { paid_through_at: is } = member
    if (is === null ? least === null || forever : is <= (all ?? -1) && is >= (least ?? is)) return []
    return [`member ${member.id} is paid until ${is}, its subscriptions until ${least}`]
  }),
]

const wrongAccess = (f: Facts) =>
  f.members
    .filter(({ audience_id }) => audience_id === f.paid_audience)
    .flatMap((member) => {
      const own = counting(f, member)
      const running = own.some(({ status }) => status === 'live')
      if (member.status !== 'active') return running ? [`member ${member.id} is ${member.status}, and pays`] : []
      if (own.length === 0) return [`member ${member.id} is active, and nothing was paid`]
      const ends = (one: Subscription) =>
        one.status === 'ended' || (one.cancel_at !== null && one.cancel_at <= (one.paid_through_at ?? 0))
      const until = own.some(({ kind }) => kind === 'one_time')
        ? null
        : most(
            own.map((one) =>
              most([
                (one.paid_through_at ?? 0) + (ends(one) ? 0 : f.grace_s),
                one.status === 'live' ? one.held_until : null,
              ]),
            ),
          )
      return member.access_until === until
        ? []
        : [`member ${member.id} has access until ${member.access_until}, the rule says ${until}`]
    })

const unlikeAnswers = (f: Facts) => [
  ...f.told.access.flatMap(({ contact_id, audience_id, proved, has_access }) => {
    const member = f.members.find((one) => one.contact_id === contact_id && one.audience_id === audience_id)
    // Who proved no address has what they joined themselves.
    const is = member !== undefined && hasAccess(member, f.now) && (proved || member.source === 'storefront')
    return is === has_access
      ? []
      : [`access of ${contact_id} to ${audience_id} is answered as ${has_access}, and is ${is}`]
  }),
  ...f.told.listed.flatMap(({ audience_id, contacts }) => {
    const are = f.members
      .filter((one) => one.audience_id === audience_id && hasAccess(one, f.now))
      .map(({ contact_id }) => contact_id)
    return contacts.toSorted().join() === are.toSorted().join()
      ? []
      : [`${contacts.length} contacts are listed with access to ${audience_id}, ${are.length} have it`]
  }),
]

const duplicated = (f: Facts) => [
  ...[...Map.groupBy(f.members, ({ audience_id, contact_id }) => `${audience_id} ${contact_id}`)].flatMap(
    ([pair, all]) => (all.length > 1 ? [`${pair} has ${all.length} memberships`] : []),
  ),
  ...[...Map.groupBy(f.subscriptions, ({ member_id }) => member_id)].flatMap(([member, all]) => {
    const running = all.filter(({ status }) => status === 'pending' || status === 'live').length
    return running > 1 ? [`member ${member} has ${running} running subscriptions`] : []
  }),
]

const payablePages = (f: Facts) => {
  const rowOf = (id: string) => f.subscriptions.find((one) => one.id === id)
  return [
    ...f.provider.open_pages.flatMap(({ id, row }) =>
      rowOf(row)?.status === 'pending' ? [] : [`page ${id} can be paid, its subscription is ${rowOf(row)?.status}`],
    ),
    ...[...Map.groupBy(f.provider.open_pages, ({ row }) => rowOf(row)?.member_id)].flatMap(([member, all]) =>
      all.length > 1 ? [`member ${member} has ${all.length} payable pages`] : [],
    ),
  ]
}

const chargedAgain = (f: Facts) => {
  const rowOf = (id: string) => f.subscriptions.find((one) => one.provider_subscription_id === id)
  return [
    ...f.provider.billed.flatMap(({ id }) =>
      rowOf(id)?.status === 'live' ? [] : [`subscription ${id} is charged, its row is ${rowOf(id)?.status}`],
    ),
    ...f.subscriptions.flatMap(({ id, kind, status, provider_subscription_id: at }) =>
      kind === 'recurring' && status === 'live' && !f.provider.billed.some((one) => one.id === at)
        ? [`subscription ${id} is live, and nothing is charged`]
        : [],
    ),
  ]
}

const miscounted = (f: Facts) =>
  f.codes.flatMap(({ id, uses, max, max_per_contact, redemptions }) => {
    const faults =
      uses === redemptions.length && uses <= max
        ? []
        : [`code ${id} counts ${uses} uses of ${max}, and has ${redemptions.length}`]
    for (const { contact_id, owner_contact } of redemptions)
      if (contact_id !== owner_contact)
        faults.push(`a use of code ${id} is counted for ${contact_id}, and is of ${owner_contact}`)
    for (const [contact, all] of Map.groupBy(redemptions, ({ contact_id }) => contact_id)) {
      // Each of the contacts that became this one, or whose membership followed it, had uses of its own.
      const allowed = (moves: Facts['moves']) => max_per_contact * cameFrom(moves, contact).size
      const orders = all.filter(({ subscribed }) => !subscribed)
      if (orders.length > allowed(f.moves) || all.length > allowed(memberMoves(f)))
        faults.push(`code ${id} was used ${all.length} times by ${contact}`)
    }
    return faults
  })

const resubscribed = (f: Facts) =>
  f.told.opted_out.flatMap(({ audience_id, contact_id }) => {
    const owners = memberHeirs(f, contact_id)
    const own = f.members.filter((one) => one.audience_id === audience_id && owners.includes(one.contact_id))
    return own.length === 0 || own.some(({ delivery_status }) => delivery_status !== 'subscribed')
      ? []
      : [`${contact_id} left the e-mail of ${audience_id}, and gets it`]
  })

export const judges: readonly (readonly [name: string, check: (f: Facts) => string[]])[] = [
  ['Merged contacts that are named', named],
  ['Orders that are lost', lostOrders],
  ['Memberships that are lost', lostMembers],
  ['Charges that are recorded otherwise', unlikeCharges],
  ['Paid invoices without one payment', unlikeInvoices],
  ['Time that invoices do not prove', unprovedTime],
  ['Access that the rule does not give', wrongAccess],
  ['Access that is answered otherwise', unlikeAnswers],
  ['More than one of a kind', duplicated],
  ['Pages that can be paid', payablePages],
  ['Charges that go on without a row', chargedAgain],
  ['Uses of codes', miscounted],
  ['Resubscribed', resubscribed],
  ['Unexpected answers', (f) => f.told.surprises],
]

export const judge = (f: Facts): string[] =>
  judges.flatMap(([name, check]) => check(f).map((what) => `${name}: ${what}`))
