// The page of ours that the link of our confirmation e-mail opens. Strangers choose the address that we mail to and the
// store chooses the page that takes the confirmation, so the reader learns from us whose page it is before the browser
// goes there. Opening it changes nothing, as programs that scan mail open every link.
import { z } from 'zod'
import { config } from '../../config.ts'
import { askedConfirmation } from '../../entities/audiences/confirmation.ts'
import { type MemberDelivery, withToken } from '../../rules/audiences/memberships.ts'
import { escaped } from '../../rules/mail/mail-page.ts'
import { conflict, notFound } from '../../rules/refusal.ts'
import { storeNameInMail } from '../../rules/stores/store-name.ts'
import { browserPage } from '../kit/answer/browser-page.ts'
import type { PageText } from '../kit/answer/replies.ts'
import { route } from '../kit/route.ts'

const badLink: PageText = {
  title: 'This link is not valid',
  text: 'It is incomplete, older than seven days, or was replaced by a later one. Open the link of the latest e-mail, or subscribe again for a new one.',
}
const ended: PageText = {
  title: 'This subscription has ended',
  text: 'This link does not start it again. Subscribe again if you want to receive the e-mail: you get a new link.',
}

/** Why a confirmed member receives no e-mail, and what to do. */
const stopped = (name: string): Readonly<Record<Exclude<MemberDelivery, 'subscribed'>, string>> => ({
  unsubscribed:
    'You confirmed the subscription, and its e-mail was stopped later. If you want to receive it again, open the link that stopped it: its page can also start it again.',
  bounced: `An e-mail to your address could not be delivered. Ask ${name} if you want to receive its e-mail again.`,
  complained: `An e-mail to you was reported as spam. Ask ${name} if you want to receive its e-mail again.`,
})

export const confirmPage = [
  route('GET /v1/customer/audiences/confirm', {
    may: 'public',
    operation: 'showConfirmation',
    summary: 'Show where a confirmation link leads',
    description:
      'The page that the link of a confirmation opens which the sender of the installation mailed, for browsers: it names the {store} and the host of its `confirmation_url`, and links to that ' +
      'page with the token. It changes nothing. 404 `not_found`, as a page where `Accept` names HTML, if the token is unknown, has expired or was replaced; 409 `not_pending` if the ' +
      'membership has ended, 409 `audience_not_active` if the audience asks for no confirmation any more.',
    refuses: ['not_found', 'not_pending', 'audience_not_active'],
    answers: {
      types: ['text/html'],
      refusal: ({ code, message }) =>
        code === 'not_pending'
          ? ended
          : code === 'audience_not_active'
            ? { title: 'The subscription cannot be confirmed', text: message }
            : badLink,
    },
    query: z.object({ token: z.string().min(1).max(200).describe('Token of the link.') }),
    async run({ em, query: { token }, now }) {
      const asked = await askedConfirmation(em, token, now)
      if (!asked) throw notFound('confirmation link: it is unknown, has expired, or was replaced by a later one')
      const { status, audience_status, confirmation_url, delivery_status, ...store } = asked
      const name = storeNameInMail(store)
      const shown = escaped(name)
      if (status === 'active')
        return delivery_status === 'subscribed'
          ? browserPage(
              200,
              `Your subscription to ${name} is confirmed`,
              '<p>There is nothing left to do. You can close this page.</p>',
            )
          : browserPage(
              200,
              `You receive no e-mail of ${name}`,
              `<p>${escaped(stopped(name)[delivery_status])}</p>\n<p>This link, which confirmed the subscription, does not start the e-mail again.</p>`,
            )
      if (status !== 'pending')
        throw conflict('not_pending', `The membership is ${status}. Subscribe again for a new link.`)
      if (audience_status !== 'active' || confirmation_url === null)
        throw conflict('audience_not_active', `${name} takes no confirmations at present.`)
      const page = withToken(confirmation_url, token)
      const host = escaped(new URL(page).host)
      const key = name === store.key ? '' : ` (<code>${escaped(store.key)}</code>)`
      const inner = `<p>A visitor entered your address to receive e-mail of <strong>${shown}</strong>${key}. You confirm it at <strong>${host}</strong>, which ${shown} gives as its own site. It is no page of ${escaped(new URL(config.publicUrl).host)}.</p>
<p>If you did not ask for this e-mail, close this page: without a confirmation the subscription does not begin.</p>
<p><a id="go" rel="noreferrer" href="${escaped(page)}">Go on to ${host}</a></p>`
      return browserPage(200, `Confirm your subscription to ${name}`, inner)
    },
  }),
]
