// The e-mail that invites an address to the team of a business.

import { isPlainAddress } from '../../rules/input/email-addresses.ts'
import { escaped, type MailParts, mailPage } from '../../rules/mail/mail-page.ts'
import { INVITATION_DAYS } from '../../rules/stores/invitations.ts'

/**
 * `business`: its name as mails show it; `inviter`: the address of the member who invites, which may hold what programs
 * take for a link before its `@`; `link`: null if no page answers invitations, then the token is shown.
 */
export function invitationMail({
  business: name,
  inviter,
  link,
  token,
}: {
  business: string
  inviter: string
  link: string | null
  token: string
}): MailParts {
  const from = isPlainAddress(inviter) && !/^www\./i.test(inviter) ? inviter : 'A member of the team'
  const validity = `The invitation is valid for ${INVITATION_DAYS} days and for this address only.`
  const ignore = 'If you do not know the sender, you can ignore this e-mail.'
  const [how, what] = link === null ? ['Your invitation:', token] : ['Accept or decline the invitation here:', link]
  const shown = link === null ? escaped(token) : `<a href="${escaped(link)}" style="color:#1a56db">${escaped(link)}</a>`
  return {
    subject: `Invitation to the team of ${name}`,
    text: `${from} invites you to the team of ${name}. ${how}\n\n${what}\n\n${validity} ${ignore}\n`,
    html: mailPage(
      `Invitation to ${name}`,
      `<p style="margin:0 0 16px">${escaped(from)} invites you to the team of <strong>${escaped(name)}</strong>. ${how}</p>
<p style="margin:0 0 16px;overflow-wrap:anywhere">${shown}</p>
<p style="margin:0;color:#666;font-size:13px">${validity} ${ignore}</p>`,
    ),
  }
}
