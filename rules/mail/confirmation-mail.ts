// The e-mail of the installation's own sender that asks a visitor to confirm a membership: a fixed text, of which the
// store chooses its name only.
import { escaped, type MailParts, mailPage } from './mail-page.ts'

/** `store`: its name as mails show it; `link`: of a page of ours, with the token. */
export function confirmationMail({ store, link, days }: { store: string; link: string; days: number }): MailParts {
  const why = `A visitor of ${store} entered this address to receive its e-mail. If you are that visitor, confirm it here:`
  const ignore = `The link is valid for ${days} days. If you are not that visitor, ignore this e-mail: without a confirmation the subscription does not begin.`
  return {
    subject: `Confirm your subscription to ${store}`,
    text: `${why}\n\n${link}\n\n${ignore}\n`,
    html: mailPage(
      `Confirm your subscription to ${store}`,
      `<p style="margin:0 0 16px">${escaped(why)}</p>
<p style="margin:0 0 16px;overflow-wrap:anywhere"><a href="${escaped(link)}" style="color:#1a56db">${escaped(link)}</a></p>
<p style="margin:0;color:#666;font-size:13px">${ignore}</p>`,
    ),
  }
}
