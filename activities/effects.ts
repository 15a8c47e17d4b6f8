// The sender of every effect, and the three activities of an effect's workflow.
import { log } from '../adapters/log.ts'
import { decide, giveUp } from '../entities/kit/effects.ts'
import type { EffectName, EffectStatus } from '../rules/effects.ts'
import { sendChannelMessage } from './agents/channel-messages.ts'
import { sendNode } from './automation/node-runs.ts'
import { sendOauthExchange } from './automation/oauth-exchanges.ts'
import { sendSocialConnect } from './connections/connects.ts'
import { sendSocialTokenRequest } from './connections/token-requests.ts'
import { sendSocialClassification } from './engagement/classifications.ts'
import { sendSocialReply } from './engagement/replies.ts'
import { isOfData, transaction } from './kit/database.ts'
import { type Sender, writeVerdict } from './kit/once.ts'
import { sendEmail } from './mail/mails.ts'
import { sendModelCall } from './models/model-calls.ts'
import { sendAuthorizationEnd } from './payments/authorization-ends.ts'
import { sendPaymentSession, sendSessionExpiry } from './payments/payment-sessions.ts'
import { sendPortalConfiguration, sendPortalLink } from './portal/portal.ts'
import { sendCoupon } from './prices/coupons.ts'
import { sendPriceProvision } from './prices/price-provisions.ts'
import { sendSocialReveal } from './publications/reveals.ts'
import { sendRefund } from './refunds/refunds.ts'
import { sendCampaignMessage } from './sending/messages.ts'
import { sendConnect, sendOnboardingLink } from './stores/connects.ts'
import { sendSubscriptionChange } from './subscriptions/subscription-changes.ts'
import { sendWebhookTest } from './webhooks/webhook-tests.ts'

export type Senders = { readonly [N in EffectName]: Sender<N> }
export const senders: Senders = {
  refund: sendRefund,
  payment_session: sendPaymentSession,
  session_expiry: sendSessionExpiry,
  coupon: sendCoupon,
  authorization_end: sendAuthorizationEnd,
  connect: sendConnect,
  onboarding_link: sendOnboardingLink,
  price_provision: sendPriceProvision,
  portal_configuration: sendPortalConfiguration,
  portal_link: sendPortalLink,
  mail: sendEmail,
  campaign_message: sendCampaignMessage,
  webhook_test: sendWebhookTest,
  subscription_change: sendSubscriptionChange,
  oauth_exchange: sendOauthExchange,
  social_connect: sendSocialConnect,
  social_token_request: sendSocialTokenRequest,
  social_reveal: sendSocialReveal,
  social_reply: sendSocialReply,
  social_classification: sendSocialClassification,
  model_call: sendModelCall,
  channel_message: sendChannelMessage,
  node_run: sendNode,
}

/** The row side of every effect. */
export const effectRows = Object.values(senders).map(({ row }) => row)
export const rowOf = (name: EffectName) => senders[name].row

/**
 * One attempt; `limitMs` is the row's own limit where it has one. Throws as `once` does, and where nothing could
 * follow.
 */
export async function sendEffect(name: EffectName, id: string, token: string, limitMs?: number): Promise<EffectStatus> {
  const status = await senders[name].send(id, token, limitMs)
  await senders[name].follow?.(id, status)
  return status
}

/**
 * The settle step after a failed attempt: idempotent. `sealed`: the verdict that the failure carried. `waitMs`: when to
 * call it again, 0 if it is decided.
 */
export async function settleEffect(
  name: EffectName,
  id: string,
  token: string,
  sealed: string | null,
): Promise<{ status: EffectStatus | null; waitMs: number; answered: boolean }> {
  const row = rowOf(name)
  if (sealed)
    await writeVerdict(row, id, token, sealed).catch((error: unknown) => {
      if (!isOfData(error)) throw error
      // No other try would store it: without its verdict, the row is decided by its deadline.
      log.error({ effect: name, id, err: error }, 'an answer cannot be stored')
    })
  const decided = await transaction((em) => decide(em, row, id, token))
  if (decided.status) await senders[name].follow?.(id, decided.status)
  return decided
}

/** Its attempts are used up, and none was sent: returns `failed`, or `requested` where it is retried without limit. */
export const giveUpEffect = (name: EffectName, id: string, hopeless = false): Promise<EffectStatus | null> =>
  transaction((em) => giveUp(em, rowOf(name), id, hopeless))
