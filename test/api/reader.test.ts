// Every refusal of a storefront, a launch or a publication is either due to a lack of set-up, and has its check, or is
// not; the route of each check exists, and no sentence for visitors speaks of what only operators can do.
import { describe, expect, test } from '@jest/globals'
import { forReader } from '../../api/kit/answer/reader.ts'
import type { Route } from '../../api/kit/route.ts'
import { routes } from '../../api/routes.ts'
import { type ProblemCode, problems } from '../../rules/problems.ts'
import { type CheckId, checks, missing, missingByFault, missingIn } from '../../rules/readiness/checks.ts'
import { invalid, Refusal } from '../../rules/refusal.ts'
import { visitorTexts } from '../../rules/visitor-texts.ts'
import { refusalTexts } from '../kit/refusal-texts.ts'

const ofVisitors = routes.filter(({ may }) => ['visitor', 'verified', 'customer', 'member-link'].includes(may))
const ofOperators = routes.filter(({ path }) => /\/(campaigns|social-publications)(\/|$)/.test(path))
const codes = [...new Set([...ofVisitors, ...ofOperators].flatMap(({ refuses }) => refuses))].sort()

/** What a caller, a buyer, a person, time or a provider causes. A new code is entered here, or has its check. */
const notSetUp: ReadonlySet<string> = new Set(
  `
  agent_disabled all_capitals already_exists already_reviewed already_sent amount_too_large approval_required
  audience_not_active audience_not_ready bad_cursor booking_completed campaign_launched campaign_not_draft
  campaign_not_paused campaign_not_ready campaign_not_running cancel_and_replace cancelled_by_store cannot_change
  capture_rejected capture_unknown card_total_not_chargeable card_total_too_small cart_empty cart_ordered
  change_in_flight channels_too_many chat_archived chat_is_direct chat_of_visitor checkout_cancelled code_expired
  code_invalid comment_gone comment_taken contact_unknown content_not_allowed content_required contradicts_evidence
  customers_only decision_made delivery_suppressed differs_from_path edit_window_closed email_required
  engine_unavailable forbidden form_archived form_unknown idempotency_conflict in_the_past kinds_too_many
  mark_not_editable message_not_failed model_not_configured model_outcome_unknown model_unavailable
  no_billing_customer not_found not_pending not_subscribed not_writable nothing_to_rate order_cancelled out_of_stock
  parent_mismatch payment_captured payment_form_over payment_in_progress payment_method_required
  payment_not_authorized payment_read_only payment_rejected pickup_location_unknown portal_rejected
  promo_code_exhausted promo_code_expired promo_code_invalid promo_code_not_applicable provider_retryable
  provider_unavailable publication_locked publication_not_published publication_not_scheduled
  publication_not_unknown publication_unknown purchase_required range_too_long reaction_removed
  reference_not_allowed reply_not_unknown resolved_otherwise resolved_too_often return_url_required
  shipping_method_required sign_in_required slot_in_past slot_taken subscription_active subscription_cancelled template_failed
  template_invalid template_timeout template_too_large token_limit too_deep too_far too_long too_many_hashtags
  too_many_links too_many_requests too_many_slots total_changed variant_unknown
  `.split(/\s+/),
)

test('Every refusal of storefronts, launches and publications has its check, or needs none', () => {
  expect(codes.length).toBeGreaterThan(50)
  expect(codes.filter((code) => !(code in missing) && !notSetUp.has(code))).toEqual([])
  expect(codes.filter((code) => code in missing && notSetUp.has(code))).toEqual([])
  const unused = [...notSetUp].filter((code) => code !== '' && !(codes as string[]).includes(code))
  expect(unused).toEqual([])
})

test('Every check is mended by a route of the tenant that exists', () => {
  const specs = new Set<string>(routes.map(({ spec }) => spec))
  for (const [id, check] of Object.entries(checks)) {
    const { mend, first, of_business } = check as { mend: string; first?: string; of_business?: string | null }
    const own = [mend, ...(first ? [first] : [])]
    const found = (root: string) => (route: string) => specs.has(route.replace(' ', ` ${root}`))
    expect([id, own.filter((route) => !found('/v1/stores/{storeId}')(route))]).toEqual([id, []])
    const ofBusiness = of_business === null ? [] : of_business ? [of_business] : own
    expect([id, ofBusiness.filter((route) => !found('/v1/businesses/{businessId}')(route))]).toEqual([id, []])
  }
})

/** Words of operators and developers, and names of fields and routes. */
const notOfVisitors = /`|\b(GET|POST|PUT|DELETE)\b|\b(market|template|mailbox|token)(e?s)?\b|configured/

/** Texts behind a code that visitors are refused with, elsewhere, with who reads them. */
const readByOthers: Readonly<Record<string, string>> = {
  'cannot_change api/stores/markets.ts': 'operators',
  'cannot_change entities/automation/integrations.ts': 'operators',
  'cannot_change entities/audiences/members.ts': 'operators',
  'differs_from_path api/kit/input.ts': 'developers: the request contradicts itself',
  'differs_from_path entities/content/submissions.ts': 'developers: the request contradicts itself',
  'not_found api/kit/input.ts': 'developers: the path is no path of the API',
  'too_many_requests api/mail/email-templates.ts': 'operators',
}

test('No visitor reads a text with the words of operators, for any code of any route', () => {
  const codesOfVisitors = new Set<string>([...ofVisitors.flatMap(({ refuses }) => refuses), 'too_many_requests'])
  const texts = refusalTexts().filter(({ code }) => codesOfVisitors.has(code))
  expect(texts.length).toBeGreaterThan(150)
  const wrong = texts.filter(({ code, text }) => {
    const own = missing[code as ProblemCode]?.visitor ?? visitorTexts[code as ProblemCode]
    return notOfVisitors.test(own ?? text)
  })
  const excused = (one: { code: string; file: string }) => `${one.code} ${one.file}`
  expect(wrong.filter((one) => !(excused(one) in readByOthers))).toEqual([])
  expect(Object.keys(readByOthers).filter((name) => !wrong.some((one) => excused(one) === name))).toEqual([])
})

test('Each text for visitors is one short sentence, in place of one that speaks to others', () => {
  const texts = refusalTexts()
  for (const [code, said] of Object.entries(visitorTexts)) {
    expect([code, codes.includes(code as ProblemCode)]).toEqual([code, true])
    expect([code, said, notOfVisitors.test(said), said.length < 100]).toEqual([code, said, false, true])
    expect([code, texts.some((one) => one.code === code && notOfVisitors.test(one.text))]).toEqual([code, true])
    const refusal = { status: 409, code, message: 'Thrown.', details: {} } as unknown as Refusal
    expect(read(refusal, 'visitor').message).toBe(said)
    expect(read(refusal, 'admin').message).toBe('Thrown.')
  }
})

const route = (may: Route['may']) => ({ may, surface: 'store', tenant: 'storeId' }) as Route
const read = (refusal: Refusal, may: Route['may'], headers: Record<string, string> = {}) =>
  forReader(refusal, route(may), { headers, path: { storeId: 'x' } })

describe.each(Object.keys(missing) as ProblemCode[])('The refusal %s', (code) => {
  const status = Number(Object.keys(problems).find((one) => code in problems[one as unknown as 422])) as 422
  const refusal = () =>
    status === 422 ? invalid('/x', code as 'price_missing', 'Thrown.') : new Refusal(status, code as never, 'Thrown.')

  test(`Operators read which route mends ${code}, visitors do not`, () => {
    const { check, visitor } = missing[code] as { check: CheckId; visitor: string | null }
    expect(read(refusal(), 'admin').details.members).toMatchObject({ mends: [{ check }] })
    expect(read(refusal(), 'customer', { authorization: 'Bearer x' }).details.members).toMatchObject({
      mends: [{ check }],
    })
    for (const may of ['visitor', 'customer', 'member-link'] as const) {
      const said = read(refusal(), may)
      expect([said.message, said.details.members]).toEqual([visitor ?? 'Thrown.', undefined])
    }
    expect(visitor ?? '').not.toMatch(/operator|`|PUT|POST|market|configured/i)
    expect((visitor ?? '').length).toBeLessThan(100)
  })
})

test('Errors that a refusal lists name their checks once', () => {
  const faults = Object.keys(missingByFault).map((code) => ({ code }))
  expect(missingIn('campaign_not_ready', [...faults, ...faults])).toEqual(['mailbox', 'email_template'])
  expect(missingIn('out_of_stock', [{ code: 'out_of_stock' }])).toEqual([])
})
