// Where a member changes the payment method: the provider's own page, opened by the link of an e-mail.
import { requestMemberPortal } from '../../entities/portal/portal-links.ts'
import { route } from '../kit/route.ts'
import { limitMemberChanges } from '../limits/rate.ts'
import { PortalOut, PortalReturnUrl, portalRefusals, portalWait, requestedPortal } from '../portal/portal.ts'
import { allow, linkBody, linkQuery } from './member-links.ts'

export const paymentMethods = [
  route('POST /v1/customer/audiences/payment-method', {
    operation: 'changePaymentMethod',
    may: 'member-link',
    refuses: ['forbidden', ...portalRefusals],
    summary: 'Request a link to the page where a member changes the payment method',
    description:
      'For links of the scope `manage`. The card that is saved there pays the next renewal. 409 `no_billing_customer` if the member has no live subscription that is charged repeatedly. ' +
      '503 `provider_retryable`: repeat the request. 429 `too_many_requests` after 30 changes of a membership in 15 minutes.',
    query: linkQuery,
    body: linkBody.extend({ return_url: PortalReturnUrl }),
    out: PortalOut,
    async run({ em, tenant_id, caller, body, now }) {
      allow(caller, 'manage')
      await limitMemberChanges(em, caller.member_id, now)
      return requestedPortal(await requestMemberPortal(em, tenant_id, caller.member_id, body.return_url, now))
    },
    wait: portalWait,
  }),
]
