// What mail programs or mailbox providers would object to in a rendered message.
import { UNSUBSCRIBE_MARK } from './variables.ts'

/** Bytes of HTML that Gmail shows; it cuts off the rest, and with it the link that unsubscribes. */
const shownMax = 102 * 1024

/** Providers whose DMARC policies refuse their addresses in mail of other servers. */
const freemail = new Set(
  'aol.com gmail.com gmx.com gmx.de gmx.net googlemail.com hotmail.com icloud.com live.com mail.ru me.com msn.com outlook.com proton.me protonmail.com qq.com web.de yahoo.com yandex.ru'.split(
    ' ',
  ),
)

const noUnsubscribeUrl = {
  code: 'no_unsubscribe_url',
  message: 'The HTML does not print `unsubscribe_url`, which most laws require.',
}

/** The warnings of a campaign's templates, by their steps. The headers of its messages unsubscribe all the same. */
export const launchWarnings = (bodies: readonly string[]): { pointer: string; code: string; message: string }[] =>
  bodies.flatMap((body, step) =>
    body.includes('unsubscribe_url') ? [] : [{ pointer: `/steps/${step}/template_id`, ...noUnsubscribeUrl }],
  )

/** `sender`: the address that it is sent from. */
export function previewWarnings({ html }: { html: string }, sender: string): { code: string; message: string }[] {
  const bytes = new TextEncoder().encode(html).length
  const domain = sender.slice(sender.lastIndexOf('@') + 1).toLowerCase()
  return [
    ...(bytes > shownMax
      ? [{ code: 'too_long', message: `The HTML has ${bytes} bytes, and mail programs cut it off after ${shownMax}.` }]
      : []),
    ...(html.includes(UNSUBSCRIBE_MARK) ? [] : [noUnsubscribeUrl]),
    ...(freemail.has(domain)
      ? [
          {
            code: 'freemail_sender',
            message: `Mailbox providers refuse bulk mail from addresses of ${domain} that another server sends.`,
          },
        ]
      : []),
  ]
}
